//! One recorded batch.

use super::CoreKind;

/// One batch: iterations between two clock reads, with their conditions.
///
/// Everything but `wall_ns` is read outside the two clock reads of the batch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measurement {
    /// Start, in nanoseconds since the run began.
    pub start_ns: u64,
    /// Calls of the function under test in this batch, at least 1.
    pub iterations: u64,
    /// Wall time between the two clock reads.
    pub wall_ns: f64,
    /// The value in this series, in the unit of its metric. For a time these are the nanoseconds of
    /// one iteration: `wall_ns`, which is without the cost of the clock reads, divided by
    /// `iterations`. Never negative. Excludes set-up and drops. For a count, or an author's own
    /// number, it is the number.
    pub value: f64,
    /// Time the measuring thread spent on a processor during the batch.
    pub thread_cpu_ns: Option<u64>,
    /// Time all threads of the process spent on processors during the batch.
    pub process_cpu_ns: Option<u64>,
    /// Time in which the measuring thread was ready to run and waited for a processor. It is read
    /// only if processor time is missing, and begins slightly before the batch: it explains an
    /// interruption and never proves one. If other threads of the process work too, it is the time
    /// in which all its threads waited for other work.
    pub wait_ns: Option<u64>,
    /// Longest time that one of several threads that work at once had no processor against its will: at their
    /// common start, or later. `None` for a single thread, and for more threads than processors, of which some
    /// always wait.
    pub apart_ns: Option<u64>,
    /// Times the measuring thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// Times the measuring thread gave up the processor itself (it waited for something).
    pub voluntary_switches: Option<u64>,
    /// Page faults of the measuring thread that needed the disk.
    pub major_faults: Option<u64>,
    /// Page faults of the measuring thread that did not.
    pub minor_faults: Option<u64>,
    /// Kind of core it ended on, on processors that have several.
    pub core_kind: Option<CoreKind>,
    /// How fast the machine was beside the batch.
    pub probes: Probes,
}

/// The speed of the machine, measured beside a batch and never inside.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Probes {
    /// Effective clock of the processor: counted cycles over time.
    pub clock_ghz: Option<f64>,
    /// Time of a small fixed kernel of ordinary work: the throughput of the core. A neighbour on
    /// the same physical core reduces it without changing the clock.
    pub reference_ns: Option<f64>,
    /// Time to write and sync a small file, if the test requests it.
    pub disk_ns: Option<f64>,
    /// Processors that others used meanwhile, known for long batches only.
    pub others_cpus: Option<f64>,
}

/// A body whose other threads use more than this share of the process's time works in threads. A convention.
const OTHER_THREADS: f64 = 0.2;

impl Measurement {
    /// Significant digits of a value in a record. A convention: they change a value by at most 5 in a million.
    pub const SIGNIFICANT_DIGITS: usize = 6;

    /// Returns whether threads beside the measuring one did much of the work.
    pub fn works_in_threads(&self) -> bool {
        let times = self.process_cpu_ns.zip(self.thread_cpu_ns);
        times.is_some_and(|(process_ns, thread_ns)| {
            process_ns.saturating_sub(thread_ns) as f64 > OTHER_THREADS * process_ns as f64
        })
    }

    /// Returns a time without the time off the processor; the value itself if that is unknown.
    pub fn value_on_processor(&self) -> f64 {
        match self.thread_cpu_ns {
            Some(cpu_ns) if self.wall_ns > 0.0 => self.value * cpu_ns as f64 / self.wall_ns,
            _ => self.value,
        }
    }

    /// Returns the batch of code that takes so many times as long.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let scaled = |ns: u64| (ns as f64 * factor).round() as u64;
        Self {
            wall_ns: self.wall_ns * factor,
            value: self.value * factor,
            thread_cpu_ns: self.thread_cpu_ns.map(scaled),
            process_cpu_ns: self.process_cpu_ns.map(scaled),
            ..*self
        }
    }

    /// Creates a batch with only a value, as in a recorded series or a scripted test.
    pub fn of_value(value: f64) -> Self {
        Self { iterations: 1, wall_ns: value, value, ..Self::default() }
    }
}
