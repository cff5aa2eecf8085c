//! Finds the cells of a column in lines, a table, or JSON.

use super::csv::{self, UnclosedQuote};
use super::table_columns::{ColumnPosition, TableColumns};
use serde_json::{Deserializer, Map, Value};
use std::borrow::Cow;
use std::fmt;

/// One value of a column, and its position.
#[derive(Debug, PartialEq)]
pub(super) struct Cell<'a> {
    pub(super) place: CellPosition<'a>,
    /// A text, or a number of JSON as a text; `None` for an empty cell.
    pub(super) content: Option<Cow<'a, str>>,
}

/// The position of a cell, from 1.
#[derive(Debug, PartialEq)]
pub(super) enum CellPosition<'a> {
    Line(usize),
    Column(usize, &'a str),
    Element(usize),
}

impl fmt::Display for CellPosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Column(line, column) => write!(f, "line {line}, column {column}"),
            Self::Element(index) => write!(f, "element {index}"),
        }
    }
}

/// Returns the cells of `text`, in this `column` if there are several. An error has what to
/// change.
pub(super) fn cells<'a>(text: &'a str, column: Option<&'a str>) -> Result<Vec<Cell<'a>>, String> {
    let text = without_mark(text);
    match column {
        _ if is_json(text) => in_json(text, column),
        Some(column) => in_columns(text, [column]).map(|[cells]| cells),
        None => Ok(in_lines(text)),
    }
}

/// Returns the cells of two columns, those of a row at the same index.
pub(super) fn paired_cells<'a>(
    text: &'a str,
    columns: [&'a str; 2],
) -> Result<[Vec<Cell<'a>>; 2], String> {
    let text = without_mark(text);
    if !is_json(text) {
        return in_columns(text, columns);
    }
    let pair = [in_json(text, Some(columns[0]))?, in_json(text, Some(columns[1]))?];
    let [one, other] = pair.each_ref().map(Vec::len);
    match one == other {
        true => Ok(pair),
        false => Err(format!(
            "there are {one} in {} and {other} in {}: each needs its counterpart",
            columns[0], columns[1]
        )),
    }
}

fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{'])
}

fn in_lines(text: &str) -> Vec<Cell<'_>> {
    let cell =
        |(line, text)| Cell { place: CellPosition::Line(line), content: Some(Cow::Borrowed(text)) };
    csv::lines(text).map(cell).collect()
}

fn in_columns<'a, const N: usize>(
    text: &str,
    columns: [&'a str; N],
) -> Result<[Vec<Cell<'a>>; N], String> {
    let rows = csv::rows(text)
        .map_err(|UnclosedQuote(line)| format!("line {line}: {}", UnclosedQuote::PROBLEM))?;
    let table = TableColumns::of(&rows, &columns);
    let places = columns.iter().map(|column| table.find(column));
    let places = places.collect::<Result<Vec<ColumnPosition>, String>>()?;
    if places.iter().any(|place| place.is_named) {
        table.refuse_wider_rows(&rows)?;
    }
    let heading = usize::from(table.has_header);
    let mut found = columns.map(|_| Vec::new());
    for (line, cells) in rows.into_iter().skip(heading) {
        for ((column, place), found) in columns.into_iter().zip(&places).zip(&mut found) {
            let text = cells.get(place.index).cloned().unwrap_or_default();
            let content = Some(Cow::Owned(text)).filter(|text: &Cow<'_, str>| !text.is_empty());
            found.push(Cell { place: CellPosition::Column(line, column), content });
        }
    }
    Ok(found)
}

fn in_json<'a>(text: &str, column: Option<&str>) -> Result<Vec<Cell<'a>>, String> {
    let values = Deserializer::from_str(text).into_iter().collect::<Result<Vec<Value>, _>>();
    let mut values =
        values.map_err(|error| format!("it looks like JSON, but is not valid: {error}"))?;
    let (rows, column) = match (values.as_mut_slice(), column) {
        ([Value::Array(rows)], _) => (std::mem::take(rows), column),
        ([Value::Object(keys)], Some(name)) => match keys.get_mut(name) {
            Some(Value::Array(rows)) => (std::mem::take(rows), None),
            Some(_) => (values, column),
            None => return Err(no_key(keys, name)),
        },
        _ => (values, column),
    };
    let cell = |(index, row)| {
        let content = content(row, column, index)?.map(Cow::Owned);
        Ok(Cell { place: CellPosition::Element(index), content })
    };
    (1..).zip(rows).map(cell).collect()
}

/// Returns the content of an element, or of a key if the element is an object.
fn content(row: Value, column: Option<&str>, index: usize) -> Result<Option<String>, String> {
    let cell = match (row, column) {
        (Value::Object(mut keys), Some(column)) => match keys.get_mut(column) {
            Some(cell) => cell.take(),
            None => return Err(no_key(&keys, column)),
        },
        (Value::Object(keys), None) => {
            return Err(format!(
                "element {index} is an object: choose a key with --column, of {}",
                names(&keys)
            ));
        }
        (Value::Null, _) => Value::Null,
        (_, Some(column)) => {
            return Err(format!(
                "element {index} is no object and has no key {column}: leave out --column"
            ));
        }
        (cell, None) => cell,
    };
    match cell {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        _ => Err(format!("element {index} is no number: give an array of numbers, or --column")),
    }
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
        assert_eq!(texts(table, "at")[1], "line 3, column at: None");
        assert_eq!(texts(table, "ns")[2], "line 4, column ns: None");
        assert_eq!(texts("[{\"at\": null, \"ns\": 1}]", "at"), ["element 1: None"]);
    }

    #[test]
    fn what_is_a_header_for_one_of_two_columns_is_one_for_both() {
        let pair = paired_cells(",ns\n5,1\n6,2\n", ["ns", "1"]).unwrap();
        assert_eq!(pair.each_ref().map(Vec::len), [2, 2]);
        assert!(paired_cells("{\"a\": [1], \"b\": [1, 2]}", ["a", "b"]).is_err());
    }

    #[test]
    fn two_columns_of_one_name_are_kept_apart_by_their_numbers() {
        let table = "ns,run,ns\n1,2,3\n";
        let error = cells(table, Some("ns")).unwrap_err();
        assert!(error.starts_with("columns 1 and 3 are both named ns"), "{error}");
        assert_eq!(texts(table, "3").len(), 1);
        assert_eq!(texts("5,5\n6,6\n", "2").len(), 2);
        assert_eq!(texts("2,2\n6,6\n", "2").len(), 2);
    }

    #[test]
    fn a_row_with_more_cells_than_the_header_has_names_is_refused() {
        let error = |table: &str| cells(table, Some("ms")).unwrap_err();
        let decimals = error("ms\n12,5\n13,1\n");
        assert!(
            decimals.starts_with("line 2 has 2 cells under a header of 1: write dec"),
            "{decimals}"
        );
        let thousands = error("ms,run\n999,1\n1,234,2\n");
        assert!(thousands.starts_with("line 3 has 3 cells under a header of 2"), "{thousands}");
        assert_eq!(texts("ms,run\n999,1,\n", "ms").len(), 1, "nothing is behind the last comma");
        assert_eq!(texts("ms;run\n12;1\n", "ms").len(), 1);
    }

    #[test]
    fn a_number_behind_a_cell_of_two_lines_is_not_lost() {
        let error = cells("name,ns\n\"a\nb\",5\n", Some("ns")).unwrap_err();
        assert!(error.starts_with("line 2: a quoted cell ends in another line"), "{error}");
    }

    #[test]
    fn a_row_of_times_and_numbers_is_no_header() {
        assert_eq!(texts("2026-01-05,7\n2026-01-06,8\n", "2").len(), 2);
        assert_eq!(texts("day,ns\n2026-01-06,8\n", "2").len(), 1);
    }
}
