//! The `main!` of a test target in a bench target.

#[perftest::perf_test]
fn sum() -> u64 {
    judged::sum()
}

perftest::main!();
