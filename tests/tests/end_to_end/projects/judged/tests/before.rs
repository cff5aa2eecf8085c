use perftest::perf_test;

#[perf_test]
fn sum() -> u64 {
    judged::sum()
}

perftest::main!();
