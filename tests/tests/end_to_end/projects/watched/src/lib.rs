//! Work for tests of reports about the machine.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    (0..steps).fold(1, |state, step| black_box(state ^ step).rotate_left(7))
}

/// How many times as much work is done as usual: the environment decides.
pub fn slow() -> u64 {
    std::env::var("SLOW").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
