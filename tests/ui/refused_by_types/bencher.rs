//! The parameter is not a bencher.

#[perftest::perf_test]
fn bencher(_: &mut String) {}
