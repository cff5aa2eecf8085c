//! Work whose amount the environment decides, in a build with the feature `slowed`: `SLOW=3` is
//! three times as much.

use std::fs::File;
use std::hint::black_box;
use std::io::Write;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

/// So many allocations, none of which is spared.
pub fn allocate(count: u64) {
    (0..count).for_each(|number| drop(black_box(Box::new(number))));
}

/// Adds a line to the file of the variable `CALLS`.
pub fn count_call() {
    if let Some(calls) = std::env::var_os("CALLS") {
        let file = File::options().append(true).create(true).open(calls);
        file.unwrap().write_all(b"called\n").unwrap();
    }
}

/// How many times as much is done as usual.
pub fn slow() -> u64 {
    if cfg!(feature = "slowed") { number("SLOW").unwrap_or(1) } else { 1 }
}

/// A variable that is a number.
pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
