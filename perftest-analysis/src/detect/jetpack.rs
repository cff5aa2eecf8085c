//! Jetpack's step fit over a series.
//!
//! Definition: with the mean and the squared error of `width` results before and after a point,
//! fit = (mean before - mean after) / (sqrt(both errors) / count of both); positive where the
//! values went down. A point changes where the fit is beyond the threshold to either side, and of
//! neighbours that all do it is the one with the largest fit.
//!
//! Source: "Fighting regressions with benchmarks in CI" (Android developers, 2020) and the formula
//! published with it, in own words. Behaviour: Skia's original without the normalisation, in 64 bits. With
//! equal widths the fit is 2 t / sqrt(1 - 2 / n) of a pooled t, so that the defaults, 25 at a width of 5,
//! mean t = 11.2: very strict. A step is reported `width` results late. Values without any scatter
//! have a fit of 0, so a step without noise is *not* found; this is how it was published. Cost:
//! the series times the width.

use crate::stats::{mean, squared_error_about};

/// The width and the threshold; the defaults are 5 and 25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jetpack {
    /// Results on either side of a point.
    pub width: usize,
    /// The fit beyond which a point changes.
    pub threshold: f64,
}

impl Default for Jetpack {
    fn default() -> Self {
        Self { width: 5, threshold: 25.0 }
    }
}

impl Jetpack {
    /// How well a step fits between two runs of results; 0 where one is empty or nothing scatters.
    ///
    /// ```
    /// use perftest_analysis::detect::Jetpack;
    /// let fit = Jetpack::fit(&[10.0, 10.0, 10.0, 10.0, 11.0], &[12.0; 5]);
    /// assert!((fit + 20.124611797498115).abs() < 1e-9);
    /// ```
    pub fn fit(before: &[f64], after: &[f64]) -> f64 {
        let (Some(before_mean), Some(after_mean)) = (mean(before), mean(after)) else {
            return 0.0;
        };
        let error =
            squared_error_about(before_mean, before) + squared_error_about(after_mean, after);
        let scale = error.sqrt() / (before.len() + after.len()) as f64;
        if scale == 0.0 { 0.0 } else { (before_mean - after_mean) / scale }
    }

    /// Indices of the first point after each change, ascending.
    ///
    /// ```
    /// use perftest_analysis::detect::Jetpack;
    /// let series: Vec<f64> = (0..20_i32).map(|i| f64::from(i % 2 + i / 10 * 40)).collect();
    /// assert_eq!(Jetpack::default().change_points(&series), [10]);
    /// ```
    pub fn change_points(&self, series: &[f64]) -> Vec<usize> {
        let width = self.width;
        if width == 0 {
            return Vec::new();
        }
        let windows = series.windows(width.saturating_mul(2)).enumerate();
        let fits: Vec<(usize, f64)> = windows
            .map(|(start, both)| (start + width, Self::fit(&both[..width], &both[width..])))
            .collect();
        let side = |fit: f64| if fit.abs() > self.threshold { fit.signum() } else { 0.0 };
        fits.chunk_by(|one, next| side(one.1) == side(next.1))
            .filter(|run| side(run[0].1) != 0.0)
            .filter_map(|run| run.iter().rev().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())))
            .map(|(index, _)| *index)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_series::noisy;

    #[test]
    fn each_step_is_reported_once_where_it_is() {
        let series = noisy(&[(20, 100.0), (20, 130.0), (20, 90.0)]);
        assert_eq!(Jetpack::default().change_points(&series), [20, 40]);
    }

    #[test]
    fn noise_alone_is_no_step() {
        assert!(Jetpack::default().change_points(&noisy(&[(200, 100.0)])).is_empty());
    }

    #[test]
    fn a_step_without_noise_is_missed_as_published() {
        let series: Vec<f64> = [1.0; 10].into_iter().chain([2.0; 10]).collect();
        assert!(Jetpack::default().change_points(&series).is_empty());
    }

    #[test]
    fn short_series_and_no_width_have_no_change() {
        for width in [0, 1, 5, usize::MAX] {
            let rule = Jetpack { width, threshold: 25.0 };
            assert!(rule.change_points(&[]).is_empty());
            assert!(rule.change_points(&[1.0]).is_empty());
        }
        assert_eq!(Jetpack::fit(&[], &[1.0]), 0.0);
    }
}
