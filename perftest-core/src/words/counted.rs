//! Numbers of things.

/// Formats a number with a noun, in the plural unless the number is one.
///
/// ```text
/// 1 run, 30 measurements
/// ```
pub(super) fn counted(number: u32, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
