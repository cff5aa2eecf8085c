//! How wide an answer may be, and text in lines of that width.

use console::measure_text_width;
use std::env;
use std::sync::OnceLock;

/// Columns that every terminal is taken to have.
const NARROWEST: usize = 24;

/// What was found out when the tool began; without it there is no limit.
static WIDTH: OnceLock<Option<usize>> = OnceLock::new();

/// The columns that a line of the answer may fill; `None` where a program reads it.
pub(crate) fn width() -> Option<usize> {
    WIDTH.get().copied().flatten()
}

/// Makes answers as wide as `COLUMNS`, or as the terminal that shows them. What is piped into a
/// program has no limit, unless `COLUMNS` is set.
pub(crate) fn find_out_width() {
    let terminal = || console::Term::stdout().size_checked();
    let width = chosen(env::var("COLUMNS").ok().as_deref(), terminal);
    // The first answer holds.
    let _ = WIDTH.set(width);
}

/// `terminal` gives its rows and columns, where there is one.
fn chosen(variable: Option<&str>, terminal: impl FnOnce() -> Option<(u16, u16)>) -> Option<usize> {
    let named = variable.and_then(|text| text.trim().parse::<usize>().ok());
    let named = named.filter(|columns| *columns > 0);
    let columns = named.or_else(|| terminal().map(|(_, columns)| usize::from(columns)));
    columns.filter(|columns| *columns > 0).map(|columns| columns.max(NARROWEST))
}

/// The text in lines of at most so many columns, broken between words. A longer word has a line of
/// its own.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_counts_before_the_terminal_and_a_pipe_has_no_limit() {
        let terminal = || Some((40, 120));
        assert_eq!(chosen(Some("60"), terminal), Some(60));
        assert_eq!(chosen(None, terminal), Some(120));
        assert_eq!(chosen(Some("60"), || None), Some(60));
        assert_eq!(chosen(None, || None), None);
    }

    #[test]
    fn what_is_no_width_is_passed_over() {
        for text in ["", "0", "wide", "-3"] {
            assert_eq!(chosen(Some(text), || Some((40, 100))), Some(100), "{text}");
        }
        assert_eq!(chosen(None, || Some((0, 0))), None);
        assert_eq!(chosen(Some("1"), || None), Some(NARROWEST));
    }
}
