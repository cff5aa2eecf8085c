use perftest::perf_test;

#[perf_test(bytes)]
fn no_value() {}

#[perf_test(bytes = 64, items = 1)]
fn both() {}

#[perf_test(items = |n| *n)]
fn of_no_value() {}

#[perf_test(inputs = make_input, bytes = |n| *n)]
fn of_an_input(n: u64) {}

#[perf_test(bytes = 64, bytes = 65)]
fn repeated() {}

fn main() {}
