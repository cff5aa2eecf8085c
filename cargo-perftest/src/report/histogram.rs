//! Plots a histogram in a few lines of text.

const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 9] = [' ', '.', '.', ':', ':', '|', '|', '#', '#'];
const ROWS: usize = 4;
const COLUMNS: usize = 60;

/// An axis and the characters to draw with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Histogram {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) ascii: bool,
}

impl Histogram {
    /// Returns the rows, the highest first, with as many bars as this number of values can fill.
    /// Values off the axis are omitted. Empty if the axis has no length.
    pub(crate) fn rows(self, values: &[f64]) -> Vec<String> {
        let width = bar_width(values.len());
        let mut counts = [0_usize; COLUMNS];
        for column in values.iter().filter_map(|value| self.column(*value)) {
            let bar = column / width * width;
            counts[bar..bar + width].iter_mut().for_each(|count| *count += 1);
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Vec::new();
        }
        let levels = if self.ascii { ASCII } else { BLOCKS };
        // A single value is visible too.
        let height = |count: usize| (8 * ROWS * count).div_ceil(most);
        let row = |row: usize| {
            let cell = |count: &usize| levels[height(*count).saturating_sub(8 * row).min(8)];
            counts.iter().map(cell).collect::<String>().trim_end().to_owned()
        };
        (0..ROWS).rev().map(row).collect()
    }

    /// Returns a line with a mark below each of these positions.
    pub(crate) fn marks(self, places: impl Iterator<Item = f64>) -> String {
        let mut line = [' '; COLUMNS];
        places.filter_map(|place| self.column(place)).for_each(|column| line[column] = '^');
        line.iter().collect::<String>().trim_end().to_owned()
    }

    /// Returns a line with these labels at the ends of the axis.
    pub(crate) fn ends(self, from: &str, to: &str) -> String {
        let width = COLUMNS.saturating_sub(from.chars().count()).max(to.chars().count() + 1);
        format!("{from}{to:>width$}")
    }

    fn column(self, value: f64) -> Option<usize> {
        let length = self.to - self.from;
        let is_on = length > 0.0 && length.is_finite() && self.from <= value && value <= self.to;
        let place = (value - self.from) / length * COLUMNS as f64;
        is_on.then(|| (place as usize).min(COLUMNS - 1))
    }
}

/// Returns the columns of a bar, for about twice the root of the number of values as bars.
fn bar_width(values: usize) -> usize {
    let bars = 2.0 * (values as f64).sqrt();
    [1, 2, 3, 4, 5].into_iter().find(|width| (COLUMNS / width) as f64 <= bars).unwrap_or(6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_humps_are_seen_and_rare_values_too() {
        let picture = Histogram { from: 0.0, to: 60.0, ascii: false };
        let values = [vec![10.5; 3_200], vec![40.5; 1_600], vec![59.0, 90.0]].concat();
        let rows = picture.rows(&values);
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0], format!("{:10}█", ""));
        assert_eq!(rows[3], format!("{:10}█{:29}█{:18}▁", "", "", ""));
        assert_eq!(picture.marks([10.5, 40.5].into_iter()), format!("{:10}^{:29}^", "", ""));
        let ascii = Histogram { ascii: true, ..picture };
        assert!(ascii.rows(&values).concat().is_ascii());
        assert_eq!(ascii.ends("0", "60").len(), 60);
    }

    #[test]
    fn few_values_are_drawn_in_wide_bars() {
        let picture = Histogram { from: 0.0, to: 60.0, ascii: true };
        let rows = picture.rows(&[1.0, 30.0, 30.0]);
        assert_eq!(rows[0], format!("{:30}######", ""));
        assert_eq!(rows[3], format!("######{:24}######", ""));
        assert_eq!([3, 60, 400, 1_000].map(bar_width), [6, 4, 2, 1]);
    }

    #[test]
    fn no_length_and_no_values_have_no_picture() {
        let point = Histogram { from: 5.0, to: 5.0, ascii: false };
        assert!(point.rows(&[5.0]).is_empty());
        let endless = Histogram { from: f64::MIN, to: f64::MAX, ascii: false };
        assert!(endless.rows(&[0.0]).is_empty());
    }
}
