//! Plots a history in one line, with marks below.

use super::sparkline;
use perftest_core::model::Sample;
use std::ops::Range;

const COLUMNS: usize = 60;

/// Values in their order; several may share a column.
pub(crate) struct ValuePlot<'a>(pub(crate) &'a [f64]);

impl ValuePlot<'_> {
    /// Returns the medians of the columns, and below them marks for ranges of values.
    pub(crate) fn picture(&self, marks: &[(Range<usize>, char)], ascii: bool) -> String {
        let columns = self.columns();
        let median = |column: usize| {
            let values = &self.0[self.start(column)..self.start(column + 1)];
            Sample::median_of(values).unwrap_or(0.0)
        };
        let medians: Vec<f64> = (0..columns).map(median).collect();
        let mut below = vec![' '; columns];
        for (places, mark) in marks {
            let last = self.column(places.end.saturating_sub(1));
            below[self.column(places.start)..=last].fill(*mark);
        }
        let below = String::from_iter(below);
        format!("  {}\n  {below}", sparkline(&medians, ascii)).trim_end().to_owned() + "\n"
    }

    fn columns(&self) -> usize {
        self.0.len().min(COLUMNS)
    }

    /// Returns the first value of a column.
    fn start(&self, column: usize) -> usize {
        column * self.0.len() / self.columns()
    }

    /// Returns the column of a value.
    fn column(&self, place: usize) -> usize {
        (0..self.columns()).rev().find(|column| self.start(*column) <= place).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_below_the_columns_of_their_values() {
        let step: Vec<f64> = (0..180).map(|i| if i < 90 { 1.0 } else { 2.0 }).collect();
        let picture = ValuePlot(&step).picture(&[(90..91, '^'), (174..180, '~')], true);
        let [line, marks] = picture.lines().collect::<Vec<_>>()[..] else {
            panic!("{picture}");
        };
        assert_eq!(line, format!("  {}{}", "_".repeat(30), "#".repeat(30)));
        assert_eq!(marks, format!("  {}^{}~~", " ".repeat(30), " ".repeat(27)));
    }

    #[test]
    fn few_values_have_a_column_each() {
        let picture = ValuePlot(&[1.0, 3.0, 3.0]).picture(&[(1..2, '^')], true);
        assert_eq!(picture, "  _##\n   ^\n");
        assert_eq!(ValuePlot(&[1.0]).picture(&[], true), "  -\n");
    }
}
