//! A measured quantity with its unit and its direction.

use super::InstructionCounter;
use crate::named;

named! {
    /// The direction in which a metric improves.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Direction {
        /// Smaller values are better: time, allocations.
        Lower = "lower",
        /// Larger values are better: throughput.
        Higher = "higher",
    }
}

impl Direction {
    /// Converts a ratio of values (new over old) to a degradation: above 1 is worse, for either
    /// direction.
    ///
    /// ```
    /// use perftest_core::model::Direction;
    /// assert_eq!(Direction::Lower.degradation(1.25), 1.25);
    /// assert_eq!(Direction::Higher.degradation(0.5), 2.0);
    /// ```
    pub fn degradation(self, ratio: f64) -> f64 {
        match self {
            Self::Lower => ratio,
            Self::Higher => 1.0 / ratio,
        }
    }
}

/// One measured quantity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Metric {
    /// Stable short name: `wall`.
    pub name: String,
    /// Unit of one value, per iteration: `ns`.
    pub unit: String,
    /// The better direction.
    pub direction: Direction,
}

impl Metric {
    /// Wall-clock time of one iteration, in nanoseconds. Excludes set-up, the dropping of
    /// outputs and the cost of the measuring loop itself.
    pub fn wall() -> Self {
        Self::lower("wall", "ns")
    }

    /// Allocations of one iteration, on all threads.
    pub fn allocations() -> Self {
        Self::lower("allocs", "allocs")
    }

    /// Bytes that one iteration allocates, whether it frees them or not.
    pub fn allocated_bytes() -> Self {
        Self::lower("alloc_bytes", "bytes")
    }

    /// Most bytes that one iteration holds at once.
    pub fn peak_bytes() -> Self {
        Self::lower("alloc_peak", "bytes")
    }

    /// Processor time that a started process and its ended children spent in their own code, in
    /// nanoseconds.
    pub fn user_time() -> Self {
        Self::lower("user", "ns")
    }

    /// Processor time that the system spent for a started process and its ended children, in
    /// nanoseconds.
    pub fn system_time() -> Self {
        Self::lower("system", "ns")
    }

    /// Most memory that a started process had resident at a time.
    pub fn peak_resident() -> Self {
        Self::lower("peak_rss", "bytes")
    }

    /// Instructions that one iteration executes in user space, with the making of its input and the
    /// drop of its output. Different counters do not agree exactly, so each has its own unit and
    /// history.
    pub fn instructions(counter: InstructionCounter) -> Self {
        Self::lower(INSTRUCTIONS, unit_of(counter))
    }

    /// Cycles of the core's clock that one iteration takes in user space, at any clock speed.
    pub fn cycles() -> Self {
        Self::lower("cycles", "cycles")
    }

    /// Mispredicted branches of one iteration.
    pub fn branch_misses() -> Self {
        Self::lower("branch_misses", "misses")
    }

    /// Memory accesses of one iteration that missed all caches.
    pub fn cache_misses() -> Self {
        Self::lower("cache_misses", "misses")
    }

    /// Returns whether the same code has the same value on every machine, however slow, hot or
    /// busy.
    ///
    /// ```
    /// use perftest_core::model::{InstructionCounter, Metric};
    /// assert!(Metric::instructions(InstructionCounter::Valgrind).is_deterministic());
    /// assert!(!Metric::cycles().is_deterministic());
    /// ```
    pub fn is_deterministic(&self) -> bool {
        // Reports ask each run of a store: without making a metric to compare with.
        self.name == INSTRUCTIONS
            && self.direction == Direction::Lower
            && InstructionCounter::ALL.iter().any(|counter| self.unit == unit_of(*counter))
    }

    /// Returns whether it counts allocations.
    ///
    /// ```
    /// use perftest_core::model::Metric;
    /// assert!(Metric::peak_bytes().is_of_allocations());
    /// assert!(!Metric::wall().is_of_allocations());
    /// ```
    pub fn is_of_allocations(&self) -> bool {
        [Self::allocations(), Self::allocated_bytes(), Self::peak_bytes()].contains(self)
    }

    pub(super) fn lower(name: &str, unit: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), direction: Direction::Lower }
    }
}

/// The name of the metric of instructions.
const INSTRUCTIONS: &str = "instructions";

/// The unit of instructions by their counter.
fn unit_of(counter: InstructionCounter) -> &'static str {
    match counter {
        InstructionCounter::Processor => "instructions",
        InstructionCounter::Valgrind => "instructions (valgrind)",
    }
}
