//! The speed of the machine beside the batches.

#![allow(unsafe_code)] // One system call; the block explains its safety.

use super::OneKind;
use super::run_queue::RunQueue;
use perftest_core::model::{CoreKind, Probes};
use perftest_machine::{DiskProbe, Sensors, SpeedProbe};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A reading stays valid for this long: a neighbour that slows the core does so for milliseconds or
/// longer.
const GOOD_FOR: Duration = Duration::from_millis(2);
/// The system counts processor time in steps of 10 ms, which is too coarse for shorter batches.
const LONG: Duration = Duration::from_millis(100);

/// Keeps the newest reading of the probes, so that short batches share one.
pub(crate) struct Surroundings {
    speed: SpeedProbe,
    disk: Option<DiskProbe>,
    sensors: Arc<Sensors>,
    run_queue: RunQueue,
    /// Run-queue wait of this thread at the newest reading of the probes or of the wait itself.
    waited_ns: Option<u64>,
    newest: Option<(Instant, Probes)>,
    /// Batches of this test are long enough to count the work of others.
    batches_are_long: bool,
}

/// The readings before a batch.
pub(super) struct BatchStart {
    began: Instant,
    probes: Probes,
    used_ms: Option<u64>,
}

impl Surroundings {
    /// Creates surroundings for the calling thread, without a reading. `disk` is only probed for tests that
    /// request it.
    pub(crate) fn new(speed: SpeedProbe, disk: Option<DiskProbe>, sensors: Arc<Sensors>) -> Self {
        Self {
            speed,
            disk,
            sensors,
            run_queue: RunQueue::of_this_thread(),
            waited_ns: None,
            newest: None,
            batches_are_long: false,
        }
    }

    /// Returns the newest reading of the probes while it is valid, else a new one.
    pub(super) fn before(&mut self) -> BatchStart {
        let probes = match self.newest {
            Some((taken, probes)) if taken.elapsed() < GOOD_FOR => probes,
            _ => self.read(),
        };
        let used_ms = if self.batches_are_long { self.sensors.used_ms() } else { None };
        BatchStart { began: Instant::now(), probes, used_ms }
    }

    /// Probes after a batch in which the process used `own_cpu_ns`. Returns the reading before the
    /// batch, or the mean with a new one if the batch outlasted the first reading.
    pub(super) fn after(&mut self, before: BatchStart, own_cpu_ns: Option<u64>) -> Probes {
        let elapsed = before.began.elapsed();
        self.batches_are_long = elapsed > LONG;
        let others_cpus = self.others_cpus(&before, elapsed, own_cpu_ns);
        let probes = match self.newest {
            Some((taken, _)) if taken.elapsed() < GOOD_FOR => before.probes,
            _ => mean(before.probes, self.read()),
        };
        Probes { others_cpus, ..probes }
    }

    /// Time that this thread waited for a processor since the newest reading of the probes or of
    /// the wait itself: slightly more than its wait in the last batch.
    pub(super) fn waited_ns(&mut self) -> Option<u64> {
        let now_ns = self.run_queue.wait_ns();
        let then_ns = std::mem::replace(&mut self.waited_ns, now_ns);
        Some(now_ns?.saturating_sub(then_ns?))
    }

    /// Kind of core of the calling thread; `None` if all cores are of one kind.
    pub(super) fn core_kind(&self) -> Option<CoreKind> {
        self.sensors.core_kind(current_cpu)
    }

    /// Keeps the calling thread on cores of one kind: see [`OneKind::enter`].
    pub(super) fn stay_on(&self, kind: Option<CoreKind>) -> Option<OneKind> {
        OneKind::enter(&self.sensors, kind)
    }

    fn others_cpus(&self, before: &BatchStart, took: Duration, own_ns: Option<u64>) -> Option<f64> {
        let used_ms = before.used_ms?;
        let used_ms = self.sensors.used_ms()?.saturating_sub(used_ms) as f64;
        Some((used_ms * 1e6 - own_ns? as f64).max(0.0) / took.as_nanos() as f64)
    }

    fn read(&mut self) -> Probes {
        let speed = self.speed.take();
        let probes = Probes {
            clock_ghz: speed.clock_ghz.get(),
            reference_ns: speed.reference_ns.get(),
            disk_ns: self.disk.as_mut().and_then(|disk| disk.take_ns().ok()),
            others_cpus: None,
        };
        self.waited_ns = self.run_queue.wait_ns();
        self.newest = Some((Instant::now(), probes));
        probes
    }
}

fn mean(before: Probes, after: Probes) -> Probes {
    let mean = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| (a + b) / 2.0).or(a).or(b);
    Probes {
        clock_ghz: mean(before.clock_ghz, after.clock_ghz),
        reference_ns: mean(before.reference_ns, after.reference_ns),
        disk_ns: mean(before.disk_ns, after.disk_ns),
        others_cpus: None,
    }
}

/// The processor the calling thread runs on.
#[cfg(target_os = "linux")]
fn current_cpu() -> Option<u32> {
    // SAFETY: the call has no argument and returns a number, negative on an error.
    let cpu = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).ok()
}

/// The processor of the calling thread: unknown on this system.
#[cfg(not(target_os = "linux"))]
fn current_cpu() -> Option<u32> {
    None
}
