//! The work of its programs.

use std::hint::black_box;

/// Works for about two nanoseconds a step, `BURDEN` times: as on a machine that is as much slower.
pub fn work(steps: u64) {
    let burden = std::env::var("BURDEN").map_or(1, |burden| burden.parse().unwrap());
    (0..burden * steps).fold(7_u64, |state, step| black_box(state.wrapping_mul(31) ^ step));
}
