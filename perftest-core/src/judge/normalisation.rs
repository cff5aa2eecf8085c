//! Normalisation of values by the machine's speed, where the history shows that this reduces the
//! scatter.
//!
//! For each covariate that all runs have, this fits the slope of the logarithm of the runs' centers
//! over the logarithm of the covariate, by least squares. The slope is shrunk towards 0 by `1 -
//! 1/t^2` (the positive part of a James-Stein estimate of one slope) and kept between 0 and 1. It
//! is used only if it lowers the spread of centers that were left out of the fit (leave-one-out),
//! so a covariate that explains nothing changes nothing.
//!
//! Sources. The shrinkage is James and Stein's positive part. Five runs and nine tenths are
//! choices; `recorded-noise.sh` prints their effect: a tenth of a percentage point at most.

use crate::list::IntoList;
use crate::model::{Covariate, Observation, Probes, Sample};
use crate::stats::median_distance;

/// The fewest runs for a slope. A convention: so few normalise recorded slowdowns (docs/evidence/noise.md).
const FEWEST_RUNS: usize = 5;
/// The spread must fall below this share of its old value. A convention: `ci/campaigns/recorded-noise.sh` prints its
/// effect, a tenth of a percentage point at most.
const WORTHWHILE: f64 = 0.9;

/// Returns the logarithm of the covariate, which grows with the time that it costs.
fn log_of(covariate: Covariate, probes: &Probes) -> Option<f64> {
    let log = match covariate {
        Covariate::Reference => probes.reference_ns?.ln(),
        Covariate::Clock => -probes.clock_ghz?.ln(),
        Covariate::Disk => probes.disk_ns?.ln(),
        Covariate::Others => (1.0 + probes.others_cpus?).ln(),
    };
    log.is_finite().then_some(log)
}

/// The correction of one test's values; the default changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Normalisation {
    slope: Option<Slope>,
    /// The fastest machine up to which the values are corrected, or else that of a run: a covariate with its logarithm.
    /// `None` where a run does not know its speed.
    corrected_upto: Option<(Covariate, f64)>,
}

/// Returns the logarithms of a covariate; `None` where a run does not know it.
fn logs_of(covariate: Covariate, centers: &[Observation]) -> Option<Vec<f64>> {
    centers.iter().map(|center| log_of(covariate, &center.probes)).into_list_of_some()
}

/// Returns the machine at its fastest in the runs, by the clock or else by the reference kernel.
fn fastest(centers: &[Observation]) -> Option<(Covariate, f64)> {
    let least = |covariate| logs_of(covariate, centers)?.into_iter().reduce(f64::min);
    [Covariate::Clock, Covariate::Reference].into_iter().find_map(|it| Some((it, least(it)?)))
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Slope {
    covariate: Covariate,
    slope: f64,
    /// Mean of the covariate's logarithm over the runs.
    center: f64,
    /// The range of the covariate in the history, and half as far again.
    known: (f64, f64),
}

impl Normalisation {
    /// Fits the correction that lowers the spread of the runs' centers most, if any does.
    /// `log_costs` are the logarithms of the centers' values, in the same order.
    pub fn fit(centers: &[Observation], log_costs: &[f64]) -> Self {
        if centers.len() < FEWEST_RUNS {
            return Self { slope: None, corrected_upto: fastest(centers) };
        }
        let (raw, raw_distance) = (deviation(log_costs), distance(log_costs));
        let candidates = Covariate::ALL.iter().copied().filter_map(|covariate| {
            let logs = logs_of(covariate, centers)?;
            let left = left_out(&logs, log_costs);
            let helps = deviation(&left) < WORTHWHILE * raw && distance(&left) <= raw_distance;
            helps.then(|| (deviation(&left), Slope::fit(covariate, &logs, log_costs)))
        });
        let best = candidates.min_by(|a, b| a.0.total_cmp(&b.0));
        let slope = best.map(|(_, slope)| slope);
        let corrected = slope.map(|slope| (slope.covariate, slope.known.0));
        Self { slope, corrected_upto: corrected.or_else(|| fastest(centers)) }
    }

    /// How much faster the machine is than the values are corrected for (logarithm, 0 or above). Code that
    /// is slower by so much can look unchanged.
    pub fn machine_ahead(&self, probes: &Probes) -> f64 {
        let ahead =
            self.corrected_upto.and_then(|(covariate, log)| Some(log - log_of(covariate, probes)?));
        ahead.unwrap_or(0.0).max(0.0)
    }

    /// Adjusts a logarithm of a cost to the usual value of the covariate.
    pub fn adjust(&self, log_cost: f64, probes: &Probes) -> f64 {
        let known = self.slope.and_then(|slope| Some((slope, log_of(slope.covariate, probes)?)));
        let Some((slope, log)) = known else {
            return log_cost;
        };
        log_cost - slope.slope * (log.clamp(slope.known.0, slope.known.1) - slope.center)
    }

    /// Returns the covariate of the normalisation, if any.
    pub fn covariate(&self) -> Option<Covariate> {
        self.slope.map(|slope| slope.covariate)
    }
}

impl Slope {
    fn fit(covariate: Covariate, logs: &[f64], log_costs: &[f64]) -> Self {
        let lowest = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let beyond = (highest - lowest) / 2.0;
        Self {
            covariate,
            slope: shrunk_slope(logs, log_costs),
            center: mean(logs),
            known: (lowest - beyond, highest + beyond),
        }
    }
}

/// Returns each cost minus its prediction by the slope of all others.
fn left_out(logs: &[f64], log_costs: &[f64]) -> Vec<f64> {
    let without = |values: &[f64], index: usize| [&values[..index], &values[index + 1..]].concat();
    (0..logs.len())
        .map(|index| {
            let (logs_left, costs_left) = (without(logs, index), without(log_costs, index));
            let slope = shrunk_slope(&logs_left, &costs_left);
            log_costs[index] - slope * (logs[index] - mean(&logs_left))
        })
        .into_list()
}

/// Returns the least-squares slope, shrunk by its uncertainty and kept between 0 and 1.
fn shrunk_slope(x: &[f64], y: &[f64]) -> f64 {
    let (mean_x, mean_y) = (mean(x), mean(y));
    let pairs = || x.iter().zip(y).map(|(x, y)| (x - mean_x, y - mean_y));
    let (xx, xy): (f64, f64) =
        pairs().fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + x * x, xy + x * y));
    if xx <= 0.0 || xy <= 0.0 {
        return 0.0;
    }
    let slope = xy / xx;
    let residual: f64 = pairs().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let variance = residual / (x.len() as f64 - 2.0) / xx;
    (slope * (1.0 - variance / (slope * slope)).max(0.0)).min(1.0)
}

/// Returns the standard deviation of the values.
fn deviation(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    (squares / values.len() as f64).sqrt()
}

/// Returns the median distance of two values, which single far ones do not move.
fn distance(values: &[f64]) -> f64 {
    Sample::new(values.to_vec()).map_or(0.0, |sample| median_distance(sample.sorted()))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic noise between -1 and 1 (the finaliser of SplitMix64).
    fn noise(index: usize) -> f64 {
        let mut bits = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn runs(count: usize, cost: impl Fn(f64, usize) -> f64) -> (Vec<Observation>, Vec<f64>) {
        let reference_ns = |index| 9_000.0 * (1.0 + 0.03 * noise(index));
        let costs: Vec<f64> = (0..count).map(|index| cost(reference_ns(index), index)).collect();
        let center = |index: usize| Observation {
            probes: Probes { reference_ns: Some(reference_ns(index)), ..Probes::default() },
            ..Observation::from(costs[index].exp())
        };
        ((0..count).map(center).collect(), costs)
    }

    fn probes(reference_ns: f64) -> Probes {
        Probes { reference_ns: Some(reference_ns), ..Probes::default() }
    }

    #[test]
    fn a_test_that_follows_the_reference_is_freed_from_it() {
        let (centers, costs) =
            runs(20, |reference_ns, index| (reference_ns / 90.0).ln() + 0.001 * noise(index + 100));
        let normalisation = Normalisation::fit(&centers, &costs);
        assert_eq!(normalisation.covariate(), Some(Covariate::Reference));
        let slow = normalisation.adjust((9_270.0_f64 / 90.0).ln(), &probes(9_270.0));
        let fast = normalisation.adjust((8_730.0_f64 / 90.0).ln(), &probes(8_730.0));
        assert!((slow - fast).abs() < 0.003, "{slow} {fast}");
    }

    #[test]
    fn a_test_that_does_not_care_is_left_alone() {
        let (centers, costs) = runs(30, |_, index| 4.6 + 0.02 * noise(index + 1_000));
        let normalisation = Normalisation::fit(&centers, &costs);
        assert_eq!(normalisation.covariate(), None);
        assert_eq!(normalisation.adjust(4.6, &probes(12_000.0)), 4.6);
    }

    #[test]
    fn a_machine_beyond_the_speed_of_all_runs_is_ahead_of_them() {
        let at = |clock_ghz| Observation {
            probes: Probes { clock_ghz: Some(clock_ghz), ..Probes::default() },
            ..Observation::from(1.0)
        };
        let centers = [3.67, 3.77, 3.67, 3.77, 3.67].map(at);
        let uncorrected = Normalisation::fit(&centers, &[0.0; 5]);
        assert_eq!(uncorrected.covariate(), None);
        let ahead =
            |normalisation: Normalisation, ghz| normalisation.machine_ahead(&at(ghz).probes);
        assert!((ahead(uncorrected, 3.97) - (3.97_f64 / 3.77).ln()).abs() < 1e-12);
        assert_eq!(ahead(uncorrected, 3.70), 0.0);
        let costs = centers.map(|center| -center.probes.clock_ghz.unwrap().ln());
        let corrected = Normalisation::fit(&centers, &costs);
        assert_eq!(corrected.covariate(), Some(Covariate::Clock));
        // What the correction reaches, half as far again as the runs, hides nothing.
        assert_eq!(ahead(corrected, 3.81), 0.0);
        assert!(ahead(corrected, 3.97) > 0.03, "{}", ahead(corrected, 3.97));
        assert_eq!(uncorrected.machine_ahead(&Probes::default()), 0.0);
    }

    #[test]
    fn luck_is_rarely_taken_for_a_slope() {
        let by_luck = |size: usize| {
            let tests = (1..=200)
                .map(|test| runs(size, |_, index| 4.6 + 0.02 * noise(index + 1_000 * test)));
            let fits = tests.map(|(centers, costs)| Normalisation::fit(&centers, &costs));
            fits.filter(|fit| fit.covariate().is_some()).count()
        };
        assert!(by_luck(5) <= 20, "{} of 200", by_luck(5));
        assert!(by_luck(8) <= 14, "{} of 200", by_luck(8));
        assert!(by_luck(30) <= 6, "{} of 200", by_luck(30));
    }

    #[test]
    fn a_few_runs_prove_no_slope() {
        let (centers, costs) = runs(4, |reference_ns, _| reference_ns.ln());
        assert_eq!(Normalisation::fit(&centers, &costs).covariate(), None);
    }

    #[test]
    fn beyond_what_the_history_knows_the_correction_grows_no_further() {
        let (centers, costs) = runs(20, |reference_ns, _| reference_ns.ln());
        let normalisation = Normalisation::fit(&centers, &costs);
        let far = normalisation.adjust(9.0, &probes(90_000.0));
        assert_eq!(far, normalisation.adjust(9.0, &probes(900_000.0)));
    }

    #[test]
    fn a_run_without_the_covariate_rules_it_out() {
        let (mut centers, costs) = runs(20, |reference_ns, _| reference_ns.ln());
        centers[3].probes = Probes::default();
        assert_eq!(Normalisation::fit(&centers, &costs).covariate(), None);
    }
}
