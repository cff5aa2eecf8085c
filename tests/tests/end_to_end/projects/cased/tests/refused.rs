use perftest::perf_test;

#[perf_test(args = Vec::<u64>::new())]
fn empty(n: u64) -> u64 {
    n
}

#[perf_test(args = [("one", 1), ("one", 2)], names = |case| case.0)]
fn twins(case: &(&str, u64)) -> u64 {
    case.1
}

#[perf_test(args = [u64::MAX], names = |n: &u64| panic!("no name for {n}"))]
fn nameless(n: u64) -> u64 {
    n
}

#[perf_test(args = [3, -3], throughput = bytes(|n| *n))]
fn negative(n: i64) -> i64 {
    n
}

#[perf_test]
fn unconcerned() {}

perftest::main!();
