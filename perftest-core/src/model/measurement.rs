//! One recorded batch.

/// One batch: iterations between two clock reads, and what happened meanwhile.
///
/// Everything but `wall_ns` is read outside the two clock reads of the batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// Start, in nanoseconds since the run began.
    pub start_ns: u64,
    /// Calls of the function under test in this batch, at least 1.
    pub iterations: u64,
    /// Wall time between the two clock reads.
    pub wall_ns: f64,
    /// Time of one iteration in nanoseconds: `wall_ns` less the cost of the clock reads and of the
    /// empty loop, divided by `iterations`. Never negative. Set-up and drops are outside.
    pub value_ns: f64,
    /// Time the measuring thread spent on a processor during the batch.
    pub thread_cpu_ns: Option<u64>,
    /// Time all threads of the process spent on processors during the batch.
    pub process_cpu_ns: Option<u64>,
    /// Times the measuring thread was put aside against its will.
    pub involuntary_switches: Option<u64>,
    /// Times the measuring thread gave up the processor itself (it waited for something).
    pub voluntary_switches: Option<u64>,
}

impl Measurement {
    /// A batch of which only the time is known, as in a recorded series or a scripted test.
    pub fn of_value_ns(value_ns: f64) -> Self {
        Self {
            start_ns: 0,
            iterations: 1,
            wall_ns: value_ns,
            value_ns,
            thread_cpu_ns: None,
            process_cpu_ns: None,
            involuntary_switches: None,
            voluntary_switches: None,
        }
    }
}
