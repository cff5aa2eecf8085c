//! Work whose amount the environment decides.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

/// How many times as much work is done as usual: `SLOW` in a build with the feature `slowed`, and
/// `BURDEN` in every one.
pub fn slow() -> u64 {
    let slower_code = if cfg!(feature = "slowed") { times("SLOW") } else { 1 };
    slower_code * times("BURDEN")
}

fn times(variable: &str) -> u64 {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
