//! Change points that stay where they are when further values come, without a memory of earlier answers.
//!
//! Definition: the answer to a history is found as if it had been asked for earlier too, first at 20
//! values and then whenever 20 more had come, or a sixteenth of what was there if that is more. Each
//! time, what was found before and had 30 values behind it is kept where it is, and only what is behind it is
//! searched. Until a change has 80 values behind it, it is left out again as soon as a straight line explains both
//! levels as well. The begin of a drift looks like a step while little of the drift is there.
//!
//! Source: our own. A later reading of a history should not report a new change that is months old, nor lose one that was
//! reported.
//!
//! Behaviour: that of [`change_points`](super::change_points()), which sees all values at once and
//! changes its mind for a better explanation of all; the tables of `docs/evidence/change-points.md` have both.
//! With 80 values behind it a change of a history of up to 800 is where it will be; it can only
//! turn out to be an end of a temporary change, or a part of one. Values in front of the history
//! that are left out later move where it was asked, and so may move changes.
//!
//! Cost: 20 times that of [`change_points`](super::change_points()).

use super::ChangePoints;
use super::change_points::change_points_after_standing;
use perftest_core::model::Sample;

/// A history is evaluated again after this many values, at least. A convention: the fewest values that are searched.
const STEP: usize = 20;
/// .. and after this fraction of the values so far. A convention: smaller parts cost more searches.
const PART: usize = 16;
/// A change followed by this many values stays, unless today's values contradict it. A convention:
/// docs/evidence/change-points.md shows what stays.
const SETTLED: usize = 30;
/// A change followed by this many values stays for good. A convention, shown there too.
const OLD: usize = 80;

/// Returns the changes of a history; the old ones are those of its earlier states.
///
/// ```
/// use perftest_analysis::detect::settled_change_points;
/// use perftest_core::model::Sample;
/// let value = |n: usize| if n < 40 { 100.0 } else { 120.0 } + (n * 7 % 11) as f64 / 10.0;
/// let first = |size| Sample::new((0..size).map(value).collect()).unwrap();
/// let found = |size| settled_change_points(&first(size)).lasting[0].index;
/// assert_eq!([55, 80, 300].map(found), [40; 3]);
/// ```
pub fn settled_change_points(history: &Sample) -> ChangePoints {
    let values = history.values();
    let mut known = ChangePoints::default();
    let mut size = STEP;
    while size < values.len() {
        known = changes(&values[..size], &known);
        known.lasting.retain(|change| change.index + SETTLED <= size);
        known.temporary.retain(|change| change.values.end + SETTLED <= size);
        size += STEP.max(size / PART);
    }
    changes(values, &known)
}

fn changes(values: &[f64], known: &ChangePoints) -> ChangePoints {
    change_points_after_standing(values, known, (values.len() + 1).saturating_sub(OLD))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::normal;
    use perftest_core::stats::Random;

    /// Levels of 60 values with a deviation of 2%, each 4% above or below the one before.
    fn wandering(size: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut level = 100.0;
        let mut value = |index: usize| {
            if index % 60 == 59 {
                level *= if random.between(0.0, 1.0) < 0.5 { 0.96 } else { 1.04 };
            }
            level * (1.0 + 0.02 * normal(&mut random))
        };
        (0..size).map(&mut value).collect()
    }

    #[test]
    fn old_changes_stay_when_further_values_come() {
        for seed in 0..3 {
            let values = wandering(400, seed);
            let mut before = ChangePoints::default();
            for size in 1..=values.len() {
                let now = settled_change_points(&Sample::new(values[..size].to_vec()).unwrap());
                let old = before.lasting.iter().filter(|change| change.index + 80 <= size);
                for change in old {
                    let is_it = |other: usize| other == change.index;
                    let ends = now.temporary.iter().flat_map(|it| [it.values.start, it.values.end]);
                    let mut places = now.lasting.iter().map(|it| it.index).chain(ends);
                    assert!(places.any(is_it), "{} of {size} with seed {seed}", change.index);
                }
                before = now;
            }
            assert!(!before.lasting.is_empty());
        }
    }

    #[test]
    fn histories_without_changes_and_with_one_value_have_none() {
        for size in [1, 19, 20, 21, 41, 700] {
            let flat = (0..size).map(|i| 100.0 + f64::from(i * 7 % 11) / 10.0);
            let found = settled_change_points(&Sample::new(flat.collect()).unwrap());
            assert_eq!(found, ChangePoints::default(), "{size}");
        }
    }
}
