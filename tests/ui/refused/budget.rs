use perftest::perf_test;

#[perf_test(budget)]
fn no_value() {}

#[perf_test(budget = "0s")]
fn zero() {}

#[perf_test(budget = "-1s")]
fn negative() {}

#[perf_test(budget = "soon")]
fn no_number() {}

#[perf_test(budget = "2")]
fn no_unit() {}

#[perf_test(budget = "2 days")]
fn unknown_unit() {}

#[perf_test(budget = 2)]
fn integer() {}

#[perf_test(budget = 0.5)]
fn float() {}

fn main() {}
