//! Ties of a coarse clock, pulled apart.
//!
//! Definition: a group of k values closer together than half the resolution s is spread evenly
//! over the interval that rounding made one value of: the r-th of them, r from 0 to k - 1, moves
//! by s (u - 1/2) with u = r / (k - 1). At the smallest value by s u / 2 and at the largest by
//! s (u - 1) / 2, so that the range stays. Single values and a sample of one value stay.
//!
//! Source: Akinshin, "Jittering of discrete samples" (2024). Behaviour: no chance in it, so the
//! same values give the same answer. Without it [`modes`](perftest_core::stats::modes) takes the ticks of a
//! clock for modes: in normal values rounded to half their deviation, 82 to 100% of samples of
//! 100 and more; with it none.

use perftest_core::model::Sample;

/// The values of `sample` in ascending order, with ties within the measurement's `resolution`
/// spread over it. A resolution of 0 or less leaves them as they are.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::jittered;
/// let ticks = Sample::new(vec![1.0, 2.0, 2.0, 2.0, 3.0]).unwrap();
/// assert_eq!(jittered(&ticks, 1.0).sorted(), [1.0, 1.5, 2.0, 2.5, 3.0]);
/// ```
pub fn jittered(sample: &Sample, resolution: f64) -> Sample {
    let sorted = sample.sorted();
    let (least, largest) = (sorted[0], sorted[sorted.len() - 1]);
    if resolution.is_nan() || resolution <= 0.0 || largest - least < resolution / 2.0 {
        return sample.clone();
    }
    let mut spread = Vec::with_capacity(sorted.len());
    let mut rest = sorted;
    while let Some(first) = rest.first() {
        let size = rest.partition_point(|value| value - first < resolution / 2.0);
        let (group, after) = rest.split_at(size);
        let (from, width) = if *first == least {
            (0.0, resolution / 2.0)
        } else if after.is_empty() {
            (-resolution / 2.0, resolution / 2.0)
        } else {
            (-resolution / 2.0, resolution)
        };
        let steps = (size - 1).max(1) as f64;
        spread.extend(group.iter().enumerate().map(|(rank, value)| match size {
            1 => *value,
            _ => value + from + width * rank as f64 / steps,
        }));
        rest = after;
    }
    // Finite values moved by less than a finite resolution; only at the end of the range of
    // numbers can one of them overflow.
    Sample::new(spread).unwrap_or_else(|_| sample.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::modes;

    #[test]
    fn the_range_stays_and_values_that_all_agree_stay_too() {
        let ticks = Sample::new(vec![5.0, 5.0, 6.0, 7.0, 7.0]).unwrap();
        assert_eq!(jittered(&ticks, 1.0).sorted(), [5.0, 5.5, 6.0, 6.5, 7.0]);
        let same = Sample::new(vec![5.0; 3]).unwrap();
        assert_eq!(jittered(&same, 1.0), same);
        assert_eq!(jittered(&ticks, 0.0), ticks);
    }

    #[test]
    fn the_ticks_of_a_clock_are_no_modes_once_they_are_spread() {
        let counts = [2, 8, 18, 33, 40, 33, 18, 8, 2];
        let ticks = std::iter::zip(10_u32.., counts)
            .flat_map(|(tick, count)| std::iter::repeat_n(f64::from(tick), count));
        let ticks = Sample::new(ticks.collect()).unwrap();
        assert!(modes(&ticks).len() > 1);
        assert_eq!(modes(&jittered(&ticks, 1.0)).len(), 1);
    }
}
