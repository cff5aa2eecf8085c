//! Two tables of Markdown: what was found, and below it, folded, the rest.

use super::MarkdownTable;

/// Room for what stands around the rows.
const FRAME: usize = 1_000;

/// The findings, and behind a line that names the others these, in at most `room` bytes. Where there is no room, the
/// others are cut first. Cells are Markdown already.
pub(crate) fn folded_tables(
    headings: &[&str],
    found: &[Vec<String>],
    (name, others): (&str, &[Vec<String>]),
    room: usize,
) -> String {
    let table = |rows: &[Vec<String>], room: usize| {
        let mut table = MarkdownTable::new(headings, room);
        rows.iter().for_each(|row| table.push(row));
        table.finish()
    };
    let mut text = String::new();
    if !found.is_empty() {
        text.push_str(&table(found, room.saturating_sub(FRAME)));
        text.push('\n');
    }
    let left = room.saturating_sub(text.len() + FRAME);
    if !others.is_empty() && left > FRAME {
        let table = table(others, left);
        text.push_str(&format!("<details><summary>{name}</summary>\n\n{table}\n</details>\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_are_cut_before_a_finding_is() {
        let rows = |count: usize| vec![vec!["x".repeat(96)]; count];
        let text = |room| folded_tables(&["name"], &rows(20), ("20 passed", &rows(20)), room);
        let counted = |room| text(room).matches("xxx |").count();
        assert_eq!(counted(usize::MAX), 40);
        assert!(text(usize::MAX).contains("<details><summary>20 passed</summary>\n\n| name |\n"));
        let (some, few) = (text(5_000), text(2_000));
        assert!((21..40).contains(&some.matches("xxx |").count()), "{some}");
        assert!(some.len() <= 5_000 && few.len() <= 2_000, "{} {}", some.len(), few.len());
        assert!(few.contains("| and ") && !few.contains("<details>"), "{few}");
    }

    #[test]
    fn what_is_empty_is_left_out() {
        assert_eq!(folded_tables(&["name"], &[], ("passed", &[]), 9_000), "");
    }
}
