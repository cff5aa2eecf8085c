//! Numbers of things.

/// Formats a number with a noun, in the plural unless the number is one.
///
/// ```text
/// 1 run, 30 measurements
/// ```
// Reports call it in many places.
#[inline(never)]
pub(super) fn counted(number: impl Into<u64>, thing: &str) -> String {
    let number = number.into();
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
