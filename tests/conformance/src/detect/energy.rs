//! Energy statistics of two samples.
//!
//! Definition: with A the mean distance of a value of one sample to one of the other, B and C those
//! within each (all n^2 pairs, a value with itself included): e = 2 A - B - C, t = n m / (n + m) e,
//! h = e / (2 A), 0 where A is. Source: Szekely and Rizzo, "Energy statistics", Journal of
//! Statistical Planning and Inference 143 (2013). Behaviour: 0 only where the distributions agree, so
//! that shape counts as well as level; far values count in full. Cost: a sort.

/// How far two samples are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyStatistics {
    /// The energy distance.
    pub e: f64,
    /// The test statistic.
    pub t: f64,
    /// The coefficient of inhomogeneity, from 0 to 1.
    pub h: f64,
}

impl EnergyStatistics {
    /// Of two samples of finite values; `None` where one is empty.
    ///
    /// ```
    /// use perftest_conformance::detect::EnergyStatistics;
    /// let apart = EnergyStatistics::of(&[0.0, 0.0], &[3.0, 3.0]).unwrap();
    /// assert_eq!(apart, EnergyStatistics { e: 6.0, t: 6.0, h: 1.0 });
    /// ```
    pub fn of(first: &[f64], second: &[f64]) -> Option<Self> {
        if first.is_empty() || second.is_empty() {
            return None;
        }
        let pooled = [first, second].concat();
        let (within_first, within_second) = (pair_distances(first), pair_distances(second));
        let across = (pair_distances(&pooled) - within_first - within_second).max(0.0);
        Some(Self::from_sums([within_first, within_second, across], first.len(), second.len()))
    }

    /// From the summed distances of all pairs (each once) within the first, within the second and
    /// across, and the sizes, which are not 0.
    pub(super) fn from_sums(sums: [f64; 3], n: usize, m: usize) -> Self {
        let (n, m) = (n as f64, m as f64);
        let [first, second, across] = sums;
        let apart = across / (n * m);
        let e = 2.0 * apart - 2.0 * first / (n * n) - 2.0 * second / (m * m);
        let h = if apart > 0.0 { e / (2.0 * apart) } else { 0.0 };
        Self { e, t: n * m / (n + m) * e, h }
    }
}

/// The summed distances of all pairs, each once.
fn pair_distances(values: &[f64]) -> f64 {
    // Each gap between neighbours lies in as many pairs as there are values below times above.
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let gaps = sorted.windows(2).enumerate();
    gaps.map(|(i, two)| (two[1] - two[0]) * ((i + 1) * (sorted.len() - i - 1)) as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_the_definition() {
        let (first, second) = ([1.0, 5.5, -2.0, 1.0], [7.0, 0.5, 3.0]);
        let mean = |a: &[f64], b: &[f64]| {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a - b).abs()));
            pairs.sum::<f64>() / (a.len() * b.len()) as f64
        };
        let e = 2.0 * mean(&first, &second) - mean(&first, &first) - mean(&second, &second);
        let energy = EnergyStatistics::of(&first, &second).unwrap();
        assert!((energy.e - e).abs() < 1e-12);
        assert!((energy.t - e * 12.0 / 7.0).abs() < 1e-12);
        assert!((energy.h - e / (2.0 * mean(&first, &second))).abs() < 1e-12);
    }

    #[test]
    fn samples_that_agree_are_not_apart_and_nothing_is_not_compared() {
        let same = EnergyStatistics::of(&[2.0; 3], &[2.0; 5]).unwrap();
        assert_eq!(same, EnergyStatistics { e: 0.0, t: 0.0, h: 0.0 });
        assert_eq!(EnergyStatistics::of(&[], &[1.0]), None);
        assert_eq!(EnergyStatistics::of(&[1.0], &[]), None);
    }
}
