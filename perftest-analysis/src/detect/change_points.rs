//! Where the level of a history changed for good, and where it only went away for a while.
//!
//! Definition: three things are done with one fixed setting.
//!
//! 1. Divide. The history is divided where a step explains most, if that is enough, and so are its
//!    parts. Where a bump of 5 to 30 values, at most a quarter of the part, is the better explanation,
//!    its values are cut out instead: a temporary change. What is left is looked at again, and shows
//!    whether something lasting remains beside it. Where no single step is enough, all levels together
//!    may be: see `partition.rs`.
//! 2. Merge. Two neighbouring levels are one where, of both together, a straight line explains as
//!    much as the step (a drift is no step), where the step no longer is enough, or where the medians
//!    differ by less than 2%. The weakest goes first.
//! 3. Move each change to where it explains most of its two levels, and merge again.
//!
//! Enough is a [support](super::stretch) of 9 ln n for a step, and half as much again for a bump, which
//! has two places and a height where a step has one place and a height. A step with less has enough, too, if it has with
//! each value within the fences of its own side, and both sides differ by ranks: at a misrate of 0.1%, split over the
//! places. So one value of ten at the old level does not hide a step of any size. No level has fewer than 10
//! values. n is at most 1,000: longer histories are divided a stretch of that length at a time, so that
//! what was long ago does not hide what is new.
//!
//! The 9, the 10 and the shape of the rules were chosen on the series of `docs/evidence/change-points.md`, which
//! has the scores of neighbouring values. 9 ln n resembles the 3 ln n of the modified Bayesian
//! information criterion, if three values at an autocorrelation of 1/2 count as one independent
//! value; it does not follow from that criterion.
//!
//! Source: our own. Binary segmentation is Scott and Knott's (1974), the criterion Zhang and
//! Siegmund's (2007), the two passes are Akinshin's advice; `docs/evidence/change-points.md` shows how it
//! does beside others.
//!
//! Behaviour: a clear step is seen with 10 values behind it, and where one of them is at the old level. In 51
//! histories of one machine (medians of 5 runs), which helped to choose the rules, 98% of steps of 3% are found and
//! none is invented. A temporary change of a few values has to be large. Drifts, single extreme values and changes
//! of spread are not reported. Zero is taken for a natural zero: levels that differ by less than 2% of the larger
//! one do not differ. Magnitude plays no part, from the smallest numbers to the largest.
//!
//! Cost: O(n) for histories with few changes, some 30 additions a value and stretch.

use super::division::ChangePositions;
use super::division::Division;
use super::segments;
use perftest_core::model::Sample;
use std::ops::Range;

/// A lasting change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first value of the new level.
    pub index: usize,
    /// The median from the change before to this one, temporary changes left out.
    pub before: f64,
    /// The median from here to the next change, likewise.
    pub after: f64,
}

/// A change that went away.
#[derive(Debug, Clone, PartialEq)]
pub struct TemporaryChange {
    /// The values that were different.
    pub values: Range<usize>,
    /// The median of the level around.
    pub usual: f64,
    /// The median meanwhile.
    pub meanwhile: f64,
}

/// What changed in a history, in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangePoints {
    /// The changes that lasted.
    pub lasting: Vec<ChangePoint>,
    /// Those that did not.
    pub temporary: Vec<TemporaryChange>,
}

impl ChangePoints {
    /// The levels between the lasting changes of `size` values: the indices of each, without those of
    /// temporary changes, unless it consists of nothing else.
    ///
    /// ```
    /// use perftest_analysis::detect::{ChangePoint, ChangePoints, TemporaryChange};
    /// let lasting = vec![ChangePoint { index: 3, before: 1.0, after: 2.0 }];
    /// let temporary = vec![TemporaryChange { values: 4..6, usual: 2.0, meanwhile: 9.0 }];
    /// let found = ChangePoints { lasting, temporary };
    /// assert_eq!(found.levels(8), [vec![0, 1, 2], vec![3, 6, 7]]);
    /// ```
    pub fn levels(&self, size: usize) -> Vec<Vec<usize>> {
        let mut is_temporary = vec![false; size];
        for change in &self.temporary {
            is_temporary[change.values.start.min(size)..change.values.end.min(size)].fill(true);
        }
        let changes: Vec<usize> = self.lasting.iter().map(|change| change.index).collect();
        let level = |range: Range<usize>| {
            let usual: Vec<usize> = range.clone().filter(|index| !is_temporary[*index]).collect();
            if usual.is_empty() { range.collect() } else { usual }
        };
        segments(&changes, size).into_iter().map(level).collect()
    }
}

/// The changes of a history.
///
/// ```
/// use perftest_analysis::detect::change_points;
/// use perftest_core::model::Sample;
/// let run = |n: usize| 100.0 + (n * 7 % 11) as f64 / 10.0;
/// let slower = |n: usize| if n >= 40 { 1.1 * run(n) } else { run(n) };
/// let found = change_points(&Sample::new((0..60).map(slower).collect()).unwrap());
/// assert_eq!(found.lasting.len(), 1);
/// assert_eq!(found.lasting[0].index, 40);
/// assert!(found.temporary.is_empty());
/// ```
pub fn change_points(history: &Sample) -> ChangePoints {
    change_points_after(history, &ChangePoints::default())
}

/// The changes of a history of which an earlier state gave the `earlier` ones: these stay where they
/// are, and only what came behind the last of them is searched. A lasting change whose level turns
/// out to have gone back within 30 values becomes a temporary one.
///
/// ```
/// use perftest_analysis::detect::{change_points, change_points_after};
/// use perftest_core::model::Sample;
/// let run = |n: usize| 100.0 + (n * 7 % 11) as f64 / 10.0;
/// let value = |n: usize| if (40..55).contains(&n) { 1.1 * run(n) } else { run(n) };
/// let first = |size| Sample::new((0..size).map(value).collect()).unwrap();
/// let earlier = change_points(&first(55));
/// assert_eq!(earlier.lasting[0].index, 40);
/// let later = change_points_after(&first(80), &earlier);
/// assert!(later.lasting.is_empty());
/// assert_eq!(later.temporary[0].values, 40..55);
/// ```
pub fn change_points_after(history: &Sample, earlier: &ChangePoints) -> ChangePoints {
    change_points_after_standing(history.values(), earlier, history.size())
}

/// The same of finite values, without those of the earlier changes from a place on that the values of today speak
/// against.
pub(super) fn change_points_after_standing(
    history: &[f64],
    earlier: &ChangePoints,
    from: usize,
) -> ChangePoints {
    let mut known = ChangePositions {
        lasting: earlier.lasting.iter().map(|change| change.index).collect(),
        temporary: earlier.temporary.iter().map(|change| change.values.clone()).collect(),
    };
    let division = Division::new(history);
    known.lasting.retain(|change| *change < history.len());
    division.drop_drifts(&mut known, from);
    let found = division.continued(&known);
    let median = |index| division.median(&division.level(&found, index));
    let medians: Vec<f64> = (0..=found.lasting.len()).map(median).collect();
    let lasting = found.lasting.iter().zip(medians.windows(2)).map(|(index, pair)| ChangePoint {
        index: *index,
        before: pair[0],
        after: pair[1],
    });
    let temporary = found.temporary.iter().map(|values| TemporaryChange {
        values: values.clone(),
        usual: medians[found.lasting.partition_point(|change| *change <= values.start)],
        meanwhile: division.median(&values.clone().collect::<Vec<_>>()),
    });
    ChangePoints { lasting: lasting.collect(), temporary: temporary.collect() }
}
