//! Two probes of the processor's speed, for every machine and above all for those without
//! sensors: its effective clock, and its throughput on a small kernel of ordinary work. And one of
//! the disk, for tests that ask for it.
//!
//! A slowed clock shows in both. A neighbour on the same physical core takes throughput away and
//! leaves the clock alone, and no counter of a virtual machine tells: only the ratio of the two
//! does. Each probe takes some 30 us and runs beside a batch, never inside.

mod clock;
mod disk;
mod instructions;
mod throughput;

pub use clock::{ClockProbe, ClockReading};
pub use disk::DiskProbe;
pub use throughput::ThroughputProbe;

use perftest_core::model::Reading;

/// Both probes, made ready once a process.
#[derive(Debug, Clone)]
pub struct SpeedProbe {
    clock: Reading<ClockProbe>,
    throughput: Reading<ThroughputProbe>,
}

/// What both probes said at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Effective clock.
    pub clock_ghz: Reading<f64>,
    /// Time of the reference kernel.
    pub reference_ns: Reading<f64>,
}

impl SpeedProbe {
    /// Makes the probes ready: less than a millisecond.
    ///
    /// ```
    /// let probe = perftest_machine::SpeedProbe::new();
    /// let speed = probe.take();
    /// if let Some(ghz) = speed.clock_ghz.get() {
    ///     assert!(ghz > 0.0);
    /// }
    /// ```
    pub fn new() -> Self {
        Self {
            clock: ClockProbe::calibrate().map_or_else(Reading::absent, Reading::Value),
            throughput: ThroughputProbe::new().map_or_else(Reading::absent, Reading::Value),
        }
    }

    /// Takes both probes: some 60 us.
    pub fn take(&self) -> Speed {
        let clock_ghz = match &self.clock {
            Reading::Value(clock) => {
                clock.take().map_or_else(Reading::absent, |it| Reading::Value(it.ghz))
            }
            Reading::Absent(why) => Reading::Absent(why.clone()),
        };
        let reference_ns = match &self.throughput {
            Reading::Value(throughput) => {
                throughput.take_ns().map_or_else(Reading::absent, Reading::Value)
            }
            Reading::Absent(why) => Reading::Absent(why.clone()),
        };
        Speed { clock_ghz, reference_ns }
    }
}

impl Default for SpeedProbe {
    fn default() -> Self {
        Self::new()
    }
}
