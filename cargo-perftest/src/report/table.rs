//! Aligned columns.

use super::{MarkdownTable, code};
use perftest_core::words::{markdown_text, one_line};
use std::io::{self, Write};

/// Rows under headings. A column whose heading begins with a blank is aligned to the right.
#[derive(Debug)]
pub(crate) struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        Self { headings, rows: Vec::new() }
    }

    pub(crate) fn push<const COLUMNS: usize>(&mut self, row: [String; COLUMNS]) {
        self.push_row(row.into());
    }

    /// A row of as many cells as there are headings. A cell is one line, whoever wrote what is in it.
    pub(crate) fn push_row(&mut self, row: Vec<String>) {
        self.rows.push(row.iter().map(|cell| one_line(cell).into_owned()).collect());
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let headings: Vec<String> = self.headings.iter().map(|it| it.trim().into()).collect();
        let widths: Vec<usize> = (0..headings.len()).map(|column| self.width(column)).collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let cells = row.iter().zip(&widths).zip(&self.headings);
            let cells: Vec<String> = cells
                .map(|((cell, width), heading)| match heading.starts_with(' ') {
                    true => format!("{cell:>width$}"),
                    false => format!("{cell:<width$}"),
                })
                .collect();
            writeln!(out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    /// The same in Markdown. The first column is shown as code.
    pub(crate) fn markdown(&self) -> String {
        let headings: Vec<&str> = self.headings.iter().map(String::as_str).collect();
        let mut table = MarkdownTable::new(&headings, usize::MAX);
        for row in &self.rows {
            let cells = row.iter().enumerate();
            let cells: Vec<String> = cells
                .map(|(column, text)| if column == 0 { code(text) } else { markdown_text(text) })
                .collect();
            table.push(&cells);
        }
        table.finish()
    }

    /// The same as a text.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        // A vector takes whatever is written.
        let _ = self.write(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(self.headings[column].trim().chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_line_whatever_is_in_it() {
        let mut table = Table::new(&["reason", "by"]);
        table.push(["one\ntwo\r\n\tthree \u{1b}[31mred".into(), "a".into()]);
        assert_eq!(table.text(), "reason                  by\none two three  [31mred  a\n");
    }

    #[test]
    fn a_row_of_markdown_has_as_many_cells_as_headings_whatever_is_in_it() {
        let mut table = Table::new(&["test", " runs"]);
        table.push(["a|b\n`c`".into(), "7".into()]);
        let expected = "| test | runs |\n|---|---:|\n| <code>a&#124;b &#96;c&#96;</code> | 7 |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn columns_are_aligned_whatever_the_script() {
        let mut table = Table::new(&["test", " runs", "course"]);
        table.push(["größe".into(), "7".into(), "▁█".into()]);
        table.push(["a::b::c".into(), "200+".into(), "▁".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let expected = "test     runs  course\ngröße       7  ▁█\na::b::c  200+  ▁\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
