//! Prints lines: of an answer, and of progress and problems beside it.

use perftest_core::words::one_line;
use perftest_store::{Damage, WithDamage};
use std::fmt::Display;
use std::io;
use std::io::Write;

/// Writes a text as a single line, whatever characters it contains.
pub(crate) fn write_line(out: &mut dyn Write, text: &dyn Display) -> io::Result<()> {
    writeln!(out, "{}", one_line(&text.to_string()))
}

/// Writes lines of JSON.
pub(crate) fn write_json_lines<T: Display>(
    out: &mut dyn Write,
    lines: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    lines.into_iter().try_for_each(|line| write_json_line(out, &line))
}

/// Writes a line of JSON.
pub(crate) fn write_json_line(out: &mut dyn Write, line: &impl Display) -> io::Result<()> {
    writeln!(out, "{}", json_line(line))
}

/// Returns JSON without a command for the CI job that logs it: a text of JSON may have any letter by its number, and `#`
/// stands nowhere else.
pub(crate) fn json_line(line: &impl Display) -> String {
    line.to_string().replace("##", "#\\u0023")
}

/// Whether standard error is a terminal that can draw a line again.
pub(crate) fn can_redraw() -> bool {
    console::Term::stderr().is_term() && !console::is_dumb()
}

/// Shows the progress in one row, if standard error is a terminal that can draw it again.
pub(crate) fn progress(text: &str) {
    if can_redraw() {
        let terminal = console::Term::stderr();
        // Some terminals wrap behind the last column.
        let room = usize::from(terminal.size().1).saturating_sub(1);
        let line = one_line(text);
        let line = console::truncate_str(&line, room, "..");
        let _ = terminal.clear_line().and_then(|()| terminal.write_str(&line));
    }
}

/// Prints the progress on a line of its own. Ignores a closed standard error.
pub(crate) fn print_progress(what: &dyn Display) {
    let _ = write_line(&mut anstream::stderr(), what);
}

/// Prints damage on standard error, and returns the readable data.
pub(crate) fn report_damage<T>(loaded: WithDamage<T>) -> T {
    print_damage(&loaded.damaged);
    loaded.value
}

/// Prints a warning for each damaged line.
pub(crate) fn print_damage(damaged: &[Damage]) {
    damaged.iter().for_each(|damage| print_progress(&format_args!("warning: {damage}")));
}

/// Prints all errors but the last one, which it returns.
pub(crate) fn report_errors<E: Display>(mut errors: Vec<E>) -> Result<(), E> {
    let last = errors.pop();
    errors.iter().for_each(|error| print_progress(&format_args!("error: {error}")));
    last.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_line_of_json_is_the_same_json_and_no_command_of_a_log() {
        let line = json!({ "benchmark": "x##vso[task.complete]###" });
        let written = json_line(&line);
        assert!(!written.contains("##"), "{written}");
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), line);
    }
}
