//! Numbers in a text: one a line, a column of a table, or JSON.

use super::csv;
use serde_json::{Deserializer, Value};

/// What was found.
#[derive(Debug, PartialEq)]
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    /// Cells without a value.
    pub(super) empty: usize,
}

/// The numbers of `text`, of this `column` where it has some; or a sentence that says what to change.
pub(super) fn numbers(text: &str, column: Option<&str>) -> Result<Numbers, String> {
    let text = text.trim_start_matches('\u{feff}');
    let is_json = text.trim_start().starts_with(['[', '{']);
    let numbers = match column {
        _ if is_json => in_json(text, column),
        Some(column) => in_column(text, column),
        None => in_lines(text),
    }?;
    match numbers.values.is_empty() {
        true => Err("there is no number in it".into()),
        false => Ok(numbers),
    }
}

fn in_lines(text: &str) -> Result<Numbers, String> {
    let number = |(line, text): (usize, &str)| number(text, &format!("line {line}"));
    let values: Result<Vec<f64>, String> = csv::lines(text).map(number).collect();
    Ok(Numbers { values: values?, empty: 0 })
}

fn in_column(text: &str, column: &str) -> Result<Numbers, String> {
    let rows: Vec<(usize, Vec<String>)> = csv::rows(text).collect();
    let width = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let first = rows.first().map_or(&[][..], |(_, cells)| cells);
    let Place { index, has_header } = place(first, width, column)?;
    let mut numbers = Numbers { values: Vec::new(), empty: 0 };
    for (line, cells) in rows.into_iter().skip(usize::from(has_header)) {
        match cells.get(index).map(String::as_str) {
            None | Some("") => numbers.empty += 1,
            Some(cell) => {
                numbers.values.push(number(cell, &format!("line {line}, column {column}"))?);
            }
        }
    }
    Ok(numbers)
}

/// Where a column is.
struct Place {
    index: usize,
    /// Whether the first row is one of names.
    has_header: bool,
}

/// The column with this name or, where the name is a number, with this number: then the first row is one
/// of names where it has a word in that column.
fn place(first: &[String], width: usize, column: &str) -> Result<Place, String> {
    let is_word = |cell: &String| !cell.is_empty() && cell.parse::<f64>().is_err();
    let by_name = first.iter().position(|name| name == column);
    let by_number = column.parse::<usize>().ok().filter(|number| (1..=width).contains(number));
    match (by_name, by_number) {
        (Some(index), None) => Ok(Place { index, has_header: true }),
        (by_name, Some(number)) => {
            let has_header = first.get(number - 1).is_some_and(is_word);
            let named = by_name.filter(|_| has_header);
            Ok(Place { index: named.unwrap_or(number - 1), has_header })
        }
        (None, None) => Err(match first.iter().any(is_word) {
            true => format!("there is no column {column}; there are {}", first.join(", ")),
            false => format!(
                "there is no column {column}; there are {width} without names: give a number from 1"
            ),
        }),
    }
}

fn in_json(text: &str, column: Option<&str>) -> Result<Numbers, String> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    let mut values = values.map_err(|error| format!("it looks like JSON and is none: {error}"))?;
    let (rows, column) = match (values.as_mut_slice(), column) {
        ([Value::Array(rows)], _) => (std::mem::take(rows), column),
        ([Value::Object(keys)], Some(name)) => match keys.get_mut(name) {
            Some(Value::Array(rows)) => (std::mem::take(rows), None),
            Some(_) => (values, column),
            None => return Err(no_key(keys.keys(), name)),
        },
        _ => (values, column),
    };
    let mut numbers = Numbers { values: Vec::new(), empty: 0 };
    for (index, row) in (1..).zip(&rows) {
        let cell = match (row, column) {
            (Value::Object(keys), Some(column)) => {
                keys.get(column).ok_or_else(|| no_key(keys.keys(), column))?
            }
            (Value::Object(keys), None) => {
                let keys: Vec<&str> = keys.keys().map(String::as_str).collect();
                return Err(format!(
                    "element {index} is an object: choose a key with --column, of {}",
                    keys.join(", ")
                ));
            }
            (Value::Null, _) => &Value::Null,
            (_, Some(column)) => {
                return Err(format!(
                    "element {index} is no object and has no key {column}: leave out --column"
                ));
            }
            (cell, None) => cell,
        };
        match cell {
            Value::Null => numbers.empty += 1,
            Value::String(text) => numbers.values.push(number(text, &format!("element {index}"))?),
            cell => numbers.values.push(cell.as_f64().ok_or_else(|| {
                format!("element {index} is no number: give an array of numbers, or --column")
            })?),
        }
    }
    Ok(numbers)
}

fn no_key<'a>(keys: impl Iterator<Item = &'a String>, column: &str) -> String {
    let keys: Vec<&str> = keys.map(String::as_str).collect();
    format!("there is no key {column}; there are {}", keys.join(", "))
}

fn number(text: &str, place: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("{place} is {text}: leave out what is not a finite number")),
        Err(_) if text.contains([',', ';', '\t']) => {
            Err(format!("{place} is `{}`: name a column with --column", excerpt(text)))
        }
        Err(_) => Err(format!(
            "{place} is `{}`, which is no number: write bare numbers without a unit, and begin \
             remarks with #; a table's column is named with --column",
            excerpt(text)
        )),
    }
}

fn excerpt(text: &str) -> String {
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
    fn a_cell_behind_an_empty_one_is_in_its_own_column() {
        let read = numbers("a\tb\n\t2\n3\t4\n", Some("a")).unwrap();
        assert_eq!(read, Numbers { values: vec![3.0], empty: 1 });
    }

    #[test]
    fn cells_without_a_value_are_counted() {
        let read = numbers("a,b\n1,\n,2\n3\n", Some("b")).unwrap();
        assert_eq!(read, Numbers { values: vec![2.0], empty: 2 });
        assert_eq!(numbers("[1, null]", None).unwrap().empty, 1);
        assert_eq!(numbers("[{\"a\": 1}, null]", Some("a")).unwrap().empty, 1);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place_and_the_way_out() {
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
            ("a\n1\nx\n", Some("a"), "line 3, column a is `x`"),
            ("[1, ", None, "it looks like JSON and is none"),
            ("[1, [2]]", None, "element 2 is no number"),
            ("[{\"a\": 1}]", None, "choose a key with --column, of a"),
            ("{\"a\": [1]}", Some("b"), "there is no key b; there are a"),
            ("[1, 2]", Some("a"), "element 1 is no object and has no key a: leave out --column"),
        ];
        for (text, column, expected) in cases {
            let told = wrong(text, column);
            assert!(told.contains(expected), "{text}: {told}");
        }
    }
}
