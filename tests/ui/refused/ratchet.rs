use perftest::perf_test;

#[perf_test(ratchet = true)]
fn a_flag() {}

#[perf_test(ratchet("5%"))]
fn a_list() {}

#[perf_test(ratchet, budget = "1s", ratchet)]
fn repeated() {}

fn main() {}
