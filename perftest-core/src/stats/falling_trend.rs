//! Falling times in the course of a run.
//!
//! Definition: with at least 40 values, those after the first two are cut into quarters; they fall
//! when the medians of the quarters never rise by more than 1% and the 3rd to 10th values have a
//! median above 1.15 times that of the last quarter. The first two values are left out, because a
//! first call is slow in every program. They begin to fall when the median of the 3rd to 10th values is
//! above 1.01 times that of the last quarter.
//!
//! Source of the thresholds: recorded runs of a map with 3,000 insertions of the same keys (203 us
//! at first, 83 us after 60 and 63 us after 100 iterations) beside runs with fresh keys (163 to
//! 167 us throughout). An exponential fall by 1.15 within 80 ms has lost 1% in its first 10 ms, if it
//! halves within 60 ms.

use crate::list::IntoList;
use crate::model::Sample;

const FEWEST: usize = 40;
const SETTLING: usize = 2;
const EARLY: usize = 8;
const FALL: f64 = 1.15;
const STEADY: f64 = 1.01;
const BEGINNING: f64 = 1.01;

/// A fall of the values from an early level to a late one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FallingTrend {
    /// Median of the 3rd to 10th values.
    pub early: f64,
    /// Median of the last quarter.
    pub late: f64,
}

impl FallingTrend {
    /// The fall of these values, in their order of measurement; `None` where they do not fall.
    pub fn of(values: &[f64]) -> Option<Self> {
        let values = values.get(SETTLING..).filter(|it| it.len() + SETTLING >= FEWEST)?;
        let medians = medians_of_quarters(values)?;
        let trend = Self { early: Sample::median_of(&values[..EARLY])?, late: *medians.last()? };
        let never_rises = medians.windows(2).all(|pair| pair[1] <= STEADY * pair[0]);
        (never_rises && trend.early > FALL * trend.late).then_some(trend)
    }

    /// Whether the first values of a run begin to fall, so that further ones may show a fall.
    pub fn begins_in(values: &[f64]) -> bool {
        let early = values.get(SETTLING..SETTLING + EARLY).and_then(Sample::median_of);
        let late = || medians_of_quarters(&values[SETTLING..])?.pop();
        early.is_some_and(|early| late().is_some_and(|late| early > BEGINNING * late))
    }
}

fn medians_of_quarters(values: &[f64]) -> Option<Vec<f64>> {
    values.chunks(values.len().div_ceil(4)).map(Sample::median_of).into_list_of_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learned_input_falls() {
        let learned: Vec<f64> =
            (0..100).map(|n| 63.0 + 140.0 * (-f64::from(n) / 30.0).exp()).collect();
        let trend = FallingTrend::of(&learned).unwrap();
        assert!(trend.early > 170.0 && trend.late < 76.0, "{trend:?}");
    }

    #[test]
    fn a_fall_begins_with_the_first_values_and_flat_ones_do_not_fall() {
        // As little as is reported within 180 values, and as slowly.
        let first = |height: f64, length: f64| -> Vec<f64> {
            (0..21).map(|n| 100.0 + height * (-f64::from(n) / length).exp()).collect()
        };
        assert!(FallingTrend::begins_in(&first(19.0, 60.0)));
        assert!(FallingTrend::begins_in(&first(28.0, 170.0)));
        assert!(!FallingTrend::begins_in(&first(0.0, 60.0)));
        let start: Vec<f64> = (0..21).map(|n| if n < 2 { 200.0 } else { 100.0 }).collect();
        assert!(!FallingTrend::begins_in(&start));
        assert!(!FallingTrend::begins_in(&[300.0, 200.0, 100.0]), "too few to know");
    }

    #[test]
    fn a_slow_start_and_a_slow_phase_in_the_middle_are_no_fall() {
        let start: Vec<f64> = (0..100).map(|n| if n < 2 { 200.0 } else { 100.0 }).collect();
        assert_eq!(FallingTrend::of(&start), None);
        let phase: Vec<f64> =
            (0..100).map(|n| if (30..60).contains(&n) { 150.0 } else { 100.0 }).collect();
        assert_eq!(FallingTrend::of(&phase), None);
        assert_eq!(FallingTrend::of(&[200.0, 150.0, 100.0]), None);
    }
}
