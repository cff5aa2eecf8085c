//! The effective clock: how many cycles pass in a nanosecond.

use super::instructions::{DEPENDENT_IN_A_ROUND, KNOWN, dependent};
use std::time::Instant;

/// Chunks of a probe, of which the best counts: an interrupt of 20 us hits every fiftieth chunk.
const CHUNKS: usize = 8;
/// Length of a chunk at the clock of an ordinary core.
const CHUNK_NS: f64 = 4_000.0;
const ORDINARY_GHZ: f64 = 4.0;
/// The fewest steps of the timing clock in a chunk ..
const STEPS: f64 = 250.0;
/// .. where the clock is coarse. A smaller step is the time of two reads.
const COARSE_NS: f64 = 40.0;
/// A clock without a step in this many reads has stopped.
const READS: usize = 100_000;

/// Measures cycles per nanosecond with chunks of dependent instructions of one cycle each.
///
/// The scale rests on "one cycle each", so compare its readings with those of the same machine;
/// as a clock in GHz it agrees with hardware counters where there are any. Reads within 1.2%
/// (1st to 99th percentile) in a quiet virtual machine, and no worse when all its processors are
/// loaded, because the best chunk counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockProbe {
    rounds: u64,
}

impl ClockProbe {
    /// A probe whose chunks suit the clock's steps.
    ///
    /// # Errors
    /// Why the clock of this machine cannot be probed.
    pub fn calibrate() -> Result<Self, String> {
        if !KNOWN && cfg!(debug_assertions) {
            return Err("the clock probe needs an optimised build on this architecture".into());
        }
        let origin = Instant::now();
        Self::with_step(step_ns(|| origin.elapsed().as_nanos() as f64)?)
    }

    fn with_step(step_ns: f64) -> Result<Self, String> {
        let chunk_ns = if step_ns < COARSE_NS { CHUNK_NS } else { STEPS * step_ns };
        let cycles = chunk_ns.max(CHUNK_NS) * ORDINARY_GHZ;
        // A probe of a tenth of a second would be too slow.
        match cycles < 1e8 {
            true => Ok(Self { rounds: (cycles / DEPENDENT_IN_A_ROUND as f64) as u64 }),
            false => Err("the system's clock is too coarse to probe the processor's".into()),
        }
    }

    /// Cycles in a nanosecond, in the best chunk; takes about 32 us.
    ///
    /// # Errors
    /// When the clock stopped meanwhile.
    pub fn take_ghz(&self) -> Result<f64, String> {
        let origin = Instant::now();
        self.take_with(|| origin.elapsed().as_nanos() as f64, dependent)
    }

    fn take_with(&self, now_ns: impl Fn() -> f64, run: impl Fn(u64)) -> Result<f64, String> {
        let mut best_ns = f64::INFINITY;
        for _ in 0..CHUNKS {
            let start_ns = now_ns();
            run(self.rounds);
            let chunk_ns = now_ns() - start_ns;
            // Ignore a chunk during which the clock was set back.
            if chunk_ns > 0.0 {
                best_ns = best_ns.min(chunk_ns);
            }
        }
        if best_ns.is_infinite() {
            return Err("the system's clock stands still".into());
        }
        Ok((self.rounds * DEPENDENT_IN_A_ROUND) as f64 / best_ns)
    }
}

/// The smallest step a clock shows.
fn step_ns(now_ns: impl Fn() -> f64) -> Result<f64, String> {
    let (mut smallest_ns, mut steps) = (f64::INFINITY, 0);
    let mut last_ns = now_ns();
    for _ in 0..READS {
        let read_ns = now_ns();
        if read_ns > last_ns {
            smallest_ns = smallest_ns.min(read_ns - last_ns);
            steps += 1;
        }
        if steps == 100 {
            break;
        }
        last_ns = read_ns;
    }
    match steps {
        0 => Err("the system's clock stands still".into()),
        _ => Ok(smallest_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const PROBE: ClockProbe = ClockProbe { rounds: 250 };

    /// A clock that goes on by these nanoseconds in each chunk.
    fn probed_ghz(chunks_ns: [f64; CHUNKS]) -> Result<f64, String> {
        let (time_ns, chunk) = (Cell::new(0.0), Cell::new(0));
        PROBE.take_with(
            || time_ns.get(),
            |_| {
                time_ns.set(time_ns.get() + chunks_ns[chunk.get()]);
                chunk.set(chunk.get() + 1);
            },
        )
    }

    #[test]
    fn a_probe_that_was_interrupted_keeps_its_clock() {
        let mut chunks_ns = [4_000.0; CHUNKS];
        chunks_ns[2] = 9_000_000.0;
        chunks_ns[5] = 24_000.0;
        assert_eq!(probed_ghz(chunks_ns), Ok(4.0));
    }

    #[test]
    fn a_clock_that_stands_still_is_reported() {
        assert_eq!(probed_ghz([0.0; CHUNKS]), Err("the system's clock stands still".into()));
        assert_eq!(step_ns(|| 5.0), Err("the system's clock stands still".into()));
    }

    #[test]
    fn a_clock_set_back_in_the_middle_costs_one_chunk() {
        let mut chunks_ns = [4_000.0; CHUNKS];
        chunks_ns[3] = -1e12;
        assert_eq!(probed_ghz(chunks_ns), Ok(4.0));
    }

    #[test]
    fn chunks_grow_with_the_steps_of_the_clock() {
        let rounds = |step_ns| ClockProbe::with_step(step_ns).unwrap().rounds;
        assert_eq!(rounds(30.0), 250);
        assert_eq!(rounds(100.0), 1_562);
        assert!(ClockProbe::with_step(15_600_000.0).is_err());
    }

    #[test]
    fn this_machine_has_a_clock_between_a_tenth_and_ten_gigahertz() {
        if KNOWN {
            let ghz = ClockProbe::calibrate().unwrap().take_ghz().unwrap();
            assert!((0.1..10.0).contains(&ghz), "{ghz}");
        }
    }
}
