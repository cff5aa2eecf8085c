//! Counters of the processor's events.

use perftest_core::named;
use std::fmt;

named! {
    /// An event that the processor counts while code runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Countable {
        /// Retired instructions.
        Instructions = "instructions",
        /// Cycles of the core's clock, at whatever speed it ran.
        Cycles = "cycles",
        /// Mispredicted branches.
        BranchMisses = "branch misses",
        /// Memory accesses that missed all caches.
        CacheMisses = "cache misses",
    }
}

/// The reason why an event cannot be counted, with a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncountable {
    /// The reason in a few words.
    pub why: String,
    /// How to make it countable.
    pub help: String,
}

impl Uncountable {
    pub(crate) fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into() }
    }
}

impl fmt::Display for Uncountable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.why, self.help)
    }
}

impl std::error::Error for Uncountable {}

/// A counter on systems whose processor counters this crate cannot read: it never exists.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Counter {}

#[cfg(not(target_os = "linux"))]
impl Counter {
    /// Starts to count for the calling thread.
    ///
    /// # Errors
    /// Always.
    pub fn of_this_thread(_: Countable) -> Result<Self, Uncountable> {
        Err(Uncountable::new("not on this system", "on Linux they can be read"))
    }

    /// Returns the events so far.
    ///
    /// # Errors
    /// Never, as there is no such counter.
    pub fn read(&self) -> Result<u64, Uncountable> {
        match *self {}
    }
}
