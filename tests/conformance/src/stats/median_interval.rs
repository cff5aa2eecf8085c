//! An interval of the median between two of the values.
//!
//! Definition: how many of n values lie below the median of their distribution is binomial with one
//! half. Between the l-th and the r-th value it lies with the probability of l to r - 1 of them; from the
//! middle outwards, places are added in the order of their probabilities, on the left first, until the
//! asked one is reached. Beyond 30 values the binomial is taken as normal, with the correction for
//! continuity.
//!
//! Source: the order statistics interval (Hahn and Meeker 1991) as Go's `benchmath` picks its places.
//! Behaviour: never narrower than asked for, and a bound is infinite where there are too few values (95%
//! needs 6, 99% needs 8).

use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{normal_quantile, normal_upper_tail};

const EXACT_UPTO: usize = 30;
/// Sizes that [`fewest_for_median_interval`] tries.
const MOST_TRIED: usize = 50;

/// The median and an interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    /// The median and its bounds, which may be infinite.
    pub interval: Interval,
    /// Probability that the interval has the median in it, at least the asked one.
    pub confidence: f64,
}

/// The median of `sample` with bounds that miss it with at most `1 - confidence`.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::median_interval;
/// let six = Sample::new(vec![-10.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
/// let median = median_interval(&six, 0.95);
/// assert_eq!((median.interval.lower, median.interval.upper), (-10.0, 6.0));
/// assert_eq!(median.confidence, 0.96875);
/// ```
pub fn median_interval(sample: &Sample, confidence: f64) -> MedianInterval {
    let places = Places::of(sample.size(), confidence);
    let sorted = sample.sorted();
    let lower = places.first.checked_sub(1).map_or(f64::NEG_INFINITY, |place| sorted[place]);
    let upper = sorted.get(places.last - 1).copied().unwrap_or(f64::INFINITY);
    MedianInterval {
        interval: Interval { estimate: sample.median(), lower, upper },
        confidence: places.confidence,
    }
}

/// The fewest values, at least 2, with which both bounds are finite; `None` where 50 are too few.
///
/// ```
/// use perftest_conformance::stats::fewest_for_median_interval;
/// assert_eq!(fewest_for_median_interval(0.95), Some(6));
/// assert_eq!(fewest_for_median_interval(1.0), None);
/// ```
pub fn fewest_for_median_interval(confidence: f64) -> Option<usize> {
    (2..=MOST_TRIED).find(|size| {
        let places = Places::of(*size, confidence);
        places.first > 0 && places.last <= *size
    })
}

/// The values that bound the median, counted from 1; 0 and one past the last are infinite.
struct Places {
    first: usize,
    last: usize,
    confidence: f64,
}

impl Places {
    fn of(size: usize, confidence: f64) -> Self {
        if confidence >= 1.0 {
            Self { first: 0, last: size + 1, confidence: 1.0 }
        } else if size <= EXACT_UPTO {
            Self::exact(size, confidence)
        } else {
            Self::approximate(size, confidence)
        }
    }

    fn exact(size: usize, confidence: f64) -> Self {
        let shares = half_binomial(size);
        let share = |place: usize| shares.get(place).copied().unwrap_or(0.0);
        // The lower of two modes.
        let mut first = size / 2;
        let mut last = first + 1;
        let mut reached = share(first);
        while reached < confidence {
            let left = if first > 0 { share(first - 1) } else { 0.0 };
            let right = share(last);
            if left == 0.0 && right == 0.0 {
                break;
            }
            if left >= right {
                first -= 1;
                reached += left;
            } else {
                last += 1;
                reached += right;
            }
        }
        Self { first, last, confidence: reached }
    }

    fn approximate(size: usize, confidence: f64) -> Self {
        let (middle, deviation) = (size as f64 / 2.0, (size as f64).sqrt() / 2.0);
        let reach = -normal_quantile((1.0 - confidence) / 2.0) * deviation;
        let first = (middle - reach - 0.5).floor() + 1.0;
        let last = (middle + reach - 0.5).ceil() + 1.0;
        let between = |first: f64, last: f64| {
            let above = |place: f64| normal_upper_tail((place - 0.5 - middle) / deviation);
            above(first) - above(last)
        };
        let (wide, narrow) = (between(first, last), between(first, last - 1.0));
        let (last, reached) = match narrow >= confidence && narrow < wide {
            true => (last - 1.0, narrow),
            false => (last, wide),
        };
        let most = size as f64 + 1.0;
        let is_everything = first <= 0.0 && last >= most;
        Self {
            first: first.max(0.0) as usize,
            last: last.min(most) as usize,
            confidence: if is_everything { 1.0 } else { reached },
        }
    }
}

/// Probability of 0 to `size` heads of as many fair coins.
fn half_binomial(size: usize) -> Vec<f64> {
    let mut share = 0.5_f64.powi(size as i32);
    let next = |heads: usize| {
        let this = share;
        share = share * (size - heads) as f64 / (heads + 1) as f64;
        this
    };
    (0..=size).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(size: usize, confidence: f64) -> (usize, usize) {
        let places = Places::of(size, confidence);
        assert!(places.confidence >= confidence);
        (places.first, places.last)
    }

    #[test]
    fn the_left_is_taken_first_where_both_sides_are_as_likely() {
        assert_eq!(places(4, 0.001), (2, 3));
        assert_eq!(places(4, 0.375), (2, 3));
        assert_eq!(places(4, 0.375_000_1), (1, 3));
        assert_eq!(places(4, 0.99 - 0.0625), (0, 4));
        assert_eq!(places(5, 0.3125), (2, 3));
        assert_eq!(places(5, 0.312_500_1), (2, 4));
        assert_eq!(places(5, 0.99), (0, 6));
    }

    #[test]
    fn one_value_bounds_nothing() {
        let one = median_interval(&Sample::new(vec![1.0]).unwrap(), 0.95);
        assert_eq!((one.interval.lower, one.interval.upper), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(one.confidence, 1.0);
    }

    #[test]
    fn the_normal_places_of_many_values_are_those_of_the_binomial_or_next_to_them() {
        for size in [31, 40, 64, 101] {
            for confidence in [0.5, 0.9, 0.95, 0.99] {
                let exact = Places::exact(size, confidence);
                let near = Places::approximate(size, confidence);
                assert!(exact.first.abs_diff(near.first) <= 1, "{size} {confidence}");
                assert!(exact.last.abs_diff(near.last) <= 1, "{size} {confidence}");
            }
        }
    }

    #[test]
    fn sizes_that_are_enough_are_the_published_ones() {
        assert_eq!(fewest_for_median_interval(0.99), Some(8));
        assert_eq!(fewest_for_median_interval(0.0), Some(2));
    }
}
