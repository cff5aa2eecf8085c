//! Tables of Markdown.

use perftest_core::words::markdown_text;

/// Room for the last row, which counts the rows without room, and for its blank cells.
const LAST_ROW: usize = 100;

/// A table under construction, of at most so many bytes.
#[derive(Debug)]
pub(crate) struct MarkdownTable {
    text: String,
    room: usize,
    columns: usize,
    left_out: usize,
}

impl MarkdownTable {
    /// A column whose heading begins with a blank is aligned to the right.
    pub(crate) fn new(headings: &[&str], room: usize) -> Self {
        let names: Vec<&str> = headings.iter().map(|heading| heading.trim()).collect();
        let line = |heading: &&str| if heading.starts_with(' ') { "---:" } else { "---" };
        let lines: Vec<&str> = headings.iter().map(line).collect();
        let text = format!("| {} |\n|{}|\n", names.join(" | "), lines.join("|"));
        Self { text, room, columns: headings.len(), left_out: 0 }
    }

    /// Adds a row of cells that are Markdown already, if there is room.
    pub(crate) fn push(&mut self, cells: &[String]) {
        let row = format!("| {} |\n", cells.join(" | "));
        if self.left_out > 0 || self.text.len() + row.len() > self.room.saturating_sub(LAST_ROW) {
            self.left_out += 1;
        } else {
            self.text.push_str(&row);
        }
    }

    /// The table; a last row counts those without room.
    pub(crate) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let blanks = " |".repeat(self.columns - 1);
            self.text.push_str(&format!("| and {} more |{blanks}\n", self.left_out));
        }
        self.text
    }
}

/// The first lines of a text, as many as fit into so many bytes.
pub(crate) fn whole_lines(text: &str, room: usize) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if end + line.len() > room {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

/// Shown as code, where a mention is none.
pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", markdown_text(text))
}

/// A text outside of `<code>`, where GitHub shows `:key:` of `cache::key::read` as a picture.
pub(crate) fn prose(text: &str) -> String {
    markdown_text(text).replace("::", ":<!-- -->:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_path_outside_of_code_is_a_picture_of_github() {
        let text = prose("a::key::b: 1.2x");
        assert_eq!(text, "a:<!-- -->:key:<!-- -->:b: 1.2x");
    }

    #[test]
    fn a_table_counts_the_rows_without_room_within_its_room() {
        for room in [500, 501, 509, 510, 511, 5_000] {
            let mut table = MarkdownTable::new(&["test", " runs"], room);
            (0..100).for_each(|nth| table.push(&[format!("t{nth}"), "7".into()]));
            let text = table.finish();
            let rows = text.matches("| t").count() - 1;
            assert!(text.len() <= room, "{room}: {text}");
            let is_counted = text.ends_with(&format!("| and {} more | |\n", 100 - rows));
            assert_eq!((is_counted, room < 5_000), (rows < 100, rows < 100), "{room}: {text}");
        }
    }

    #[test]
    fn a_text_is_cut_between_lines_and_never_within_a_letter() {
        let text = "ää\nb\nc";
        let cut: Vec<&str> = [0, 4, 5, 6, 7, 8, 99].map(|room| whole_lines(text, room)).into();
        assert_eq!(cut, ["", "", "ää\n", "ää\n", "ää\nb\n", text, text]);
    }
}
