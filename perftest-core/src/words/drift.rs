//! Formats a drift.

/// Formats the ratio of a test to its anchor, whose newest commit may be unknown.
pub(super) fn drifted(ratio: f64, since_commit: &str) -> String {
    let since = since_commit.get(..7).unwrap_or("its first runs");
    format!("drifted {ratio:.2}x since {since}")
}
