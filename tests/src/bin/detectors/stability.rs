//! Whether changes that were told stay where they are when further values come.
//!
//! Each series is shown value by value, and the whole of what is there is searched each time. A change
//! is settled as soon as 20 values are behind it. From then on it is looked for again, at most 5 values
//! away, whenever a value comes.

use super::series::{Collection, Series};
use perftest_core::detect::change_points;
use perftest_core::model::Sample;

/// Values behind a change that is settled.
const SETTLED: usize = 20;
/// A change that is no farther away is the same.
const MARGIN: usize = 5;

/// What became of the settled changes of some series.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Stability {
    /// Changes that were settled once.
    pub(crate) settled: usize,
    /// Of these, those that were moved later, and are still there.
    pub(crate) moved: usize,
    /// Of these, those that were gone later.
    pub(crate) gone: usize,
    /// Changes that were told only when they were twice as old.
    pub(crate) late: usize,
}

/// A change that is followed.
struct Followed {
    index: usize,
    has_moved: bool,
}

impl Stability {
    pub(crate) fn of(series: &[Series]) -> Self {
        let mut all = Self::default();
        series.iter().for_each(|series| all.follow(series.values.values()));
        all
    }

    fn follow(&mut self, values: &[f64]) {
        let mut followed: Vec<Followed> = Vec::new();
        for size in SETTLED..=values.len() {
            let Ok(first) = Sample::new(values[..size].to_vec()) else { return };
            let found: Vec<usize> =
                change_points(&first).lasting.iter().map(|change| change.index).collect();
            followed.retain_mut(|change| self.is_still_there(change, &found));
            for index in found.into_iter().filter(|index| index + SETTLED <= size) {
                if followed.iter().all(|known| known.index.abs_diff(index) > MARGIN) {
                    self.settled += 1;
                    self.late += usize::from(index + 2 * SETTLED < size);
                    followed.push(Followed { index, has_moved: false });
                }
            }
        }
        self.moved += followed.iter().filter(|change| change.has_moved).count();
    }

    fn is_still_there(&mut self, change: &mut Followed, found: &[usize]) -> bool {
        let nearest = found.iter().copied().min_by_key(|index| index.abs_diff(change.index));
        match nearest.filter(|index| index.abs_diff(change.index) <= MARGIN) {
            Some(index) => {
                change.has_moved |= index != change.index;
                change.index = index;
                true
            }
            None => {
                self.gone += 1;
                false
            }
        }
    }
}

/// A row for each kind of series.
pub(crate) fn table(collection: &Collection) -> String {
    let mut text = String::from(
        "| series | settled | moved later | gone later | told late |\n|---|---|---|---|---|\n",
    );
    for (name, series) in [
        ("annotated", &collection.annotated),
        ("shared runners", &collection.shared),
        ("one machine", &collection.quiet),
    ] {
        let Stability { settled, moved, gone, late } = Stability::of(series);
        text += &format!("| {name} | {settled} | {moved} | {gone} | {late} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn collection() -> Collection {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("series");
        Collection::read(&directory).unwrap()
    }

    fn of(values: impl Iterator<Item = f64>) -> Stability {
        let mut stability = Stability::default();
        stability.follow(&values.collect::<Vec<f64>>());
        stability
    }

    #[test]
    fn a_clear_step_is_settled_once_and_stays() {
        let step =
            (0..90).map(|i| if i < 40 { 100.0 } else { 120.0 } + f64::from(i * 7 % 11) / 10.0);
        assert_eq!(of(step), Stability { settled: 1, ..Stability::default() });
        assert_eq!(of((0..90).map(|i| 100.0 + f64::from(i * 7 % 11))), Stability::default());
    }

    #[test]
    fn nine_of_ten_settled_changes_of_benchmarks_stay() {
        let Stability { settled, moved, gone, .. } = Stability::of(&collection().shared);
        assert!(settled >= 10, "{settled}");
        assert!(10 * (moved + gone) <= settled, "{moved} moved and {gone} gone of {settled}");
    }
}
