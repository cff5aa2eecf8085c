//! Work whose amount the environment decides. `SLOW=3` is three times as much in a build with the
//! feature `slowed`: slower code. `BURDEN=3` is three times as much in every build, as on a slower
//! machine.

use std::hint::black_box;

/// Steps that depend on each other, so that no optimiser shortens them.
pub fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

/// How many times as much work is done as usual.
pub fn slow() -> u64 {
    let slower_code = if cfg!(feature = "slowed") { times("SLOW") } else { 1 };
    slower_code * times("BURDEN")
}

fn times(variable: &str) -> u64 {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// What only a test inside of the crate reaches.
#[cfg(test)]
fn private(steps: u64) -> u64 {
    work(steps)
}

#[cfg(test)]
mod tests {
    use super::{private, slow};
    use perftest::{Bencher, perf_test};

    #[perf_test(tolerance = "50%")]
    fn inner(b: &mut Bencher) {
        let steps = 2_000 * slow();
        b.iter(|| private(steps));
    }

    #[test]
    fn ordinary() {
        assert_eq!(private(0), 1);
    }
}
