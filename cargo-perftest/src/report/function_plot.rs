//! Plots a function of the quantiles in a few lines of text.

const COLUMNS: usize = 60;
const ROWS: usize = 7;

/// A function from its first to its last probability, and the value that means no difference.
pub(crate) struct FunctionPlot<'a> {
    /// The function's values at evenly spaced probabilities.
    pub(crate) values: &'a [f64],
    pub(crate) same: f64,
    pub(crate) ascii: bool,
}

impl FunctionPlot<'_> {
    /// Returns the rows of the plot. `words` labels the rows of the largest and the smallest value
    /// and of the value without a difference. Empty for fewer than two values, or without any
    /// difference.
    pub(crate) fn rows(&self, words: impl Fn(f64) -> String) -> Vec<String> {
        let ends = self.values.iter().fold((self.same, self.same), |(least, most), value| {
            (least.min(*value), most.max(*value))
        });
        let length = ends.1 - ends.0;
        if self.values.len() < 2 || !(length > 0.0 && length.is_finite()) {
            return Vec::new();
        }
        let row = |value: f64| ((ends.1 - value) / length * (ROWS - 1) as f64).round() as usize;
        let (dot, line) = if self.ascii { ('*', '-') } else { ('●', '─') };
        let mut cells = vec![[' '; COLUMNS]; ROWS];
        cells[row(self.same)].fill(line);
        let place = |column: usize| column * (self.values.len() - 1) / (COLUMNS - 1);
        let rows = (0..COLUMNS).map(|column| row(self.values[place(column)]));
        for (column, row) in rows.enumerate() {
            cells[row][column] = dot;
        }
        let mut labels = vec![String::new(); ROWS];
        labels[0] = words(ends.1);
        labels[ROWS - 1] = words(ends.0);
        labels[row(self.same)] = words(self.same);
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let draw_row = |(label, cells): (&String, &[char; COLUMNS])| {
            let cells: String = cells.iter().collect();
            format!("{label:>width$}  {}", cells.trim_end()).trim_end().to_owned()
        };
        labels.iter().zip(&cells).map(draw_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moved_is_seen_against_what_is_the_same() {
        let values: Vec<f64> = (0..60).map(|at| if at < 30 { 1.0 } else { 1.5 }).collect();
        let plot = FunctionPlot { values: &values, same: 1.0, ascii: true };
        let rows = plot.rows(|value| format!("{value:.2}x"));
        assert_eq!(rows[0], format!("1.50x  {:30}{}", "", "*".repeat(30)));
        assert_eq!(rows[6], format!("1.00x  {}{}", "*".repeat(30), "-".repeat(30)));
        assert_eq!(rows.len(), 7);
    }

    #[test]
    fn what_is_the_same_throughout_has_no_picture() {
        for values in [[1.0; 9].as_slice(), &[2.0], &[f64::MAX, f64::MIN]] {
            let plot = FunctionPlot { values, same: 1.0, ascii: false };
            assert!(plot.rows(|_| String::new()).is_empty(), "{values:?}");
        }
    }
}
