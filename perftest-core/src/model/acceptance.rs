//! A reviewed, bounded permission to be slower than before.

use super::BenchmarkId;

/// "This test may be up to `max_ratio` times its old level, because ..".
///
/// Bounded: an accepted 12 % does not hide 40 %.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// Identity of the entry.
    pub id: String,
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// Testbed it holds on; empty for all.
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
    /// Whether the entry speaks of this benchmark and testbed at this time.
    pub fn covers(&self, benchmark: &BenchmarkId, testbed: &str, now_ms: u64) -> bool {
        self.benchmark == *benchmark
            && (self.testbed.is_empty() || self.testbed == testbed)
            && self.until_ms.is_none_or(|until_ms| now_ms < until_ms)
    }
}
