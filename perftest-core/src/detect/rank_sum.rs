//! The two-sided probability of a rank sum, with ties.
//!
//! Definition: U counts the pairs in which the value of the first sample is larger, halves for
//! equal ones; the probability is twice that of at most the smaller of U and n m - U over all ways to
//! deal the pooled values out, at most 1, and 1 where both agree. Source: Mann and Whitney 1947; for
//! ties Klotz 1966; mirrored like this in the library that Skia Perf uses (with equal sizes that is
//! twice the smaller tail). Algorithm: the ways to choose k values with a doubled rank sum s, one tie
//! after the other; for larger samples the normal approximation with the correction for ties and for
//! continuity.

/// Samples of at most so many values without ties are dealt out exactly.
const MOST_EXACT: usize = 50;
/// The same with ties.
const MOST_EXACT_TIED: usize = 25;

/// U of the first sample and its two-sided probability; `None` where a sample is empty or all
/// values agree.
pub(super) fn rank_sum_test(first: &[f64], second: &[f64]) -> Option<(f64, f64)> {
    let ranked = Ranked::of(first, second);
    if first.is_empty() || second.is_empty() || ranked.ties.len() == 1 {
        return None;
    }
    let (n, m) = (first.len(), second.len());
    let u = (ranked.doubled_sum - n * (n + 1)) as f64 / 2.0;
    let is_tied = ranked.ties.iter().any(|tie| *tie > 1);
    let most = if is_tied { MOST_EXACT_TIED } else { MOST_EXACT };
    let tail = if n.max(m) <= most { ranked.exact_tail(n) } else { ranked.normal_tail(n, m, u) };
    Some((u, (2.0 * tail).min(1.0)))
}

/// Two samples in one order.
struct Ranked {
    /// Sizes of the groups of equal values, ascending.
    ties: Vec<usize>,
    /// Twice the sum of the first sample's ranks, counted from 1, equal values sharing theirs.
    doubled_sum: usize,
}

impl Ranked {
    fn of(first: &[f64], second: &[f64]) -> Self {
        let tell = |values: &[f64], is_first| -> Vec<(f64, bool)> {
            values.iter().map(|value| (*value, is_first)).collect()
        };
        let mut pooled = tell(first, true);
        pooled.extend(tell(second, false));
        pooled.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut ties, mut doubled_sum, mut below) = (Vec::new(), 0, 0);
        for group in pooled.chunk_by(|a, b| a.0 == b.0) {
            let own = group.iter().filter(|(_, is_first)| *is_first).count();
            doubled_sum += own * doubled_rank(below, group.len());
            below += group.len();
            ties.push(group.len());
        }
        Self { ties, doubled_sum }
    }

    /// The probability of at most the smaller of U and its mirror, over all ways to choose `chosen` of
    /// the values; one half where both agree.
    fn exact_tail(&self, chosen: usize) -> f64 {
        let size: usize = self.ties.iter().sum();
        let most = chosen * 2 * size;
        // Ways to choose k values with a doubled rank sum of s, at k (most + 1) + s.
        let width = most + 1;
        let mut ways = vec![0.0; (chosen + 1) * width];
        ways[0] = 1.0;
        let mut below = 0;
        for &tie in &self.ties {
            let rank = doubled_rank(below, tie);
            for k in (1..=chosen.min(below + tie)).rev() {
                for s in (rank..=most).rev() {
                    let mut binomial = 1.0;
                    let mut sum = ways[k * width + s];
                    for taken in 1..=tie.min(k).min(s / rank) {
                        binomial *= (tie + 1 - taken) as f64 / taken as f64;
                        sum += binomial * ways[(k - taken) * width + s - taken * rank];
                    }
                    ways[k * width + s] = sum;
                }
            }
            below += tie;
        }
        let ways = &ways[chosen * width..];
        let mirror = 2 * chosen * (size + 1) - self.doubled_sum;
        if mirror == self.doubled_sum {
            return 0.5;
        }
        let all: f64 = ways.iter().sum();
        ways[..=mirror.min(self.doubled_sum)].iter().sum::<f64>() / all
    }

    fn normal_tail(&self, n: usize, m: usize, u: f64) -> f64 {
        let (n, m) = (n as f64, m as f64);
        let size = n + m;
        let cubes: f64 = self.ties.iter().map(|tie| *tie as f64).map(|tie| tie.powi(3) - tie).sum();
        let variance = n * m / 12.0 * (size + 1.0 - cubes / (size * (size - 1.0)));
        let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
        normal_upper_tail(distance / variance.sqrt())
    }
}

/// Twice the rank that a group of `tie` equal values shares above `below` smaller ones.
fn doubled_rank(below: usize, tie: usize) -> usize {
    2 * below + tie + 1
}

/// The probability of a standard normal value above `z`, which is not negative: the series of the
/// distribution below 3, the continued fraction of its tail beyond (Abramowitz and Stegun 26.2.11
/// and 26.2.14).
fn normal_upper_tail(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z > 3.0 {
        let fraction = (1..=60).rev().fold(z, |fraction, step| z + f64::from(step) / fraction);
        return density / fraction;
    }
    let (mut term, mut sum) = (z, z);
    for step in 1..=60 {
        term *= z * z / f64::from(2 * step + 1);
        sum += term;
    }
    0.5 - density * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parted_samples_have_the_counted_probability() {
        // 2 of 70 ways are as far apart.
        let (u, p) = rank_sum_test(&[2.0, 1.0, 3.0, 5.0], &[12.0, 11.0, 13.0, 15.0]).unwrap();
        assert_eq!(u, 0.0);
        assert!((p - 2.0 / 70.0).abs() < 1e-15);
        assert_eq!(rank_sum_test(&[1.0, 4.0], &[2.0, 3.0]).unwrap().1, 1.0);
    }

    #[test]
    fn ties_are_dealt_out_as_if_each_value_had_a_name() {
        // Of 1 1 2 | 2 3 3 the sum of the first is the least: 1 1 and one of two 2 in 20 ways.
        let (u, p) = rank_sum_test(&[1.0, 1.0, 2.0], &[2.0, 3.0, 3.0]).unwrap();
        assert_eq!(u, 0.5);
        assert!((p - 4.0 / 20.0).abs() < 1e-15, "{p}");
    }

    #[test]
    fn nothing_to_compare_has_no_probability() {
        assert_eq!(rank_sum_test(&[], &[1.0]), None);
        assert_eq!(rank_sum_test(&[1.0], &[]), None);
        assert_eq!(rank_sum_test(&[2.0, 2.0], &[2.0]), None);
    }

    #[test]
    fn the_approximation_continues_the_exact_probability() {
        let sample = |count: usize, shift: f64| -> Vec<f64> {
            (0..count).map(|i| (i * 7919 % 1000) as f64 + shift + i as f64 / 1e4).collect()
        };
        let (first, second) = (sample(25, 0.0), sample(25, 90.0));
        let (u, exact) = rank_sum_test(&first, &second).unwrap();
        let approximate = 2.0 * Ranked::of(&first, &second).normal_tail(25, 25, u);
        assert!((approximate / exact - 1.0).abs() < 0.03, "{approximate} {exact}");
    }

    #[test]
    fn the_normal_tail_meets_the_table() {
        for (z, tail) in [(0.0, 0.5), (1.0, 0.158_655_253_9), (2.9, 1.865_813_3e-3)] {
            assert!((normal_upper_tail(z) / tail - 1.0).abs() < 1e-8, "{z}");
        }
        assert!((normal_upper_tail(4.0) / 3.167_124_183e-5 - 1.0).abs() < 1e-8);
    }
}
