//! Makes foreign text fit for one line.

use crate::list::IntoList;
use crate::text::Text;
use std::borrow::Cow;

/// Begins a command in the log of a CI job: the first at the beginning of a line, the second anywhere in it, as in
/// `##[error]` and `##vso[task.setvariable]`.
const COMMAND: &str = "::";
const COMMAND_ANYWHERE: &str = "##";

/// Returns the text as a part of one line. A blank replaces each run of line ends, controls and
/// marks that change the direction of writing. The text contains no command for the CI job that
/// logs it.
///
/// ```
/// use perftest_core::words::one_line;
/// assert_eq!(one_line("codec::encode[größe=64]"), "codec::encode[größe=64]");
/// assert_eq!(one_line("one\r\n\ttwo\u{9b}31m"), "one two 31m");
/// assert_eq!(one_line("\n::error::gone"), ": :error::gone");
/// assert_eq!(one_line("x##vso[task.complete]"), "x# #vso[task.complete]");
/// assert_eq!(one_line("###vso[task.complete]"), "# # #vso[task.complete]");
/// ```
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_command =
        |text: &str| text.trim_start().starts_with(COMMAND) || text.has(COMMAND_ANYWHERE);
    if !text.contains(is_invisible) && !is_command(text) {
        return Cow::Borrowed(text);
    }
    let parts: Vec<&str> = text.split(is_invisible).filter(|part| !part.is_empty()).into_list();
    // Three signs leave two at first.
    let line = parts.iter().joined(" ").replaced(COMMAND_ANYWHERE, "# #");
    let line = line.replaced(COMMAND_ANYWHERE, "# #");
    match line.trim_start().strip_prefix(COMMAND) {
        Some(rest) => Cow::Owned(format!(": :{rest}")),
        None => Cow::Owned(line),
    }
}

/// Source of the marks: Unicode Standard Annex 9, table 1, and the line and paragraph separators.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_turn_the_direction_of_writing_are_blanks() {
        for mark in ['\u{61c}', '\u{200f}', '\u{202e}', '\u{2029}', '\u{2067}', '\u{85}', '\u{7f}']
        {
            assert_eq!(one_line(&format!("a{mark}b")), "a b", "{mark:?}");
        }
        assert_eq!(one_line("שלום"), "שלום", "a script is no mark");
    }

    #[test]
    fn no_line_begins_a_command_of_a_job_and_paths_stay_as_they_are() {
        assert_eq!(one_line("  ::set-output name=a::b"), ": :set-output name=a::b");
        assert_eq!(one_line("a ##[error]b"), "a # #[error]b");
        assert_eq!(one_line("a::b::c"), "a::b::c");
    }
}
