//! Numbers of things.

/// A number with what is counted, in the plural where it is not one.
///
/// ```text
/// 1 run, 30 measurements
/// ```
pub(super) fn counted(number: u32, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
