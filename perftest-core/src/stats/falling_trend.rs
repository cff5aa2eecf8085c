//! Falling times in the course of a run.
//!
//! Definition: with at least 40 values, those after the first two are cut into quarters; they fall
//! when the medians of the quarters never rise by more than 1% and the 3rd to 10th values have a
//! median above 1.15 times that of the last quarter. The first two values are left out, because a
//! first call is slow in every program.
//!
//! What is learned is learned fastest at first. So values that fall too slowly to get there at their present
//! rate will not be such a fall, and need not be awaited.
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
        let medians = medians_of_quarters(values)?;
        let trend = Self { early: Sample::median_of(&values[..EARLY])?, late: *medians.last()? };
        let never_rises = medians.windows(2).all(|pair| pair[1] <= STEADY * pair[0]);
        (never_rises && trend.early > FALL * trend.late).then_some(trend)
    }

    /// Whether these first values of `most` may be the beginning of a fall.
    pub fn may_begin_with(values: &[f64], most: usize) -> bool {
        let (so_far, whole) = (span(values.len()), span(most));
        if most < FEWEST || so_far <= 0.0 {
            return false;
        }
        let early = values.get(SETTLING..SETTLING + EARLY).and_then(Sample::median_of);
        let late = || medians_of_quarters(&values[SETTLING..])?.pop();
        let fallen = early.zip(late()).map(|(early, late)| (early / late).ln());
        fallen.is_some_and(|fallen| fallen * whole / so_far > FALL.ln())
    }
}

/// The distance from the middle of the early values to that of the last quarter, of so many values.
fn span(values: usize) -> f64 {
    let settled = values.saturating_sub(SETTLING) as f64;
    settled * 7.0 / 8.0 - EARLY as f64 / 2.0
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
    fn a_fall_is_awaited_from_its_beginning_and_flat_values_are_not() {
        const MOST: usize = 200;
        let course = |height: f64, length: f64| -> Vec<f64> {
            (0..MOST).map(|n| 100.0 + height * (-(n as f64) / length).exp()).collect()
        };
        let heights = (1..40).map(|n| 5.0 * f64::from(n));
        let courses = heights.flat_map(|it| [5.0, 20.0, 60.0, 200.0, 1e4].map(|to| course(it, to)));
        let falls = |values: &Vec<f64>| FallingTrend::of(values).is_some();
        let falling: Vec<Vec<f64>> = courses.filter(falls).collect();
        assert!(falling.len() > 50);
        for values in falling {
            for looked_at in [18, 36, 72, 144] {
                let first = &values[..looked_at];
                assert!(FallingTrend::may_begin_with(first, MOST), "{looked_at}: {first:?}");
            }
        }
        assert!(!FallingTrend::may_begin_with(&course(0.0, 60.0)[..18], MOST));
        assert!(!FallingTrend::may_begin_with(&course(300.0, 60.0)[..18], FEWEST - 1), "too few");
        for few in 0..SETTLING + EARLY {
            let values = &course(300.0, 60.0)[..few];
            assert!(!FallingTrend::may_begin_with(values, MOST), "too few to know");
        }
        let start: Vec<f64> = (0..18).map(|n| if n < 2 { 200.0 } else { 100.0 }).collect();
        assert!(!FallingTrend::may_begin_with(&start, MOST));
        let slight: Vec<f64> = (0..36).map(|n| if n < 18 { 102.0 } else { 100.0 }).collect();
        assert!(!FallingTrend::may_begin_with(&slight, MOST), "2% after 36 values are too few");
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
