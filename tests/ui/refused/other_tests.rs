use perftest::perf_test;

#[perf_test]
#[test]
fn a_test() {}

#[perf_test]
#[bench]
fn a_bench() {}

#[perf_test]
#[tokio::test(flavor = "multi_thread")]
fn of_another_crate() {}

#[perf_test]
#[cfg_attr(not(test), inline, divan::bench)]
fn under_a_condition() {}

#[perf_test]
#[should_panic(expected = "overflow")]
fn a_panic() {}

#[perf_test]
#[perf_test]
fn twice() {}

fn main() {}
