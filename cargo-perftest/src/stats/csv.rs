//! Splits the rows of a table at commas, semicolons or tabs.

/// A row that goes on in the next line, by its line number.
#[derive(Debug, PartialEq)]
pub(crate) struct UnclosedQuote(pub(crate) usize);

impl UnclosedQuote {
    pub(crate) const PROBLEM: &str =
        "a quoted cell ends in another line: write each row on one line";
}

/// Returns the cells of each row with its line number, without empty rows and remarks.
pub(crate) fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, UnclosedQuote> {
    let delimiter = delimiter(text);
    let row = |(number, line)| match cells(line, delimiter) {
        Some(cells) => Ok((number, cells)),
        None => Err(UnclosedQuote(number)),
    };
    whole_lines(text).map(row).collect()
}

/// Returns the lines with their numbers from 1, without blank lines and remarks.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    whole_lines(text).map(|(number, line)| (number, line.trim()))
}

/// Returns the same lines with their blanks: one may follow an empty cell.
fn whole_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_content = |(_, line): &(usize, &str)| {
        let content = line.trim();
        !content.is_empty() && !content.starts_with('#')
    };
    (1..).zip(all_lines(text)).filter(is_content)
}

/// Splits lines at LF, CR LF, or CR alone.
pub(super) fn all_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

/// Returns the most frequent delimiter of the first row. A comma beside semicolons is that of a decimal.
fn delimiter(text: &str) -> char {
    let first = whole_lines(text).next().map_or("", |(_, line)| line);
    let unquoted = || first.split('"').step_by(2);
    let count =
        |delimiter: &char| unquoted().map(|it| it.matches(*delimiter).count()).sum::<usize>();
    let other = if count(&';') > 0 { ';' } else { ',' };
    // Of equal counts this takes the last one.
    ['\t', other].into_iter().max_by_key(count).unwrap_or(',')
}

/// Splits a line; cells that begin with a quote may contain the delimiter and doubled quotes. `None` if the line ends
/// inside of such a cell.
fn cells(line: &str, delimiter: char) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let cell = cells.last_mut()?;
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' if is_quoted || cell.trim().is_empty() => is_quoted = !is_quoted,
            other if other == delimiter && !is_quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    (!is_quoted).then(|| cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_goes_on_in_the_next_line_is_refused() {
        assert_eq!(rows("name,ns\n\"a\nb\",5\n"), Err(UnclosedQuote(2)));
        // Only at the begin of a cell does a quote belong to it.
        assert_eq!(rows("name,ns\n5\" disk,7\n").unwrap()[1].1, ["5\" disk", "7"]);
        assert_eq!(rows("a, \"b,c\"\n").unwrap()[0].1, ["a", "b,c"]);
        assert_eq!(rows("a,\"\"\n").unwrap()[0].1, ["a", ""]);
    }

    #[test]
    fn cells_are_what_is_between_the_delimiters_of_the_first_row() {
        let all = |text: &str| rows(text).unwrap();
        assert_eq!(
            all("# of today\n\na,b\n1, 2\n"),
            [(3, vec!["a".into(), "b".into()]), (4, vec!["1".into(), "2".into()]),]
        );
        assert_eq!(all("a;\"b;c\"\"d\"\n")[0].1, ["a", "b;c\"d"]);
        assert_eq!(all("a\tb,c")[0].1.len(), 2);
        assert_eq!(all("1,5;2,5")[0].1, ["1,5", "2,5"]);
        assert_eq!(all("\"a;b\",c")[0].1, ["a;b", "c"]);
        assert_eq!(all("a\tb\n\t2\n \t\n")[1..], [(2, vec![String::new(), "2".into()])]);
        assert_eq!(all("").len(), 0);
        let numbers = |text: &str| lines(text).map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(numbers("1\r2\r\r3\r"), [1, 2, 4]);
        assert_eq!(numbers("1\r\n2\n\r\n3"), [1, 2, 4]);
    }
}
