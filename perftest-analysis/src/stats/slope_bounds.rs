//! Bounds of the slope of values in their order.
//!
//! Definition: every two values have a slope, their difference over their distance in the order. The
//! median of all slopes is the estimate (Theil and Sen). Were the true slope taken out, every order of
//! the values would be equally likely, and how many slopes lie below the true one would have the
//! distribution of the inversions of a random order (Kendall): exact up to 50 values, and normal with
//! the correction for continuity beyond. Bounds take the conservative step.
//!
//! Source: Theil (1950); Sen (1968); Kendall (1938) for the distribution. Behaviour: 29% of the values
//! may be anywhere. Bounds without 0 are the trend test of Mann and Kendall. Ties make the bounds
//! wider than they need be. They hold for values that are independent: those of a machine that becomes
//! slower and faster over days show trends of nothing, so ask for few misses. A step is a trend too.
//! Cost: quadratic; 0.1 s for 2,000 values.

use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{conservative_step, normal_quantile, rank_interval};

const EXACT_UPTO: usize = 50;

/// Estimate and bounds of the slope from one value of `sample` to the next in their order, each
/// bound missing with at most `misrate_per_side`; `None` when the sample is too small for that
/// misrate (0.001 needs 7 values).
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::slope_bounds;
/// let rising = (0..30).map(|i| 100.0 + 0.5 * f64::from(i) + f64::from(i * 7 % 5));
/// let slope = slope_bounds(&Sample::new(rising.collect()).unwrap(), 0.001).unwrap();
/// assert!((slope.estimate - 0.5).abs() < 0.02);
/// assert!(slope.lower > 0.3 && slope.upper < 0.7);
/// ```
pub fn slope_bounds(sample: &Sample, misrate_per_side: f64) -> Option<Interval> {
    let margin = margin(sample.size(), misrate_per_side)?;
    let values = sample.values();
    let slopes = (0..values.len()).flat_map(|later| {
        (0..later).map(move |earlier| (values[later] - values[earlier]) / (later - earlier) as f64)
    });
    Some(rank_interval(slopes.collect(), margin))
}

/// Returns how many slopes may be dropped on each side.
fn margin(size: usize, misrate: f64) -> Option<usize> {
    if size < 2 {
        return None;
    }
    if size <= EXACT_UPTO {
        return conservative_step(inversions(size).into_iter(), misrate);
    }
    let size = size as f64;
    let middle = size * (size - 1.0) / 4.0;
    let deviation = (size * (size - 1.0) * (2.0 * size + 5.0) / 72.0).sqrt();
    let margin = middle + normal_quantile(misrate) * deviation - 0.5;
    (margin >= 0.0).then_some(margin as usize)
}

/// Returns the shares of all orders of `size` values that have 0, 1, 2, .. inversions.
fn inversions(size: usize) -> Vec<f64> {
    let mut shares = vec![1.0];
    for others in 1..size {
        // One value more stands in front of none to all of the others.
        let mut next = vec![0.0; shares.len() + others];
        let mut window = 0.0;
        for (count, share) in next.iter_mut().enumerate() {
            window += shares.get(count).copied().unwrap_or(0.0);
            window -= count.checked_sub(others + 1).map_or(0.0, |gone| shares[gone]);
            *share = window / (others + 1) as f64;
        }
        shares = next;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(values: &[f64], misrate: f64) -> Option<Interval> {
        slope_bounds(&Sample::new(values.to_vec()).unwrap(), misrate)
    }

    #[test]
    fn the_orders_of_four_values_have_the_inversions_that_can_be_counted_by_hand() {
        let counted = [1.0, 3.0, 5.0, 6.0, 5.0, 3.0, 1.0].map(|count| count / 24.0);
        let shares = inversions(4);
        assert_eq!(shares.len(), 7);
        assert!(std::iter::zip(shares, counted).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn the_slope_of_three_values_is_the_median_of_three_slopes() {
        // 1 to 3: 2; 3 to 2: -1; 1 to 2 over two places: 1/2. One order in six has no inversion.
        let slope = slope(&[1.0, 3.0, 2.0], 0.17).unwrap();
        assert_eq!((slope.lower, slope.estimate, slope.upper), (-1.0, 0.5, 2.0));
    }

    #[test]
    fn too_few_values_have_no_bounds() {
        assert_eq!(slope(&[1.0], 0.5), None);
        assert_eq!(slope(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.001), None);
        assert!(slope(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 0.001).is_some());
    }

    #[test]
    fn values_that_agree_have_no_slope_and_a_line_has_its_own() {
        let flat = slope(&[5.0; 60], 0.001).unwrap();
        assert_eq!((flat.lower, flat.estimate, flat.upper), (0.0, 0.0, 0.0));
        let line: Vec<f64> = (0..60).map(|i| 3.0 - 2.0 * f64::from(i)).collect();
        let slope = slope(&line, 0.001).unwrap();
        assert_eq!((slope.lower, slope.estimate, slope.upper), (-2.0, -2.0, -2.0));
    }

    #[test]
    fn a_quarter_of_far_values_does_not_break_it() {
        let values: Vec<f64> =
            (0..40).map(|i| if i % 4 == 0 { 1e9 } else { f64::from(i) }).collect();
        let slope = slope(&values, 0.001).unwrap();
        assert!((slope.estimate - 1.0).abs() < 0.1, "{slope:?}");
    }

    #[test]
    fn exact_and_normal_margins_meet() {
        for misrate in [0.05, 0.001] {
            let exact = conservative_step(inversions(50).into_iter(), misrate).unwrap();
            let next = margin(51, misrate).unwrap();
            // One value more has 50 slopes more, of which less than half may be left out.
            assert!((0..25).contains(&(next - exact)), "{exact} {next}");
        }
    }

    #[test]
    fn bounds_miss_the_true_slope_no_more_often_than_asked() {
        let mut random = pragmastat::Rng::from_seed(5);
        for size in [12, 60] {
            let missed = (0..1000).filter(|_| {
                let noise = |i: u32| 0.01 * f64::from(i) + random.uniform_f64();
                let values: Vec<f64> = (0..size).map(noise).collect();
                let slope = slope(&values, 0.05).unwrap();
                slope.lower > 0.01 || slope.upper < 0.01
            });
            // At most 100 expected, with a deviation of 10.
            let missed = missed.count();
            assert!((50..=125).contains(&missed), "{missed} of 1000 with {size} values");
        }
    }
}
