//! The step of the Chromium performance dashboard.
//!
//! Definition: of the newest `max_window` points, the split that leaves the least population deviation when
//! each part is moved by its median (the first of equals). It is a change if both parts have
//! `min_segment` points and the medians differ by `min_absolute_change`, by `min_relative_change` of the
//! first, and by `multiple_of_std_dev` of the smaller deviation of the parts, and if the steppiness is at
//! least `min_steppiness`: 1 - sqrt(squared errors about the parts' means / about the whole mean), 0 where
//! nothing scatters. Welch's t, from population variances, is reported and decides nothing; its p is the
//! customary level next above the two-sided probability, with the degrees of freedom rounded up.
//!
//! Source: catapult, `find_change_points` with the variance minimising split (before 2022), in own
//! words. Behaviour: at most one change in a window, so two in 50 points hide each other; a change at an
//! end is reported once six points follow it; the smaller deviation lets one quiet side excuse a noisy
//! one. Cost: a window costs the square of its points, and [`Chromeperf::MOST_POINTS`] is the longest.

use super::TooLong;
use super::too_long::Budget;
use perftest_analysis::stats::{mean, squared_error_about};
use perftest_core::stats::student_upper_tail;

/// The levels between which a p is reported.
const LEVELS: [f64; 9] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0];

/// What a change has to reach; the defaults are the dashboard's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chromeperf {
    /// Newest points that are looked at: 50.
    pub max_window: usize,
    /// Least points on either side: 6.
    pub min_segment: usize,
    /// Least distance of the medians: 0.
    pub min_absolute_change: f64,
    /// Least distance of the medians, relative to the first: 0.01.
    pub min_relative_change: f64,
    /// Least steppiness: 0.5.
    pub min_steppiness: f64,
    /// Least distance of the medians in deviations: 2.5.
    pub multiple_of_std_dev: f64,
}

/// A step that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromeperfStep {
    /// Index of the first point after it.
    pub index: usize,
    /// Index of the first point that was looked at.
    pub window_start: usize,
    /// Index of the last point that was looked at.
    pub window_end: usize,
    /// Points of the window before it.
    pub size_before: usize,
    /// Points of the window after it.
    pub size_after: usize,
    /// Their median before.
    pub median_before: f64,
    /// Their median after.
    pub median_after: f64,
    /// Distance of the medians relative to the first, without sign.
    pub relative_change: f64,
    /// Population deviation before.
    pub std_dev_before: f64,
    /// Welch's t.
    pub t: f64,
    /// Its degrees of freedom, at least 1.
    pub freedom: f64,
    /// The customary level its probability stays below; no level is below [`LEAST_P`](Self::LEAST_P).
    pub p: f64,
}

impl Default for Chromeperf {
    fn default() -> Self {
        Self {
            max_window: 50,
            min_segment: 6,
            min_absolute_change: 0.0,
            min_relative_change: 0.01,
            min_steppiness: 0.5,
            multiple_of_std_dev: 2.5,
        }
    }
}

impl Chromeperf {
    /// The longest window that is split.
    pub const MOST_POINTS: usize = 10_000;
    /// The points of a growing series times the square of the window.
    const MOST_WORK: usize = 2_000_000_000;

    /// The step among the newest points of `series`.
    ///
    /// # Errors
    ///
    /// The window has more than [`Self::MOST_POINTS`] points.
    ///
    /// ```
    /// use perftest_conformance::detect::Chromeperf;
    /// let series: Vec<f64> = [10.0, 11.0].repeat(5).into_iter().chain([20.0, 21.0].repeat(5)).collect();
    /// assert_eq!(Chromeperf::default().find(&series).unwrap().unwrap().index, 10);
    /// ```
    pub fn find(&self, series: &[f64]) -> Result<Option<ChromeperfStep>, TooLong> {
        let start = series.len().saturating_sub(self.max_window);
        let window = &series[start..];
        let Some(split) = Self::split(window)? else {
            return Ok(None);
        };
        Ok(self.passes(window, split).then(|| ChromeperfStep::at(start, window, split)))
    }

    /// Returns every step that was reported while the series grew, as indices of the first point after it; what
    /// lies before a step is not looked at again.
    ///
    /// # Errors
    ///
    /// The series times the square of the window is more than some seconds.
    pub fn change_points(&self, series: &[f64]) -> Result<Vec<usize>, TooLong> {
        let window = self.max_window.min(series.len());
        let work = series.len().saturating_mul(window).saturating_mul(window);
        Budget::new("Chromeperf's step", series.len(), Self::MOST_WORK).spend(work)?;
        let mut indices = Vec::new();
        for end in 1..=series.len() {
            let start = indices.last().copied().unwrap_or(0);
            if let Some(step) = self.find(&series[start..end])? {
                indices.push(start + step.index);
            }
        }
        Ok(indices)
    }

    /// Index of the first value after the likeliest step; `None` for fewer than two values.
    ///
    /// # Errors
    ///
    /// There are more than [`Self::MOST_POINTS`] values.
    ///
    /// ```
    /// use perftest_conformance::detect::Chromeperf;
    /// assert_eq!(Chromeperf::split(&[3.0, 2.0, 3.0, 5.0, 6.0, 5.0]), Ok(Some(3)));
    /// ```
    pub fn split(values: &[f64]) -> Result<Option<usize>, TooLong> {
        TooLong::check("Chromeperf's split", values.len(), Self::MOST_POINTS)?;
        let (mut left, mut right) = (Vec::new(), values.to_vec());
        right.sort_unstable_by(f64::total_cmp);
        let mut best: Option<(usize, f64)> = None;
        for (place, value) in values.iter().enumerate() {
            if let (Some(before), Some(after)) = (middle(&left), middle(&right)) {
                let (first, second) = values.split_at(place);
                let moved = first.iter().map(|value| value - before);
                let moved = moved.chain(second.iter().map(|value| value - after));
                let deviation = deviation(&moved.collect::<Vec<f64>>());
                if best.is_none_or(|(_, least)| deviation < least) {
                    best = Some((place, deviation));
                }
            }
            let rank = |sorted: &[f64]| sorted.partition_point(|it| it.total_cmp(value).is_lt());
            left.insert(rank(&left), *value);
            right.remove(rank(&right));
        }
        Ok(best.map(|(place, _)| place))
    }

    /// Whether the values have a step at `split` that reaches everything that is asked for.
    pub fn passes(&self, values: &[f64], split: usize) -> bool {
        if split == 0 || split >= values.len() {
            return false;
        }
        let (left, right) = values.split_at(split);
        let (before, after) = (median(left), median(right));
        let change = (before - after).abs();
        let deviation = deviation(left).min(deviation(right));
        left.len().min(right.len()) >= self.min_segment
            && change >= self.min_absolute_change
            && relative_change(before, after) >= self.min_relative_change
            && change >= self.multiple_of_std_dev * deviation
            && steppiness(values, split) >= self.min_steppiness
    }

    /// The values less their median.
    ///
    /// ```
    /// use perftest_conformance::detect::Chromeperf;
    /// assert_eq!(Chromeperf::zero_median(&[45.0, 46.0]), [-0.5, 0.5]);
    /// ```
    pub fn zero_median(values: &[f64]) -> Vec<f64> {
        let median = median(values);
        values.iter().map(|value| value - median).collect()
    }
}

impl ChromeperfStep {
    /// The least of the levels: all that is known of a smaller probability.
    pub const LEAST_P: f64 = LEVELS[0];

    fn at(start: usize, window: &[f64], split: usize) -> Self {
        let (left, right) = window.split_at(split);
        let (median_before, median_after) = (median(left), median(right));
        let (t, freedom) = welch(left, right);
        let probability = 2.0 * student_upper_tail(freedom.ceil(), t.abs());
        Self {
            index: start + split,
            window_start: start,
            window_end: start + window.len() - 1,
            size_before: left.len(),
            size_after: right.len(),
            median_before,
            median_after,
            relative_change: relative_change(median_before, median_after),
            std_dev_before: deviation(left),
            t,
            freedom,
            p: LEVELS.into_iter().find(|level| probability <= *level).unwrap_or(1.0),
        }
    }
}

/// The median; 0 of nothing.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    middle(&sorted).unwrap_or(0.0)
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[half - 1] + upper) / 2.0 })
}

fn deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// Of the population: divided by all values.
fn variance(values: &[f64]) -> f64 {
    squared_error(values) / values.len() as f64
}

fn squared_error(values: &[f64]) -> f64 {
    squared_error_about(mean(values).unwrap_or(0.0), values)
}

fn relative_change(before: f64, after: f64) -> f64 {
    if before == 0.0 { f64::INFINITY } else { ((after - before) / before).abs() }
}

fn steppiness(values: &[f64], split: usize) -> f64 {
    let (left, right) = values.split_at(split);
    let whole = squared_error(values);
    if whole == 0.0 {
        0.0
    } else {
        1.0 - ((squared_error(left) + squared_error(right)) / whole).sqrt()
    }
}

/// Welch's t and its degrees of freedom, from population variances.
fn welch(left: &[f64], right: &[f64]) -> (f64, f64) {
    let (n, m) = (left.len() as f64, right.len() as f64);
    let mean = |values| mean(values).unwrap_or(0.0);
    let part = |values: &[f64]| variance(values) / values.len() as f64;
    let (first, second) = (part(left), part(right));
    if first + second == 0.0 {
        return (f64::INFINITY, 1.0);
    }
    let t = (mean(left) - mean(right)) / (first + second).sqrt();
    let freedom =
        (first + second).powi(2) / (first * first / (n - 1.0) + second * second / (m - 1.0));
    (t, freedom.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::test_series::noisy;

    #[test]
    fn each_step_of_a_growing_series_is_reported_once() {
        let series = noisy(&[(40, 100.0), (60, 110.0), (30, 90.0)]);
        assert_eq!(Chromeperf::default().change_points(&series), Ok(vec![40, 100]));
    }

    #[test]
    fn noise_alone_is_no_step() {
        assert_eq!(Chromeperf::default().change_points(&noisy(&[(300, 100.0)])), Ok(vec![]));
    }

    #[test]
    fn only_the_newest_points_are_looked_at() {
        let series = noisy(&[(20, 100.0), (60, 110.0)]);
        assert_eq!(Chromeperf::default().find(&series), Ok(None));
        let wide = Chromeperf { max_window: 80, ..Chromeperf::default() };
        let step = wide.find(&series).unwrap().unwrap();
        assert_eq!((step.index, step.size_before, step.p), (20, 20, 0.001));
    }

    #[test]
    fn nothing_one_point_and_constants_have_no_step() {
        for series in [vec![], vec![1.0], vec![3.0; 40]] {
            assert_eq!(Chromeperf::default().find(&series), Ok(None));
        }
        assert_eq!(Chromeperf::split(&[4.0; 6]), Ok(Some(1)));
        assert!(!Chromeperf::default().passes(&[1.0, 2.0], 0));
        assert!(!Chromeperf::default().passes(&[1.0, 2.0], 9));
    }

    #[test]
    fn a_window_that_is_too_long_is_refused_in_words() {
        let wide = Chromeperf { max_window: usize::MAX, ..Chromeperf::default() };
        let refused = wide.find(&vec![1.0; 20_000]).unwrap_err();
        assert!(refused.to_string().contains("at most 10000 points"), "{refused}");
    }
}
