//! Work for several threads, and for two functions that are compared.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

/// How many times as much slower code does.
pub fn slow() -> u64 {
    if cfg!(feature = "slowed") { times("SLOW") } else { 1 }
}

/// The value of the variable, 1 without it.
pub fn times(variable: &str) -> u64 {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Whether this is a fresh process that measures for another one.
pub fn is_fresh() -> bool {
    std::env::var_os("PERFTEST_WORKER").is_some()
}
