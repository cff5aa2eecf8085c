//! Parses numbers in a text: one a line, a column of a table, or JSON.

use super::cells::{Cell, CellPosition, cells};

/// The parsed numbers.
#[derive(Debug, PartialEq)]
pub(super) struct ParsedNumbers {
    pub(super) values: Vec<f64>,
    /// Cells without a value.
    pub(super) empty: usize,
}

/// Returns the numbers of `text`, in this `column` if there are several. An error has what to
/// change.
pub(super) fn numbers(text: &str, column: Option<&str>) -> Result<ParsedNumbers, String> {
    let cells = cells(text, column)?;
    let values = cells.iter().filter_map(|cell| number_in(cell).transpose());
    let values = values.collect::<Result<Vec<f64>, String>>()?;
    match values.is_empty() {
        true => Err(NONE.into()),
        false => Ok(ParsedNumbers { empty: cells.len() - values.len(), values }),
    }
}

/// The error for a text without numbers.
pub(super) const NONE: &str = "there is no number in it";

/// Returns the number of a cell; `None` for an empty one.
pub(super) fn number_in(cell: &Cell<'_>) -> Result<Option<f64>, String> {
    cell.content.as_deref().map(|text| number(text, &cell.place)).transpose()
}

fn number(text: &str, place: &CellPosition<'_>) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("{place} is {text}: leave out what is not a finite number")),
        Err(_) => Err(format!("{place} is `{}`{}", excerpt(text), advice(text, place))),
    }
}

/// Returns how to write a number, or how to choose a column if none was chosen.
fn advice(text: &str, place: &CellPosition<'_>) -> &'static str {
    let is_whole_line = matches!(place, CellPosition::Line(_));
    match (text.contains([',', ';', '\t']), is_whole_line) {
        (true, true) => {
            ": name a column with --column; if it is one number, write decimals with a point"
        }
        (true, false) => ": write decimals with a point, and no separator of thousands",
        (false, true) => {
            ", which is no number: write bare numbers without a unit, and begin remarks with #; a \
             table's column is named with --column"
        }
        (false, false) => ", which is no number: write bare numbers without a unit",
    }
}

pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST).chain("..".chars()).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, column: Option<&str>) -> Vec<f64> {
        numbers(text, column).unwrap().values
    }

    #[test]
    fn numbers_are_read_from_lines_tables_and_json() {
        assert_eq!(values("1\n# two\n\n -2.5e3\r\n", None), [1.0, -2500.0]);
        let table = "name,wall_ns\na,1\nb,2\n";
        assert_eq!(values(table, Some("wall_ns")), [1.0, 2.0]);
        assert_eq!(values(table, Some("2")), [1.0, 2.0]);
        assert_eq!(values("1;5\n2;6\n", Some("2")), [5.0, 6.0]);
        assert_eq!(values("[1, 2.5]", None), [1.0, 2.5]);
        assert_eq!(values("{\"a\": [1, 2], \"b\": [3]}", Some("b")), [3.0]);
        assert_eq!(values("[{\"a\": 1}, {\"a\": 2}]", Some("a")), [1.0, 2.0]);
        assert_eq!(values("{\"a\": 1}\n{\"a\": 2}\n", Some("a")), [1.0, 2.0]);
        assert_eq!(values("{\"a\": 1}", Some("a")), [1.0]);
    }

    #[test]
    fn the_first_row_is_one_of_names_where_it_has_the_name_or_a_word_in_the_column() {
        assert_eq!(values("1,\n2,6\n", Some("1")), [1.0, 2.0]);
        assert_eq!(values("a,1\nb,2\n", Some("2")), [1.0, 2.0]);
        assert_eq!(values("1,2\n3,4\n", Some("2")), [2.0, 4.0]);
        assert_eq!(values("2025,2026\n3,4\n", Some("2026")), [4.0]);
        assert_eq!(values("id,1\n7,8\n", Some("1")), [8.0]);
        assert_eq!(values("times\n7,8\n", Some("2")), [8.0]);
    }

    #[test]
    fn numbers_in_the_first_row_are_names_beside_a_word_above_values() {
        let runs = "run,1,2,4\n1,10,5,3\n2,11,6,4\n";
        assert_eq!(values(runs, Some("2")), [5.0, 6.0]);
        assert_eq!(values(runs, Some("4")), [3.0, 4.0]);
        assert_eq!(values(runs, Some("3")), [5.0, 6.0], "no name is 3");
        assert_eq!(values(",0,1\n0,7,8\n1,9,10\n", Some("1")), [8.0, 10.0]);
        assert_eq!(values("size,100\n1,7\n", Some("2")), [7.0]);
        assert_eq!(values("day,1,2\n2026-01-05,7,8\n", Some("2")), [8.0]);
        assert_eq!(values("ns,unit\n,ms\n5,ms\n", Some("1")), [5.0]);
        // Labels, and a value is missing.
        assert_eq!(values("a,,1\nb,2,3\n", Some("3")), [1.0, 3.0]);
    }

    #[test]
    fn a_decimal_comma_is_no_second_column() {
        for (text, column) in [("ms\n12,5\n", "1"), ("1,5;2,5\n", "1"), ("1;2,5\n", "2")] {
            let error = numbers(text, Some(column)).unwrap_err();
            assert!(error.contains("write decimals with a point"), "{text}: {error}");
        }
    }

    #[test]
    fn a_cell_behind_an_empty_one_is_in_its_own_column() {
        let read = numbers("a\tb\n\t2\n3\t4\n", Some("a")).unwrap();
        assert_eq!(read, ParsedNumbers { values: vec![3.0], empty: 1 });
    }

    #[test]
    fn cells_without_a_value_are_counted() {
        let read = numbers("a,b\n1,\n,2\n3\n", Some("b")).unwrap();
        assert_eq!(read, ParsedNumbers { values: vec![2.0], empty: 2 });
        assert_eq!(numbers("[1, null]", None).unwrap().empty, 1);
        assert_eq!(numbers("[{\"a\": 1}, null]", Some("a")).unwrap().empty, 1);
    }

    #[test]
    fn what_cannot_be_read_is_reported_with_its_place_and_the_way_out() {
        let wrong = |text, column| numbers(text, column).unwrap_err();
        let cases = [
            ("", None, "there is no number"),
            ("# nothing", None, "there is no number"),
            ("1\nNaN\n", None, "line 2 is NaN: leave out"),
            ("1\ninf", None, "finite"),
            ("1\n12 ms", None, "line 2 is `12 ms`, which is no number: write bare numbers"),
            ("a,b\n1,2", None, "name a column with --column"),
            ("a,b\n1,2", Some("c"), "there is no column c; there are a, b"),
            ("1,2", Some("3"), "there are 2 without names: give a number from 1"),
            ("12,5", None, "if it is one number, write decimals with a point"),
            ("a\n1\nx\n", Some("a"), "line 3, column a is `x`"),
            ("[1, ", None, "it looks like JSON, but is not valid"),
            ("[1, [2]]", None, "element 2 is no number"),
            ("[{\"a\": 1}]", None, "choose a key with --column, of a"),
            ("{\"a\": [1]}", Some("b"), "there is no key b; there are a"),
            ("[1, 2]", Some("a"), "element 1 is no object and has no key a: leave out --column"),
        ];
        for (text, column, expected) in cases {
            let error = wrong(text, column);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_chosen_column_is_not_asked_for_again() {
        for text in ["ms\n\"12,5\"\n", "ms\n12 ms\n", "[{\"ms\": \"12,5\"}]"] {
            let error = numbers(text, Some("ms")).unwrap_err();
            assert!(!error.contains("--column"), "{text}: {error}");
        }
        let quoted = numbers("ms\n\"12,5\"\n", Some("ms")).unwrap_err();
        assert!(quoted.contains("is `12,5`: write decimals with a point"), "{quoted}");
    }
}
