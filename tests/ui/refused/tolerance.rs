use perftest::perf_test;

#[perf_test(tolerance)]
fn no_value() {}

#[perf_test(tolerance = "0%")]
fn zero() {}

#[perf_test(tolerance = "-5%")]
fn negative() {}

#[perf_test(tolerance = "901%")]
fn too_large() {}

#[perf_test(tolerance = "5")]
fn no_percent() {}

#[perf_test(tolerance = "abc")]
fn no_number() {}

#[perf_test(tolerance = 5)]
fn integer() {}

#[perf_test(tolerance = -0.1)]
fn negative_share() {}

#[perf_test(tolerance = 10.5)]
fn too_large_a_ratio() {}

#[perf_test(tolerance = 1.0)]
fn share_or_ratio() {}

fn main() {}
