//! A package whose perf tests are judged in many ways.

/// Takes some microseconds.
pub fn sum() -> u64 {
    (0..5_000_u64).fold(0, |sum, number| std::hint::black_box(sum + number).rotate_left(7))
}
