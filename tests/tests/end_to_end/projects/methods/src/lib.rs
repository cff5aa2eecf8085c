//! The work of its programs.

use std::hint::black_box;

/// Works for about two nanoseconds a step.
pub fn work(steps: u64) {
    (0..steps).fold(7_u64, |state, step| black_box(state.wrapping_mul(31) ^ step));
}
