//! Rank bounds of the median of one sample.
//!
//! Definition: each value lies below the true median with probability 1/2, so the order statistics
//! that the sign test leaves are its bounds, with the conservative step. Source: Thompson 1936.
//! Behaviour: assumes nothing of the distribution, neither symmetry nor a single mode, which
//! [`center_bounds`](perftest_core::stats::center_bounds) does; 64% as efficient for normal samples. 11 values are
//! needed for one in a thousand on both sides.

use super::sign_margin::sign_margin;
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::rank_interval;

/// The median and its bounds, each missing with at most `misrate_per_side`; `None` when the sample
/// is too small for that misrate, which must be 2^-n at least.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::median_bounds;
/// let sample = Sample::new((1..=20).map(f64::from).collect()).unwrap();
/// let bounds = median_bounds(&sample, 0.025).unwrap();
/// assert_eq!((bounds.lower, bounds.estimate, bounds.upper), (6.0, 10.5, 15.0));
/// assert!(median_bounds(&sample, 1e-7).is_none());
/// ```
pub fn median_bounds(sample: &Sample, misrate_per_side: f64) -> Option<Interval> {
    let margin = sign_margin(sample.size(), misrate_per_side)?;
    Some(rank_interval(sample.sorted().to_vec(), margin))
}
