//! A package whose perf tests are judged in many ways.

/// Takes some microseconds.
pub fn sum() -> u64 {
    let step = |sum: u64, number: u64| (sum ^ number).wrapping_mul(0x9e37_79b9);
    (0..5_000_u64).fold(std::hint::black_box(1), step)
}
