use perftest::perf_test;

#[perf_test(inputs)]
fn no_value(input: u64) {}

#[perf_test(inputs = "make_input")]
fn text(input: u64) {}

#[perf_test(inputs = |i| i + 1)]
fn a_closure(input: u64) {}

#[perf_test(inputs = maker(3_000), ignore)]
fn a_call(input: u64) {}

#[perf_test(inputs = make_input, inputs = make_input)]
fn repeated(input: u64) {}

#[perf_test(inputs = make_input)]
fn no_parameter() {}

#[perf_test(inputs = make_input)]
fn a_bencher(bencher: &mut perftest::Bencher) {}

#[perf_test(inputs = make_input)]
fn two_parameters(input: u64, another: u64) {}

fn main() {}
