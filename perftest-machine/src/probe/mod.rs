//! Probes of the processor's speed for every machine, above all for machines without sensors: the
//! effective clock, and the throughput on a small kernel of ordinary work. A third probe measures the
//! disk, for tests that request it.
//!
//! A slower clock changes both. A neighbour on the same physical core reduces the throughput but not
//! the clock. No counter of a virtual machine shows that; only the ratio of both probes does. Each
//! probe takes some 30 us and runs beside a batch, never inside.

mod clock;
mod disk;
mod instructions;
mod throughput;

pub use clock::ClockProbe;
pub use disk::DiskProbe;
pub use throughput::ThroughputProbe;

use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::model::Reading;

/// Both probes of the processor, prepared once a process.
#[derive(Debug, Clone)]
pub struct SpeedProbe {
    clock: SensorAnswer<ClockProbe>,
    throughput: SensorAnswer<ThroughputProbe>,
}

/// The readings of both probes at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Effective clock.
    pub clock_ghz: Reading<f64>,
    /// Time of the reference kernel.
    pub reference_ns: Reading<f64>,
}

impl SpeedProbe {
    /// Prepares the probes; takes less than a millisecond.
    ///
    /// ```
    /// let probe = perftest_machine::SpeedProbe::new();
    /// let speed = probe.take();
    /// if let Some(ghz) = speed.clock_ghz.get() {
    ///     assert!(ghz > 0.0);
    /// }
    /// ```
    pub fn new() -> Self {
        Self { clock: ClockProbe::calibrate(), throughput: ThroughputProbe::new() }
    }

    /// Takes both probes: some 60 us.
    pub fn take(&self) -> Speed {
        let clock = self.clock.as_ref().map_err(String::clone);
        let throughput = self.throughput.as_ref().map_err(String::clone);
        Speed {
            clock_ghz: reading(clock.and_then(ClockProbe::take_ghz)),
            reference_ns: reading(throughput.and_then(ThroughputProbe::take_ns)),
        }
    }
}

impl Default for SpeedProbe {
    fn default() -> Self {
        Self::new()
    }
}
