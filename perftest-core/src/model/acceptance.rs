//! A reviewed, bounded permission to be slower than before.

use super::{BenchmarkId, BenchmarkPattern, Run};
use crate::text::Text;

/// "These tests may be up to `max_ratio` times their old level, because ..".
///
/// Bounded: an accepted 12% does not hide 40%.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// Identity of the entry.
    pub id: String,
    /// The perf tests.
    pub benchmark: BenchmarkPattern,
    /// Testbed it holds on, at every speed of the machine unless it names one; empty or `*` for all.
    pub testbed: String,
    /// Largest accepted ratio to the level before, above 1.
    pub max_ratio: f64,
    /// Why, in the author's words.
    pub reason: String,
    /// When it was given, milliseconds since the Unix epoch.
    pub given_ms: u64,
    /// When it ends, milliseconds since the Unix epoch; `None` while it stands.
    pub until_ms: Option<u64>,
}

impl Acceptance {
    /// Returns whether the entry applies to this benchmark and testbed at this time.
    pub fn covers(&self, benchmark: &BenchmarkId, testbed: &str, now_ms: u64) -> bool {
        self.benchmark.matches(benchmark)
            && (self.holds_on_every_testbed() || Self::names_testbed(&self.testbed, testbed))
            && !self.is_over(now_ms)
    }

    /// Returns whether the entry applies on every testbed.
    pub fn holds_on_every_testbed(&self) -> bool {
        self.testbed.is_empty() || self.testbed == "*"
    }

    /// Returns whether `name` means this testbed: it is its name, or that of its machine at every speed.
    pub fn names_testbed(name: &str, testbed: &str) -> bool {
        let machine = testbed.parts("@").next().unwrap_or_default();
        [testbed, machine].contains(&name)
    }

    /// Returns whether its end has passed.
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.until_ms.is_some_and(|until_ms| until_ms <= now_ms)
    }

    /// Returns whether it is temporary: then the old level stays, and runs that pass by it do not
    /// count for the baseline. Without an end, a new level begins.
    pub fn is_temporary(&self) -> bool {
        self.until_ms.is_some()
    }

    /// Returns whether the run was taken while the entry covered the test.
    ///
    /// The time does not decide that: an entry that is written on a branch reaches other checkouts,
    /// and their histories, only when the branch is merged.
    pub fn holds_for(&self, run: &Run) -> bool {
        run.acceptance.as_ref() == Some(&self.id)
    }
}
