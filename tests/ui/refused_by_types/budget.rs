//! The constant is not a duration.
use perftest::perf_test;

#[perf_test(budget = 1 + 1)]
fn budget() {}
