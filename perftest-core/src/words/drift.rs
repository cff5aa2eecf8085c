//! A drift in words.

use crate::judge::Drift;

/// What is said of a test that has drifted.
pub fn drifted(drift: &Drift) -> String {
    let since = drift.since_commit.get(..7).unwrap_or("its first runs");
    format!("drifted {:.2}x since {since}", drift.degradation.estimate)
}
