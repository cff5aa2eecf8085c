//! Work that is slower for one case only: `SLOW=3` is three times as much of it in a build with the
//! feature `slowed`, for the larger numbers.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    let slow = std::env::var("SLOW").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let times = if cfg!(feature = "slowed") && steps > 2_000 { slow } else { 1 };
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps * times).fold(black_box(1), step))
}
