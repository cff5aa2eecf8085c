use perftest::perf_test;

#[perf_test(threads)]
fn no_value() {}

#[perf_test(threads = 4)]
fn no_list() {}

#[perf_test(threads = [])]
fn an_empty_list() {}

#[perf_test(threads = [0])]
fn no_thread() {}

#[perf_test(threads = [1, 2_000])]
fn too_many() {}

#[perf_test(threads = [-1])]
fn fewer_than_none() {}

#[perf_test(threads = [4, 1, 0x4])]
fn a_number_twice() {}

#[perf_test(threads = [MOST])]
fn no_literal() {}

#[perf_test(threads = [1], threads = [4])]
fn repeated() {}

#[perf_test(threads = [1, 4])]
fn the_other_bencher(b: &mut Bencher) {}

#[perf_test]
fn without_threads(b: &mut ThreadBencher) {}

#[perf_test(threads = [1, 4], runtime = block_on)]
async fn a_task() {}

fn main() {}
