//! Whether changes that were found stay where they are when further values come.
//!
//! Each series is shown value by value, and what is there is searched each time. A change is old as soon
//! as 80 values are behind it. From then on it is looked for again, at most 5 values away, whenever a
//! value comes.

use super::series::{Collection, Series};
use perftest_analysis::detect::{ChangePoints, change_points, settled_change_points};
use perftest_core::model::Sample;

/// Values behind a change that is old.
const OLD: usize = 80;
/// A change that is no farther away is the same.
const MARGIN: usize = 5;

type Detect = fn(&Sample) -> ChangePoints;

/// What became of the old changes of some series, in the end.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Stability {
    /// Changes that were old once.
    pub(crate) old: usize,
    /// Of these, those that were there ever since, at their place.
    pub(crate) kept: usize,
    /// Those that are there at another place, or were not in between.
    pub(crate) moved: usize,
    /// Those that turned out to be an end of a temporary change.
    pub(crate) temporary: usize,
    /// Those that are not there any more.
    pub(crate) gone: usize,
    /// Those that were not found before they were old.
    pub(crate) late: usize,
}

/// A change that is followed.
struct FollowResult {
    index: usize,
    was_moved: bool,
    is_there: bool,
}

impl Stability {
    pub(crate) fn of(series: &[Series], detect: Detect) -> Self {
        let mut all = Self::default();
        series.iter().for_each(|series| all.follow(series.values.values(), detect));
        all
    }

    fn follow(&mut self, values: &[f64], detect: Detect) {
        let mut followed: Vec<FollowResult> = Vec::new();
        let (mut last, mut before) = (ChangePoints::default(), Vec::new());
        for size in 1..=values.len() {
            let Ok(first) = Sample::new(values[..size].to_vec()) else { return };
            last = detect(&first);
            let found: Vec<usize> = last.lasting.iter().map(|change| change.index).collect();
            followed.iter_mut().for_each(|change| change.look_up(&found));
            for index in found.iter().copied().filter(|index| index + OLD <= size) {
                let is_near = |known: usize| known.abs_diff(index) <= MARGIN;
                if !followed.iter().any(|known| is_near(known.index)) {
                    self.late += usize::from(!before.iter().copied().any(is_near));
                    followed.push(FollowResult { index, was_moved: false, is_there: true });
                }
            }
            before = found;
        }
        self.old += followed.len();
        let ends: Vec<usize> =
            last.temporary.iter().flat_map(|it| [it.values.start, it.values.end]).collect();
        for change in followed {
            let is_near = |end: &usize| end.abs_diff(change.index) <= MARGIN;
            *match change {
                FollowResult { is_there: true, was_moved: false, .. } => &mut self.kept,
                FollowResult { is_there: true, .. } => &mut self.moved,
                _ if ends.iter().any(is_near) => &mut self.temporary,
                _ => &mut self.gone,
            } += 1;
        }
    }
}

impl FollowResult {
    fn look_up(&mut self, found: &[usize]) {
        let nearest = found.iter().copied().min_by_key(|index| index.abs_diff(self.index));
        let nearest = nearest.filter(|index| index.abs_diff(self.index) <= MARGIN);
        self.is_there = nearest.is_some();
        self.was_moved |= nearest != Some(self.index);
        self.index = nearest.unwrap_or(self.index);
    }
}

/// A row for each of our detectors and kind of series.
pub(crate) fn table(collection: &Collection) -> String {
    let mut text = String::from(
        "| detector | series | old | kept | moved | temporary | gone | reported late |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let detectors: [(&str, Detect); 2] =
        [("change_points", change_points), ("settled_change_points", settled_change_points)];
    for (detector, detect) in detectors {
        for (name, series) in [
            ("annotated", &collection.annotated),
            ("shared runners", &collection.shared),
            ("one machine", &collection.quiet),
        ] {
            let Stability { old, kept, moved, temporary, gone, late } =
                Stability::of(series, detect);
            text += &format!(
                "| {detector} | {name} | {old} | {kept} | {moved} | {temporary} | {gone} | {late} |\n"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn collection() -> Collection {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../series");
        Collection::read(&directory).unwrap()
    }

    fn of(values: impl Iterator<Item = f64>) -> Stability {
        let mut stability = Stability::default();
        stability.follow(&values.collect::<Vec<f64>>(), change_points);
        stability
    }

    #[test]
    fn a_clear_step_becomes_old_once_and_stays() {
        let step = |i: u32| if i < 40 { 100.0 } else { 120.0 } + f64::from(i * 7 % 11) / 10.0;
        assert_eq!(of((0..140).map(step)), Stability { old: 1, kept: 1, ..Stability::default() });
        assert_eq!(of((0..140).map(|i| 100.0 + f64::from(i * 7 % 11))), Stability::default());
    }

    #[test]
    fn old_changes_of_benchmarks_stay_where_they_are_kept_and_mostly_where_they_are_not() {
        let Collection { shared, quiet, .. } = collection();
        for series in [&shared, &quiet] {
            let settled = Stability::of(series, settled_change_points);
            assert_eq!((settled.moved, settled.gone, settled.late), (0, 0, 0), "{settled:?}");
            let Stability { old, kept, .. } = Stability::of(series, change_points);
            assert!(2 * kept >= old, "{kept} of {old}");
        }
    }
}
