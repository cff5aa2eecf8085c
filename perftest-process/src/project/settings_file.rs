//! `perftest.toml`: where it is, and its text, refused before it is parsed where no parser should see it.
//!
//! Parsers of TOML call themselves for each array and table in another: a file of nothing but brackets would
//! end the process without a word.

use perftest_store::read_regular_text;
use std::fs;
use std::path::{Path, PathBuf};

/// The file with the settings of tests and the rules on their histories.
pub const SETTINGS_FILE: &str = "perftest.toml";

/// A larger file is none that somebody wrote.
const MOST_BYTES: u64 = 1 << 20;

/// No setting and no rule is as deep.
const DEEPEST: usize = 32;

/// The settings file that counts for `start_dir`: the nearest one, there or in a directory around it
/// up to `root`, alone. `None` without any.
pub fn settings_file(start_dir: &Path, root: &Path) -> Option<PathBuf> {
    let start_dir = fs::canonicalize(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    let around = start_dir.ancestors().take_while(|it| it.starts_with(root));
    // A link that leads nowhere is there too, and reading it says what is wrong.
    around.map(|it| it.join(SETTINGS_FILE)).find(|path| path.symlink_metadata().is_ok())
}

/// The text of a settings file, fit for a parser.
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

/// The line in which the nesting becomes too deep.
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

/// What follows the string that `text` begins with.
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
            // Up to two more may belong to the text.
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
        let path = scratch("settings-text").join("perftest.toml");
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
