//! The quartiles of values, and of the changes between neighbouring values.
//!
//! Definition: linear interpolation at place `p (n - 1)` (type 7). A change is the distance of two
//! neighbours over the first of them, without its sign; from 0 to 0 nothing changes.

/// First, second and third quartile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    /// A quarter of the values lies below.
    pub first: f64,
    /// The median.
    pub second: f64,
    /// A quarter of the values lies above.
    pub third: f64,
}

impl Quartiles {
    /// Returns the quartiles of values in any order; `None` without values, or if a quartile is not
    /// finite.
    ///
    /// ```
    /// use perftest_analysis::thresholds::Quartiles;
    /// let quartiles = Quartiles::of(&[2.0, 1.0]).unwrap();
    /// assert_eq!((quartiles.first, quartiles.second, quartiles.third), (1.25, 1.5, 1.75));
    /// ```
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Self::of_sorted(&sorted)
    }

    pub(super) fn of_sorted(sorted: &[f64]) -> Option<Self> {
        let quartile = |probability| interpolated(sorted, probability);
        Some(Self { first: quartile(0.25)?, second: quartile(0.5)?, third: quartile(0.75)? })
    }

    /// Returns the quartiles of the changes between neighbours; `None` with fewer than two values.
    ///
    /// ```
    /// use perftest_analysis::thresholds::Quartiles;
    /// let changes = Quartiles::of_changes(&[5.0, 4.0, 3.0, 2.0, 1.0]).unwrap();
    /// assert!((changes.first - 0.2375).abs() < 1e-15 && changes.third == 0.375);
    /// ```
    pub fn of_changes(values: &[f64]) -> Option<Self> {
        let changes = values.windows(2).map(|pair| change(pair[0], pair[1]));
        Self::of(&changes.collect::<Vec<f64>>())
    }

    /// The distance of the first and the third quartile.
    pub fn range(&self) -> f64 {
        self.third - self.first
    }
}

/// Returns the change from the first of two neighbours to the other.
pub(super) fn change(first: f64, other: f64) -> f64 {
    if first == other { 0.0 } else { ((other - first) / first).abs() }
}

fn interpolated(sorted: &[f64], probability: f64) -> Option<f64> {
    let place = probability * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    let between = below + (above - below) * place.fract();
    between.is_finite().then_some(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_quartiles_and_one_value_has_itself() {
        assert_eq!(Quartiles::of(&[]), None);
        assert_eq!(Quartiles::of_changes(&[1.0]), None);
        let one = Quartiles::of(&[3.0]).unwrap();
        assert_eq!((one.first, one.third), (3.0, 3.0));
    }

    #[test]
    fn a_change_from_zero_is_infinite_and_counts_only_where_a_quartile_is() {
        let rare = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0];
        assert_eq!(Quartiles::of_changes(&rare).map(|it| it.second), Some(0.0));
        assert_eq!(Quartiles::of_changes(&[0.0, 1.0, 0.0, 1.0]), None);
        assert_eq!(Quartiles::of_changes(&[0.0, 0.0]).map(|it| it.third), Some(0.0));
    }

    #[test]
    fn values_that_are_no_numbers_have_no_quartiles() {
        assert_eq!(Quartiles::of(&[f64::NAN, 1.0]), None);
        assert_eq!(Quartiles::of(&[f64::INFINITY, f64::NEG_INFINITY]), None);
    }
}
