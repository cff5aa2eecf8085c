//! A mistake in the attribute does not hide one in the function.
use perftest::perf_test;

#[perf_test(tolerance = "5")]
unsafe fn both() {}

fn main() {}
