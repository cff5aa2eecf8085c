//! Work for tests of reports about the machine.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

/// How many times as much work is done as usual: the environment decides.
pub fn slow() -> u64 {
    std::env::var("SLOW").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
