use perftest::perf_test;

#[perf_test(metrics = [wall, happiness])]
fn unknown() {}

#[perf_test(metrics = [cpu, allocs])]
fn without_wall() {}

#[perf_test(metrics = [])]
fn empty() {}

#[perf_test(metrics = [wall, cpu, cpu])]
fn repeated() {}

#[perf_test(metrics = "cpu")]
fn a_text() {}

#[perf_test(metrics = [wall, "cpu"])]
fn a_text_in_a_list() {}

#[perf_test(metrics)]
fn alone() {}

fn main() {}
