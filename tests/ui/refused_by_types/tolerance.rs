//! The constant is no tolerance.
use perftest::perf_test;

const TEN_TIMES: f64 = 10.0;

#[perf_test(tolerance = TEN_TIMES)]
fn tolerance() {}
