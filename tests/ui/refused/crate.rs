use perftest::perf_test;

#[perf_test(crate)]
fn no_value() {}

#[perf_test(crate = "perftest")]
fn text() {}

fn main() {}
