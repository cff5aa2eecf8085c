use perftest::perf_test;

#[perf_test]
fn sum() -> u64 {
    assert!(cfg!(debug_assertions));
    let step = |sum: u64, number: u64| (sum ^ number).wrapping_mul(0x9e37_79b9);
    (0..100_u64).fold(std::hint::black_box(1), step)
}

perftest::main!();
