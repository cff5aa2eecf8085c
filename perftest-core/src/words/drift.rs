//! A drift in words.

/// A test that has drifted so many times from its anchor, whose newest commit may not be known.
pub(super) fn drifted(ratio: f64, since_commit: &str) -> String {
    let since = since_commit.get(..7).unwrap_or("its first runs");
    format!("drifted {ratio:.2}x since {since}")
}
