use perftest::perf_test;

#[perf_test(throughput)]
fn no_value() {}

#[perf_test(throughput = 64)]
fn no_unit() {}

#[perf_test(throughput = bytes)]
fn no_amount() {}

#[perf_test(throughput = bytes())]
fn an_empty_amount() {}

#[perf_test(throughput = lines(64))]
fn another_unit() {}

#[perf_test(throughput = bytes(64) + 1)]
fn an_expression() {}

#[perf_test(throughput = items(|n| *n))]
fn of_no_value() {}

#[perf_test(throughput = bytes(64), throughput = items(1))]
fn repeated() {}

fn main() {}
