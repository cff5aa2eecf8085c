use perftest::perf_test;

#[perf_test]
fn sum() -> u64 {
    (0..100_u64).sum()
}

perftest::main!();
