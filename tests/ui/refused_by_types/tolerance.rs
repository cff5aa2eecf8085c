//! The constant is no tolerance.
use perftest::perf_test;

const TEN_TIMES_MORE: f64 = 11.0;

#[perf_test(tolerance = TEN_TIMES_MORE)]
fn tolerance() {}
