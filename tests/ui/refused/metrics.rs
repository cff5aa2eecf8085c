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

#[perf_test(metrics = [wall, allocs = 5])]
fn a_number_without_a_point() {}

#[perf_test(metrics = [wall, allocs = "0%"])]
fn no_tolerance() {}

#[perf_test(metrics = [wall, allocs =])]
fn without_a_tolerance() {}

#[perf_test(metrics = [wall = "5%", allocs])]
fn of_wall_time() {}

#[perf_test(metrics = [wall, allocs "1%"])]
fn without_an_equals_sign() {}

#[perf_test(metrics = [wall, allocs], threads = [2])]
fn nobody_knows_whose() {}

fn main() {}
