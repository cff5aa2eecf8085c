//! Finds `perftest.toml` and reads its text. Refuses text that could overflow a parser's stack.
//!
//! A TOML parser recurses for each array and table in another: a file of nothing but brackets would
//! crash the process without a message.

use perftest_store::read_regular_text;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The file with the settings of tests and the rules on their histories.
pub const SETTINGS_FILE: &str = "perftest.toml";

/// Largest size of a settings file.
const MOST_BYTES: u64 = 1 << 20;

/// Deepest nesting; no setting and no rule needs more.
const DEEPEST: usize = 32;

/// Returns the nearest settings file in `start_dir` and its parents up to `root`; `None` without
/// any. Only this one counts.
pub fn settings_file(start_dir: &Path, root: &Path) -> Option<PathBuf> {
    let start_dir = fs::canonicalize(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    let around = start_dir.ancestors().take_while(|it| it.starts_with(root));
    // Includes a dangling link, so that reading it reports the problem.
    around.map(|it| it.join(SETTINGS_FILE)).find(|path| path.symlink_metadata().is_ok())
}

/// Returns the text of a settings file, safe for a parser.
///
/// # Errors
/// A message with the file, when it cannot be read, is no regular file, is larger than 1 MiB, or has arrays,
/// tables or dotted keys nested deeper than 32.
pub fn settings_text(path: &Path) -> Result<String, String> {
    let text = read_regular_text(path, MOST_BYTES);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    match too_deep(&text) {
        None => Ok(text),
        Some(line) => Err(format!(
            "{}:{line}: arrays, tables or dotted keys are nested deeper than {DEEPEST}: write them side \
             by side",
            path.display()
        )),
    }
}

/// Describes text that a parser refuses: the same for the tests and for the tool, which read one file.
pub fn describe_no_toml(error: &dyn fmt::Display) -> String {
    format!(
        "this is no TOML that tests can read: {error}. Write texts, times and dates in quotes, and a table in \
         braces on one line"
    )
}

/// Returns the line in which the nesting becomes too deep.
fn too_deep(text: &str) -> Option<usize> {
    let (mut rest, mut brackets, mut dots) = (text, 0_usize, 0);
    while let Some(first) = rest.chars().next() {
        match first {
            '[' | '{' => brackets += 1,
            ']' | '}' => brackets = brackets.saturating_sub(1),
            '.' => dots += 1,
            '=' | ',' | '\n' => dots = 0,
            _ => {}
        }
        if brackets > DEEPEST || dots > DEEPEST {
            let before = &text[..text.len() - rest.len()];
            return Some(1 + before.matches('\n').count());
        }
        rest = match first {
            '#' => rest.find('\n').map_or("", |end| &rest[end..]),
            '"' | '\'' => behind_string(rest),
            other => &rest[other.len_utf8()..],
        };
    }
    None
}

/// Skips the string at the beginning of `text`.
fn behind_string(text: &str) -> &str {
    let quote = &text[..1];
    let three = quote.repeat(3);
    let (inner, end) = match text.strip_prefix(&three) {
        Some(inner) => (inner, three.as_str()),
        None => (&text[1..], quote),
    };
    let mut rest = inner;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(end) {
            // Up to two more quotes may belong to the text.
            return if end == quote { behind } else { behind.trim_start_matches(quote) };
        }
        let skipped =
            rest.chars().take(if quote == "\"" && rest.starts_with('\\') { 2 } else { 1 });
        let skipped: usize = skipped.map(char::len_utf8).sum();
        if end == quote && rest.starts_with('\n') {
            return rest;
        }
        rest = &rest[skipped..];
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    #[test]
    fn what_would_overflow_a_parser_is_refused_with_its_line() {
        let many = 200_000;
        for deep in [
            format!("a = {}", "[".repeat(many)),
            format!("a = {}", "{a=".repeat(many)),
            format!("a = {}", "[\n# [\n".repeat(many)),
            format!("{}a = 1", "a.".repeat(many)),
            format!("[{}a]", "a . ".repeat(many)),
            format!("a = ['''x''', {}", "[".repeat(many)),
            format!("a = [\"\"\"x\"\"\"\", {}", "[".repeat(many)),
            format!("a = [\"\\\\\", '\\', {}", "[".repeat(many)),
        ] {
            assert!(too_deep(&deep).is_some(), "{}", &deep[..30]);
        }
        assert_eq!(too_deep(&format!("b = 1\n\na = {}", "[".repeat(many))), Some(3));
    }

    #[test]
    fn what_people_write_is_not() {
        let bracket = "[".repeat(100);
        let text = format!(
            "# {bracket}\n[[override]]\nfilter = \"{bracket}\\\" {bracket}\"\n[profile.ci.defaults]\n\
             a = '{bracket}'\nb = \"\"\"{bracket}\n\"{bracket}\\\"\"\"\" # {bracket}\nc = '''{bracket}\n'''\n\
             all = [{{ any = [ {{ test = \"welch\", alpha = 0.05 }} ] }}]\n"
        );
        assert_eq!(too_deep(&text), None);
        assert_eq!(too_deep(&"[a]\nx = [1, [2.5]]\n".repeat(1000)), None);
        assert_eq!(too_deep("a = \"open"), None);
    }

    #[test]
    fn a_message_names_the_file() {
        let directory = scratch("settings-text");
        let path = directory.join("perftest.toml");
        fs::write(&path, "a = 1\n").unwrap();
        assert_eq!(settings_text(&path).unwrap(), "a = 1\n");
        fs::write(&path, "[".repeat(200_000)).unwrap();
        let refused = settings_text(&path).unwrap_err();
        assert!(refused.starts_with(&format!("{}:1: ", path.display())), "{refused}");
        fs::write(&path, " ".repeat(2 << 20)).unwrap();
        let refused = settings_text(&path).unwrap_err();
        assert!(refused.ends_with("perftest.toml: it is larger than 1 MiB"), "{refused}");
    }
}
