//! The divergence of Matteson and James, and the cut where it is largest.
//!
//! Definition: for a cut at tau and an end at kappa, with n = tau values left and m = kappa - tau
//! right, Q = 2 / (n + m) (sum of |x - y|^alpha across) - 2 m / ((n + m) (n - 1)) (the same
//! of the pairs within the left) - 2 n / ((n + m) (m - 1)) (within the right); a side of one value has
//! no pairs. The best cut has the largest Q over all tau and all kappa, the first of equals by
//! tau and then by kappa. The end is free so that a change is seen although a later one undoes it.
//!
//! Source: Matteson and James, "A nonparametric approach for multiple change point analysis of
//! multivariate data", arXiv 1306.4933; as Apache Otava computes it. Behaviour: Q is larger than 0 for
//! noise as well, so that a test has to follow. Cost: the square of the values in time (cubic if
//! summed as defined), the values in space; [`Split::MOST_POINTS`] is the longest series.

use super::TooLong;

/// A cut and how far its sides diverge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Index of the first value of the right side.
    pub tau: usize,
    /// Index after the last value of the right side.
    pub kappa: usize,
    /// Q.
    pub qhat: f64,
}

impl Split {
    /// The longest series that is cut.
    pub const MOST_POINTS: usize = 5_000;

    /// The best cut of finite values; `None` for fewer than two. `alpha` is from above 0 to 2.
    ///
    /// # Errors
    ///
    /// There are more than [`Self::MOST_POINTS`] values.
    ///
    /// ```
    /// use perftest_conformance::detect::Split;
    /// let best = Split::best(&[0.3, 0.1, 0.2, 9.9, 9.7, 9.8], 1.0).unwrap().unwrap();
    /// assert_eq!((best.tau, best.kappa), (3, 6));
    /// ```
    pub fn best(values: &[f64], alpha: f64) -> Result<Option<Self>, TooLong> {
        TooLong::check("E-divisive's cut", values.len(), Self::MOST_POINTS)?;
        let mut best: Option<Self> = None;
        // Summed distances of the pairs from index tau up to the newest value, by tau, and those of
        // the first tau values.
        let mut right = vec![0.0; values.len()];
        let mut left = vec![0.0; values.len() + 1];
        for newest in 1..values.len() {
            let mut to_newest = 0.0;
            for tau in (0..newest).rev() {
                to_newest += distance(values[tau], values[newest], alpha);
                right[tau] += to_newest;
            }
            let kappa = newest + 1;
            left[kappa] = right[0];
            for tau in 1..kappa {
                let across = left[kappa] - left[tau] - right[tau];
                let qhat = divergence(tau, kappa, [across, left[tau], right[tau]]);
                let is_first = |it: Self| (tau, kappa) < (it.tau, it.kappa);
                if best.is_none_or(|it| qhat > it.qhat || (qhat == it.qhat && is_first(it))) {
                    best = Some(Self { tau, kappa, qhat });
                }
            }
        }
        Ok(best)
    }

    /// Q for one cut at `tau` and one end at `kappa`; `None` where a side would be empty or the end
    /// lies beyond the values.
    ///
    /// # Errors
    ///
    /// There are more than [`Self::MOST_POINTS`] values up to the end.
    ///
    /// ```
    /// use perftest_conformance::detect::Split;
    /// assert_eq!(Split::at(&[0.0, 1.0, 4.0], 1, 2, 1.0).unwrap().unwrap().qhat, 1.0);
    /// assert_eq!(Split::at(&[0.0, 1.0], 1, 3, 1.0), Ok(None));
    /// ```
    pub fn at(
        values: &[f64],
        tau: usize,
        kappa: usize,
        alpha: f64,
    ) -> Result<Option<Self>, TooLong> {
        if tau == 0 || kappa <= tau || kappa > values.len() {
            return Ok(None);
        }
        TooLong::check("E-divisive's cut", kappa, Self::MOST_POINTS)?;
        let (left, right) = values[..kappa].split_at(tau);
        let to_all = |value: f64, others: &[f64]| -> f64 {
            others.iter().map(|other| distance(value, *other, alpha)).sum()
        };
        let within = |side: &[f64]| -> f64 {
            side.iter().enumerate().map(|(i, value)| to_all(*value, &side[i + 1..])).sum()
        };
        let across = left.iter().map(|value| to_all(*value, right)).sum();
        let qhat = divergence(tau, kappa, [across, within(left), within(right)]);
        Ok(Some(Self { tau, kappa, qhat }))
    }
}

fn distance(one: f64, other: f64, alpha: f64) -> f64 {
    let distance = (one - other).abs();
    // The usual exponent does without a power.
    if alpha == 1.0 { distance } else { distance.powf(alpha) }
}

fn divergence(tau: usize, kappa: usize, [across, left, right]: [f64; 3]) -> f64 {
    let (n, m, all) = (tau as f64, (kappa - tau) as f64, kappa as f64);
    let within_left = if tau > 1 { 2.0 * m / (all * (n - 1.0)) * left } else { 0.0 };
    let within_right = if kappa - tau > 1 { 2.0 * n / (all * (m - 1.0)) * right } else { 0.0 };
    2.0 / all * across - within_left - within_right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_cut_is_the_best_of_all() {
        let series: Vec<f64> =
            (0..24).map(|i| f64::from(i * 13 % 7) / 5.0 + f64::from(i / 9)).collect();
        for alpha in [1.0, 0.5] {
            let all = (1..24).flat_map(|tau| (tau + 1..=24).map(move |kappa| (tau, kappa)));
            let all = all.map(|(tau, kappa)| Split::at(&series, tau, kappa, alpha));
            let expected = all.map(|split| split.unwrap().unwrap().qhat).fold(0.0, f64::max);
            let best = Split::best(&series, alpha).unwrap().unwrap();
            assert!((best.qhat - expected).abs() < 1e-12, "{alpha} {best:?} {expected}");
            let again = Split::at(&series, best.tau, best.kappa, alpha).unwrap().unwrap();
            assert!((again.qhat - best.qhat).abs() < 1e-12);
        }
    }

    #[test]
    fn a_change_that_is_undone_later_is_cut_at_its_begin() {
        let series = [[1.0; 8], [5.0; 8], [1.0; 8]].concat();
        assert_eq!(Split::best(&series, 1.0).unwrap().unwrap().tau, 8);
    }

    #[test]
    fn too_few_and_too_many_values_are_kept_apart() {
        assert_eq!(Split::best(&[], 1.0), Ok(None));
        assert_eq!(Split::best(&[1.0], 1.0), Ok(None));
        assert!(Split::best(&vec![1.0; 5_001], 1.0).is_err());
        assert_eq!(Split::best(&[2.0; 9], 1.0).unwrap().unwrap().qhat, 0.0);
    }
}
