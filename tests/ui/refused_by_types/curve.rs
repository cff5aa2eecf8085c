//! The curve ends below what is tolerated.
use perftest::perf_test;

#[perf_test(expert(curve = [(2, 4.0), (30, 1.04)]))]
fn below_the_default() {}

const TOLERATED: f64 = 0.2;

#[perf_test(tolerance = TOLERATED, expert(curve = [(9, 1.1)]))]
fn below_a_constant() {}
