//! The system's monotonic clock.

use std::time::Instant;

/// Wall time of `work` in nanoseconds.
#[inline]
pub(super) fn time_ns(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}
