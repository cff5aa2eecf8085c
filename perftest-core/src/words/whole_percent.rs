//! Shares in whole percent.

/// Formats a share in whole percent. Where that would be none, the share is less than 1%.
///
/// ```
/// use perftest_core::words::whole_percent;
/// assert_eq!([0.42, 0.004].map(whole_percent), ["42%", "less than 1%"]);
/// ```
pub fn whole_percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 0.5 { "less than 1%".to_owned() } else { format!("{percent:.0}%") }
}
