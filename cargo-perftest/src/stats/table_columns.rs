//! Finds the columns of a table by their names and numbers.

use super::date::is_date;

/// The columns of a table.
pub(super) struct TableColumns<'a> {
    /// The cells of the first row.
    first: &'a [String],
    width: usize,
    /// Whether the first row has names.
    pub(super) has_header: bool,
}

/// The position of a column.
pub(super) struct ColumnPosition {
    pub(super) index: usize,
    /// Whether the header names it: it was found by its name, or no other column has one.
    pub(super) is_named: bool,
}

impl<'a> TableColumns<'a> {
    /// Describes the columns of a table of which `chosen` ones are read.
    pub(super) fn of(rows: &'a [(usize, Vec<String>)], chosen: &[&str]) -> Self {
        let row = |index: usize| rows.get(index).map_or(&[][..], |(_, cells)| cells);
        let width = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let columns = Self { first: row(0), width, has_header: false };
        let has_header = columns.are_names_above(row(1))
            || chosen.iter().any(|column| columns.is_name_needed(column));
        Self { has_header, ..columns }
    }

    /// Returns whether a column of the first two rows has a name above a value. The column of row labels often has an
    /// empty name.
    fn are_names_above(&self, second: &[String]) -> bool {
        let is_empty_label = |index: usize, cell: &String| index == 0 && cell.is_empty();
        let mut pairs = self.first.iter().zip(second).enumerate();
        pairs.any(|(index, (name, value))| {
            (is_word(name) || is_empty_label(index, name)) && !value.is_empty() && !is_word(value)
        })
    }

    /// Returns whether a column can only be read if the first row has names: the column is no number, or its first cell
    /// is none.
    fn is_name_needed(&self, column: &str) -> bool {
        match self.number(column) {
            Some(number) => self.first.get(number - 1).is_some_and(|cell| is_word(cell)),
            None => self.first.iter().any(|name| name == column),
        }
    }

    /// Returns the number from 1 of a column without regard to names.
    fn number(&self, column: &str) -> Option<usize> {
        column.parse::<usize>().ok().filter(|number| (1..=self.width).contains(number))
    }

    /// Finds the column with this name, or with this number if the first row has no such name.
    pub(super) fn find(&self, column: &str) -> Result<ColumnPosition, String> {
        let is_it = |name: &String| self.has_header && name == column;
        match (self.first.iter().position(is_it), self.number(column)) {
            (Some(index), _) => {
                self.refuse_twins(index)?;
                Ok(ColumnPosition { index, is_named: true })
            }
            (None, Some(number)) => {
                let is_named = self.has_header && number == 1 && self.first.len() == 1;
                Ok(ColumnPosition { index: number - 1, is_named })
            }
            (None, None) => Err(self.no_such(column)),
        }
    }

    fn no_such(&self, column: &str) -> String {
        if self.first.iter().any(|cell| is_word(cell)) {
            format!("there is no column {column}; there are {}", self.first.join(", "))
        } else {
            let width = self.width;
            format!(
                "there is no column {column}; there are {width} without names: give a number from 1"
            )
        }
    }

    /// Refuses a name that occurs again behind `index`.
    fn refuse_twins(&self, index: usize) -> Result<(), String> {
        let name = &self.first[index];
        match self.first[index + 1..].iter().position(|other| other == name) {
            None => Ok(()),
            Some(between) => Err(format!(
                "columns {} and {} are both named {name}: give the number of the one that is meant",
                index + 1,
                index + between + 2
            )),
        }
    }

    /// Refuses a row with more cells than the header has names: a decimal comma splits a number, and its two halves are
    /// numbers, too.
    pub(super) fn refuse_wider_rows(&self, rows: &[(usize, Vec<String>)]) -> Result<(), String> {
        let columns = self.first.len();
        let is_wider = |(_, cells): &&(usize, Vec<String>)| {
            cells.iter().skip(columns).any(|it| !it.is_empty())
        };
        let Some((line, cells)) = rows.iter().find(is_wider) else { return Ok(()) };
        Err(format!(
            "line {line} has {} cells under a header of {columns}: write decimals with a point, and no separator of \
             thousands",
            cells.len(),
        ))
    }
}

/// Returns whether a cell is neither empty nor a value. A decimal comma is refused where values are read, and is no name.
fn is_word(cell: &str) -> bool {
    let number = cell.replace(',', ".");
    !cell.is_empty() && number.parse::<f64>().is_err() && !is_date(cell)
}
