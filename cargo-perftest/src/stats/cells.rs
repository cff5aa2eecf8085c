//! What a text has in a column, cell by cell: lines, a table, or JSON.

use super::csv;
use super::times::is_time;
use serde_json::{Deserializer, Map, Value};
use std::borrow::Cow;
use std::fmt;

/// One value of a column, and where it is.
#[derive(Debug, PartialEq)]
pub(super) struct Cell<'a> {
    pub(super) place: Place<'a>,
    pub(super) content: Content<'a>,
}

/// What a cell holds.
#[derive(Debug, PartialEq)]
pub(super) enum Content<'a> {
    Empty,
    Number(f64),
    Text(Cow<'a, str>),
}

/// Where a cell is, counted from 1.
#[derive(Debug, PartialEq)]
pub(super) enum Place<'a> {
    Line(usize),
    Column(usize, &'a str),
    Element(usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Column(line, column) => write!(f, "line {line}, column {column}"),
            Self::Element(index) => write!(f, "element {index}"),
        }
    }
}

/// The cells of `text`, of this `column` where it has some; or a sentence that says what to change.
pub(super) fn cells<'a>(text: &'a str, column: Option<&'a str>) -> Result<Vec<Cell<'a>>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let is_json = text.trim_start().starts_with(['[', '{']);
    match column {
        _ if is_json => in_json(text, column),
        Some(column) => in_column(text, column),
        None => Ok(in_lines(text)),
    }
}

fn in_lines(text: &str) -> Vec<Cell<'_>> {
    let cell = |(line, text)| Cell {
        place: Place::Line(line),
        content: Content::Text(Cow::Borrowed(text)),
    };
    csv::lines(text).map(cell).collect()
}

fn in_column<'a>(text: &str, column: &'a str) -> Result<Vec<Cell<'a>>, String> {
    let mut rows = csv::rows(text).peekable();
    let is_name = |cell: &String| cell.parse::<f64>().is_err() && !is_time(cell);
    let header = rows.next_if(|(_, cells)| cells.iter().any(is_name));
    let header = header.map_or_else(Vec::new, |(_, cells)| cells);
    let width = rows.peek().map_or(header.len(), |(_, cells)| cells.len());
    let index = place(&header, width, column)?;
    let cell = |(line, mut cells): (usize, Vec<String>)| Cell {
        place: Place::Column(line, column),
        content: match cells.get_mut(index).map(std::mem::take).unwrap_or_default() {
            empty if empty.is_empty() => Content::Empty,
            text => Content::Text(Cow::Owned(text)),
        },
    };
    Ok(rows.map(cell).collect())
}

/// The index of a column by its name or its number.
fn place(header: &[String], width: usize, column: &str) -> Result<usize, String> {
    let by_number = || column.parse().ok().filter(|number| (1..=width).contains(number));
    let by_name = header.iter().position(|name| name == column);
    by_name.or_else(|| by_number().map(|number| number - 1)).ok_or_else(|| {
        let names = match header {
            [] => format!("there are {width} without names: give a number from 1"),
            names => format!("there are {}", names.join(", ")),
        };
        format!("there is no column {column}; {names}")
    })
}

fn in_json<'a>(text: &str, column: Option<&str>) -> Result<Vec<Cell<'a>>, String> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    let mut values = values.map_err(|error| format!("it looks like JSON and is none: {error}"))?;
    let rows = match (values.as_mut_slice(), column) {
        ([Value::Array(rows)], _) => std::mem::take(rows),
        ([Value::Object(keys)], Some(column)) => match keys.get_mut(column) {
            Some(Value::Array(rows)) => std::mem::take(rows),
            Some(_) => values,
            None => return Err(no_key(keys, column)),
        },
        _ => values,
    };
    let cell = |(index, row): (usize, Value)| {
        let content = match (row, column) {
            (Value::Object(mut keys), Some(column)) => {
                keys.get_mut(column).map(Value::take).ok_or_else(|| no_key(&keys, column))?
            }
            (Value::Object(keys), None) => {
                return Err(format!(
                    "element {index} is an object: choose a key with --column, of {}",
                    names(&keys)
                ));
            }
            (cell, _) => cell,
        };
        let content = match content {
            Value::Null => Content::Empty,
            Value::String(text) => Content::Text(Cow::Owned(text)),
            cell => Content::Number(cell.as_f64().ok_or_else(|| {
                format!("element {index} is no number: give an array of numbers, or --column")
            })?),
        };
        Ok(Cell { place: Place::Element(index), content })
    };
    (1..).zip(rows).map(cell).collect()
}

fn no_key(keys: &Map<String, Value>, column: &str) -> String {
    format!("there is no key {column}; there are {}", names(keys))
}

fn names(keys: &Map<String, Value>) -> String {
    keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, column: &str) -> Vec<String> {
        let cells = cells(text, Some(column)).unwrap();
        cells.iter().map(|cell| format!("{}: {:?}", cell.place, cell.content)).collect()
    }

    #[test]
    fn cells_of_one_row_stand_at_the_same_index_whatever_is_empty() {
        let table = "at,ns\n1,\n,2\n3\n";
        assert_eq!(texts(table, "at")[1], "line 3, column at: Empty");
        assert_eq!(texts(table, "ns")[2], "line 4, column ns: Empty");
        assert_eq!(texts("[{\"at\": null, \"ns\": 1}]", "at"), ["element 1: Empty"]);
    }

    #[test]
    fn a_row_of_times_and_numbers_is_no_header() {
        assert_eq!(texts("2026-01-05,7\n2026-01-06,8\n", "2").len(), 2);
        assert_eq!(texts("day,ns\n2026-01-06,8\n", "2").len(), 1);
    }
}
