//! Falling times in the course of a run.
//!
//! Definition: with at least 40 values, those after the first two are cut into quarters; they fall
//! when the medians of the quarters never rise by more than 1% and the 3rd to 10th values have a
//! median above 1.15 times that of the last quarter. The first two values are left out, because a
//! first call is slow in every program.
//!
//! Source of the thresholds: recorded runs of a map with 3,000 insertions of the same keys (203 us
//! at first, 83 us after 60 and 63 us after 100 iterations) beside runs with fresh keys (163 to
//! 167 us throughout).

use crate::list::IntoList;
use crate::model::Sample;

const FEWEST: usize = 40;
const SETTLING: usize = 2;
const EARLY: usize = 8;
const FALL: f64 = 1.15;
const STEADY: f64 = 1.01;

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
        let quarters = values.chunks(values.len().div_ceil(4));
        let medians = quarters.map(Sample::median_of).into_list_of_some()?;
        let trend = Self { early: Sample::median_of(&values[..EARLY])?, late: *medians.last()? };
        let never_rises = medians.windows(2).all(|pair| pair[1] <= STEADY * pair[0]);
        (never_rises && trend.early > FALL * trend.late).then_some(trend)
    }
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
    fn a_slow_start_and_a_slow_phase_in_the_middle_are_no_fall() {
        let start: Vec<f64> = (0..100).map(|n| if n < 2 { 200.0 } else { 100.0 }).collect();
        assert_eq!(FallingTrend::of(&start), None);
        let phase: Vec<f64> =
            (0..100).map(|n| if (30..60).contains(&n) { 150.0 } else { 100.0 }).collect();
        assert_eq!(FallingTrend::of(&phase), None);
        assert_eq!(FallingTrend::of(&[200.0, 150.0, 100.0]), None);
    }
}
