//! How far apart processes of the same code lie, before and after the rules of the core.

use perftest_core::judge::{Condition, Inspector, MachineBaseline, Normalisation, Tally};
use perftest_core::model::{Baseline, BaselineRule, Measurement, Observation};
use perftest_core::words;
use perftest_store::recording::NoiseRecording;
use std::collections::BTreeMap;

/// The noise of a recording.
#[derive(Debug, Clone)]
pub(crate) struct Noise {
    /// Processes.
    pub(crate) runs: usize,
    /// Processes with a usable sample.
    pub(crate) usable_runs: usize,
    /// Under which conditions the samples were taken.
    pub(crate) tally: Tally,
    /// Between processes, by the median of all samples.
    pub(crate) raw: Option<Spread>,
    /// Between processes, by the median of the usable samples.
    pub(crate) clean: Option<Spread>,
    /// As `clean`, each process normalised by what the others say.
    pub(crate) normalised: Option<Spread>,
    /// What the processes were normalised by, and how many of them.
    pub(crate) covariates: BTreeMap<&'static str, usize>,
    /// As `clean`, divided by the time of the reference kernel whether that helps or not.
    pub(crate) by_reference: Option<Spread>,
    /// Inside a process, over all samples: the median of the processes.
    pub(crate) within_raw: Option<Spread>,
    /// Inside a process, over the usable samples: the median of the processes.
    pub(crate) within_clean: Option<Spread>,
}

impl Noise {
    /// The noise between the processes that took these measurements.
    pub(crate) fn of(runs: &[Vec<Measurement>]) -> Self {
        let warm: Vec<&[Measurement]> =
            runs.iter().map(|run| &run[NoiseRecording::WARM_UP.min(run.len())..]).collect();
        let raw: Vec<Vec<Observation>> =
            warm.iter().map(|run| run.iter().map(Observation::from).collect()).collect();
        let usual = usual(&centers(&raw));
        let conditions: Vec<Vec<Condition>> =
            warm.iter().map(|run| Inspector::new(usual).inspect_all(run)).collect();
        let judged = || warm.iter().zip(&conditions);
        let clean: Vec<Vec<Observation>> =
            judged().map(|(run, conditions)| usable(run, conditions)).collect();
        let mut tally = Tally::default();
        judged().for_each(|(run, conditions)| tally.add(&Tally::of(run, conditions)));
        let clean_centers = centers(&clean);
        let (normalised, covariates) = normalised(&clean_centers);
        Self {
            runs: runs.len(),
            usable_runs: clean_centers.len(),
            tally,
            raw: Spread::of(&values(&centers(&raw))),
            clean: Spread::of(&values(&clean_centers)),
            normalised: Spread::of(&normalised),
            covariates,
            by_reference: by_reference(&clean_centers).and_then(|ratios| Spread::of(&ratios)),
            within_raw: Spread::within(&raw),
            within_clean: Spread::within(&clean),
        }
    }
}

/// What the judge would hold for usual, were these runs its baseline.
fn usual(centers: &[Observation]) -> MachineBaseline {
    let baseline = Baseline::empty(&BaselineRule::default());
    MachineBaseline::in_baseline(&Baseline { centers: centers.to_vec(), ..baseline })
}

/// What may be held against the code.
fn usable(run: &[Measurement], conditions: &[Condition]) -> Vec<Observation> {
    let usable = run.iter().zip(conditions).filter(|(_, condition)| condition.is_usable());
    usable
        .map(|(measurement, condition)| match condition {
            Condition::OnProcessorTime => Observation::on_processor_time(measurement),
            _ => Observation::from(measurement),
        })
        .collect()
}

/// The middle of each process; one without a sample has none.
fn centers(runs: &[Vec<Observation>]) -> Vec<Observation> {
    runs.iter().filter_map(|run| Observation::center(run)).collect()
}

fn values(observations: &[Observation]) -> Vec<f64> {
    observations.iter().map(|it| it.value).collect()
}

/// How far each center lies from all the other ones, as the judge would normalise them with the
/// other ones for its baseline; and what it normalised by, how often.
///
/// As ratios, drawn in by the share that leaving one out adds: where nothing is normalised the
/// spread is that of the centers.
fn normalised(centers: &[Observation]) -> (Vec<f64>, BTreeMap<&'static str, usize>) {
    let mut covariates = BTreeMap::new();
    let drawn_in = 1.0 - 1.0 / centers.len() as f64;
    let ratios = (0..centers.len()).map(|index| {
        let mut others = centers.to_vec();
        let center = others.remove(index);
        let log_costs: Vec<f64> = others.iter().map(|it| it.value.ln()).collect();
        let normalisation = Normalisation::fit(&others, &log_costs);
        if let Some(covariate) = normalisation.covariate() {
            *covariates.entry(words::covariate(covariate)).or_default() += 1;
        }
        let log = |it: &Observation| normalisation.adjust(it.value.ln(), &it.probes);
        let level = others.iter().map(log).sum::<f64>() / others.len() as f64;
        (drawn_in * (log(&center) - level)).exp()
    });
    (ratios.collect(), covariates)
}

fn by_reference(centers: &[Observation]) -> Option<Vec<f64>> {
    centers.iter().map(|center| Some(center.value / center.probes.reference_ns?)).collect()
}

/// How far values lie apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Standard deviation over the mean, percent.
    pub(crate) deviation_percent: f64,
    /// The largest over the smallest less one, percent.
    pub(crate) range_percent: f64,
}

impl Spread {
    /// The spread of at least two values.
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(0.0, f64::max);
        Some(Self {
            deviation_percent: 100.0 * (squares / (count - 1.0)).sqrt() / mean,
            range_percent: 100.0 * (largest / smallest - 1.0),
        })
    }

    /// The middle of the processes' own spreads.
    fn within(runs: &[Vec<Observation>]) -> Option<Self> {
        let spreads: Vec<Self> = runs.iter().filter_map(|run| Self::of(&values(run))).collect();
        let middle = |field: fn(&Self) -> f64| {
            let fields: Vec<Observation> =
                spreads.iter().map(|it| Observation::from(field(it))).collect();
            Some(Observation::center(&fields)?.value)
        };
        Some(Self {
            deviation_percent: middle(|it| it.deviation_percent)?,
            range_percent: middle(|it| it.range_percent)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Probes;

    /// Processes of 60 samples in each of which the machine is as slow as its `slowness`.
    fn runs(slowness: &[f64]) -> Vec<Vec<Measurement>> {
        let sample = |slow: f64| Measurement {
            thread_cpu_ns: Some((1e6 * slow) as u64),
            voluntary_switches: Some(0),
            probes: Probes {
                clock_ghz: Some(4.0),
                reference_ns: Some(20_000.0 * slow),
                ..Probes::default()
            },
            ..Measurement::of_value(1e6 * slow)
        };
        slowness.iter().map(|slow| vec![sample(*slow); 60]).collect()
    }

    #[test]
    fn a_machines_own_ups_and_downs_are_taken_out() {
        let slowness: Vec<f64> = (0..20).map(|run| 1.0 + 0.001 * f64::from(run)).collect();
        let noise = Noise::of(&runs(&slowness));
        let deviation = |spread: Option<Spread>| spread.unwrap().deviation_percent;
        assert!((deviation(noise.clean) - 0.586).abs() < 0.001, "{noise:?}");
        assert!(deviation(noise.normalised) < 1e-3, "{noise:?}");
        assert!(deviation(noise.by_reference) < 1e-9, "{noise:?}");
        assert_eq!(noise.covariates, BTreeMap::from([("the reference kernel", 20)]));
    }

    #[test]
    fn what_took_the_processor_away_is_in_the_raw_spread_alone() {
        let mut runs = runs(&[1.0; 4]);
        for sample in &mut runs[2][10..45] {
            sample.wall_ns *= 2.0;
            sample.value *= 2.0;
        }
        let noise = Noise::of(&runs);
        assert!((noise.raw.unwrap().range_percent - 100.0).abs() < 1e-9);
        assert_eq!(noise.clean.unwrap().range_percent, 0.0);
        assert_eq!(noise.normalised.unwrap().range_percent, 0.0);
        // The sample after the last interrupted one is not usable either.
        assert_eq!((noise.tally.all(), noise.tally.suspects()), (200, 36));
    }

    #[test]
    fn a_process_without_a_usable_sample_is_counted_and_has_no_center() {
        let noise = Noise::of(&runs(&[1.0, 1.0, 1.2, 1.0]));
        let contended = noise.tally.number(Condition::Contended);
        assert_eq!((noise.runs, noise.usable_runs, contended), (4, 3, 50));
    }

    #[test]
    fn one_process_alone_has_no_spread_between_processes() {
        let noise = Noise::of(&runs(&[1.0]));
        assert_eq!((noise.raw, noise.normalised), (None, None));
        assert!(noise.within_raw.is_some());
        assert!(Noise::of(&[]).within_clean.is_none());
    }
}
