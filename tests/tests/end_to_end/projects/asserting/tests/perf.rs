use perftest::perf_test;

#[perf_test]
fn sum() -> u64 {
    assert!(cfg!(debug_assertions));
    (0..100_u64).fold(0, |sum, number| std::hint::black_box(sum ^ number).rotate_left(7))
}

perftest::main!();
