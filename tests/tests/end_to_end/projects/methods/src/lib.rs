//! The work of its programs.

use std::hint::black_box;

/// Works for more than a nanosecond a step, `BURDEN` times: as on a machine that is as much slower.
pub fn work(steps: u64) {
    let burden = std::env::var("BURDEN").map_or(1, |burden| burden.parse().unwrap());
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..burden * steps).fold(black_box(7), step));
}
