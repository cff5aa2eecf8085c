//! The work of a perf test.

use crate::named;

/// The work of one iteration, for its throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The amount.
    pub amount: u64,
    /// The unit.
    pub kind: WorkKind,
}

named! {
    /// The unit of work.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WorkKind {
        /// Bytes.
        Bytes = "bytes",
        /// Items that the author counts.
        Items = "items",
    }
}

impl Work {
    /// Returns the throughput of an iteration of this duration, in bytes or items a second; `None`
    /// without work or time.
    ///
    /// ```
    /// use perftest_core::model::{Work, WorkKind};
    /// let work = Work { amount: 64, kind: WorkKind::Bytes };
    /// assert_eq!(work.per_second(32.0), Some(2e9));
    /// assert_eq!(work.per_second(0.0), None);
    /// ```
    pub fn per_second(self, iteration_ns: f64) -> Option<f64> {
        let is_known = self.amount > 0 && iteration_ns > 0.0;
        is_known.then(|| self.amount as f64 * 1e9 / iteration_ns)
    }

    /// Returns the same work, repeated.
    #[must_use]
    pub fn times(self, times: u64) -> Self {
        Self { amount: self.amount.saturating_mul(times), ..self }
    }
}
