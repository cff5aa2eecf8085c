//! Counters of the processor's events.

use std::fmt;

/// What a processor counts of the code it executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Countable {
    /// Instructions that were executed to their end.
    Instructions,
    /// Cycles of the core's clock, at whatever speed it ran.
    Cycles,
    /// Branches that went elsewhere than the processor had guessed.
    BranchMisses,
    /// Accesses to memory that no cache answered.
    CacheMisses,
}

impl Countable {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Instructions, Self::Cycles, Self::BranchMisses, Self::CacheMisses];

    /// The name in reports: `instructions`, `cycles`, `branch misses`, `cache misses`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
            Self::BranchMisses => "branch misses",
            Self::CacheMisses => "cache misses",
        }
    }
}

/// Why something cannot be counted, and what would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncountable {
    /// The reason in a few words.
    pub why: String,
    /// What somebody could do about it.
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

/// Counts on systems of which no way to the processor's counters is known: there is none.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Counter {}

#[cfg(not(target_os = "linux"))]
impl Counter {
    /// Counts for the thread that calls it.
    ///
    /// # Errors
    /// Always.
    pub fn of_this_thread(_: Countable) -> Result<Self, Uncountable> {
        Err(Uncountable::new("not on this system", "on Linux they can be read"))
    }

    /// Events so far.
    ///
    /// # Errors
    /// Never, as there is no such counter.
    pub fn read(&self) -> Result<u64, Uncountable> {
        match *self {}
    }
}
