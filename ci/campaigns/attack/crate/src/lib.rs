//! Work of some microseconds, 1.5 times as long with the feature `slowed`, and what hostile bodies do.

mod misdeed;

pub use misdeed::misbehave;
use std::hint::black_box;

const ROUNDS: u64 = if cfg!(feature = "slowed") { 12_000 } else { 8_000 };

/// Mixes numbers, one after the other.
pub fn work() -> u64 {
    let mut state = black_box(1_u64);
    for _ in 0..black_box(ROUNDS) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).rotate_left(17);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[perftest::perf_test]
    fn inside() -> u64 {
        work()
    }

    #[test]
    fn an_ordinary_test_that_fails() {
        assert!(std::env::var_os("ATTACK_FAIL").is_none(), "asked to fail");
    }
}
