//! Aligned columns, as wide as the terminal.

use super::{MarkdownTable, code, width};
use console::{Alignment, measure_text_width, pad_str, truncate_str};
use perftest_core::words::{markdown_text, one_line};
use std::fmt::Display;
use std::io::{self, Write};

/// Default number of rows in a table.
pub(crate) const LISTED: usize = 20;
/// Blanks between two columns.
const GAP: usize = 2;
/// Names keep this many columns while a column can be left out instead.
const COMFORTABLE: usize = 32;
/// Names always keep this many columns.
const SHORTEST: usize = 12;
/// What stands for the middle of a name, in every character set.
const ELLIPSIS: &str = "..";

/// Rows under headings. A column whose heading begins with a blank is aligned to the right.
#[derive(Debug)]
pub(crate) struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns whose cells can be shortened.
    shortened: Vec<String>,
    /// Columns that can be left out, the least important first.
    left_out: Vec<String>,
}

/// A column that is written, and how wide.
type ColumnWidth = (usize, usize);

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        let (rows, shortened, left_out) = (Vec::new(), Vec::new(), Vec::new());
        Self { headings: owned(headings), rows, shortened, left_out }
    }

    /// A table with a row for each of these items. Its columns follow.
    pub(crate) fn of<T>(items: impl IntoIterator<Item = T>) -> Columns<T> {
        let items: Vec<T> = items.into_iter().collect();
        let mut table = Self::new(&[]);
        table.rows.resize_with(items.len(), Vec::new);
        Columns { items, table }
    }

    /// The table, and what gives way on a narrow terminal: cells below the headings `shortened` lose
    /// their middle, and the columns `left_out` go, the first of them first. Headings are given without
    /// their blanks.
    pub(crate) fn narrowed(self, shortened: &[&str], left_out: &[&str]) -> Self {
        Self { shortened: owned(shortened), left_out: owned(left_out), ..self }
    }

    pub(crate) fn push<const COLUMNS: usize>(&mut self, row: [String; COLUMNS]) {
        self.push_row(row.into());
    }

    /// A row of as many cells as there are headings. A cell is one line, whatever text is in it.
    pub(crate) fn push_row(&mut self, row: Vec<String>) {
        self.rows.push(row.iter().map(|cell| one_line(cell).into_owned()).collect());
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_within(width(), out)
    }

    /// The same in Markdown, in at most so many bytes: a last row counts those without room. The first column is shown
    /// as code.
    pub(crate) fn markdown(&self, room: usize) -> String {
        let headings: Vec<&str> = self.headings.iter().map(String::as_str).collect();
        let mut table = MarkdownTable::new(&headings, room);
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
        self.text_within(width())
    }

    fn text_within(&self, room: Option<usize>) -> String {
        let mut text = Vec::new();
        // A vector takes whatever is written.
        let _ = self.write_within(room, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn write_within(&self, room: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let (columns, missing) = self.columns_within(room);
        let headings: Vec<String> = self.headings.iter().map(|it| it.trim().into()).collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let cells: Vec<String> = columns.iter().map(|it| self.cell(row, *it)).collect();
            writeln!(out, "{}", cells.join(&" ".repeat(GAP)).trim_end())?;
        }
        match room.filter(|_| !missing.is_empty()) {
            Some(room) => writeln!(out, "(no room in {room} columns for: {})", missing.join(", ")),
            None => Ok(()),
        }
    }

    fn cell(&self, row: &[String], (column, width): ColumnWidth) -> String {
        let cell = row.get(column).map(String::as_str).unwrap_or_default();
        let cell = if self.is_shortened(column) { shortened(cell, width) } else { cell.to_owned() };
        let is_right = self.headings[column].starts_with(' ');
        let side = if is_right { Alignment::Right } else { Alignment::Left };
        pad_str(&cell, width, side, None).into_owned()
    }

    /// The columns that fit, and the headings of those that do not.
    fn columns_within(&self, room: Option<usize>) -> (Vec<ColumnWidth>, Vec<&str>) {
        let whole = |column| (column, self.width(column));
        let mut kept: Vec<usize> = (0..self.headings.len()).collect();
        let mut missing = Vec::new();
        let Some(room) = room else {
            return (kept.into_iter().map(whole).collect(), missing);
        };
        let mut give_way = self.left_out.iter();
        loop {
            let mut columns: Vec<ColumnWidth> = kept.iter().copied().map(whole).collect();
            if self.shorten(&mut columns, room, COMFORTABLE) {
                return (columns, missing);
            }
            let Some(heading) = give_way.next() else {
                self.shorten(&mut columns, room, SHORTEST);
                return (columns, missing);
            };
            kept.retain(|column| self.headings[*column].trim() != heading);
            missing.push(heading.as_str());
        }
    }

    /// Takes from the widest of the shortened columns until all fit; whether they do. None becomes
    /// narrower than `shortest`.
    fn shorten(&self, columns: &mut [ColumnWidth], room: usize, shortest: usize) -> bool {
        loop {
            let gaps = GAP * columns.len().saturating_sub(1);
            if gaps + columns.iter().map(|(_, width)| width).sum::<usize>() <= room {
                return true;
            }
            let can_give = |(column, width): &&mut ColumnWidth| {
                let heading = measure_text_width(self.headings[*column].trim());
                self.is_shortened(*column) && *width > shortest.max(heading)
            };
            match columns.iter_mut().filter(can_give).max_by_key(|(_, width)| *width) {
                Some((_, width)) => *width -= 1,
                None => return false,
            }
        }
    }

    fn is_shortened(&self, column: usize) -> bool {
        self.shortened.iter().any(|heading| heading == self.headings[column].trim())
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| measure_text_width(cell)).max().unwrap_or(0);
        widest.max(measure_text_width(self.headings[column].trim()))
    }
}

/// A table under construction, column by column.
pub(crate) struct Columns<T> {
    items: Vec<T>,
    table: Table,
}

impl<T> Columns<T> {
    /// Adds a column: its heading, and its cell of an item.
    pub(crate) fn column<C: Display>(mut self, heading: &str, cell: impl Fn(&T) -> C) -> Self {
        self.table.headings.push(heading.to_owned());
        for (item, row) in self.items.iter().zip(&mut self.table.rows) {
            row.push(one_line(&cell(item).to_string()).into_owned());
        }
        self
    }

    /// The same of a value that can be missing: `-` stands for it then.
    pub(crate) fn optional<C: Display>(
        self,
        heading: &str,
        cell: impl Fn(&T) -> Option<C>,
    ) -> Self {
        self.column(heading, |item| cell(item).map_or_else(|| "-".into(), |it| it.to_string()))
    }

    /// The table, and what [gives way](Table::narrowed).
    pub(crate) fn narrowed(self, shortened: &[&str], left_out: &[&str]) -> Table {
        self.table.narrowed(shortened, left_out)
    }

    /// The table, of which nothing gives way.
    pub(crate) fn whole(self) -> Table {
        self.table
    }
}

fn owned(headings: &[&str]) -> Vec<String> {
    headings.iter().map(|heading| (*heading).to_owned()).collect()
}

/// A text without its middle, where it has more columns than `width`: names differ in their ends.
fn shortened(text: &str, width: usize) -> String {
    if measure_text_width(text) <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(ELLIPSIS.len());
    let beginning = truncate_str(text, kept / 2, "");
    let mut ends = text.char_indices().map(|(place, _)| &text[place..]);
    let end = ends.find(|end| measure_text_width(end) <= kept - kept / 2).unwrap_or_default();
    format!("{beginning}{ELLIPSIS}{end}")
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
        assert_eq!(table.markdown(usize::MAX), expected);
    }

    #[test]
    fn columns_are_aligned_whatever_the_script() {
        let mut table = Table::new(&["test", " runs", "course"]);
        table.push(["größe".into(), "7".into(), "▁█".into()]);
        table.push(["a::b::c".into(), "200+".into(), "▁".into()]);
        table.push(["並べ".into(), "12".into(), "▁".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let expected =
            "test     runs  course\ngröße       7  ▁█\na::b::c  200+  ▁\n並べ       12  ▁\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    fn long() -> Table {
        let table = Table::new(&["test", "testbed", " value", "when"]);
        let mut table = table.narrowed(&["test"], &["when", "testbed"]);
        let name = format!("codec::{}encode", "frame::".repeat(20));
        table.push([name, "local/7f3a2b".into(), "66.00 ns".into(), "2026-01-01 00:09".into()]);
        table.push([
            "a".into(),
            "local/7f3a2b".into(),
            "7.00 ns".into(),
            "2026-01-01 00:10".into(),
        ]);
        table
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for room in [24, 40, 60, 80, 120, 190] {
            let text = long().text_within(Some(room));
            let rows = text.lines().filter(|line| !line.starts_with('('));
            assert!(rows.clone().all(|line| line.chars().count() <= room), "{room}: {text}");
            assert_eq!(rows.count(), 3, "{text}");
            assert!(text.contains("66.00 ns"), "{room}: {text}");
        }
    }

    #[test]
    fn names_lose_their_middle_first_and_unimportant_columns_go_then() {
        let text = long().text_within(Some(80));
        assert!(text.contains("codec::frame::fram..ame::frame::encode"), "{text}");
        assert!(text.contains("2026-01-01 00:09") && text.contains("local/7f3a2b"), "{text}");
        let text = long().text_within(Some(60));
        assert!(!text.contains("2026-01-01") && text.contains("local/7f3a2b"), "{text}");
        assert!(text.ends_with("(no room in 60 columns for: when)\n"), "{text}");
        let text = long().text_within(Some(24));
        assert!(text.contains("codec:..encode"), "{text}");
        assert!(text.ends_with(" for: when, testbed)\n"), "{text}");
    }

    #[test]
    fn scripts_get_every_column_and_whole_names() {
        let text = long().text_within(None);
        let first = text.lines().nth(1).unwrap();
        assert!(first.contains(&"frame::".repeat(20)) && first.ends_with("00:09"), "{text}");
    }

    #[test]
    fn a_short_name_stays_whole_and_a_long_one_keeps_both_ends() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("abcdefghij", 7), "ab..hij");
        assert_eq!(shortened("abcdefghij", 1), "..");
        assert_eq!(shortened("並べ替え並べ替え", 9), "並..替え");
        assert_eq!(shortened("並べ替え並べ替え", 10), "並べ..替え");
    }
}
