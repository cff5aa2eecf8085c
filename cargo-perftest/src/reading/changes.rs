//! What changed in a history.

use super::{LeftOut, Stretch, Suspects, TakenOut};
use crate::args::series::Detection;
use crate::exit::Failure;
use perftest_analysis::detect::{
    ChangePoints, Effect, RankedChange, TemporaryChange, ranked_changes,
};
use perftest_core::model::{Run, Sample};
use perftest_store::Series;

/// The changes of one stretch.
#[derive(Debug)]
pub(crate) struct Changes {
    pub(crate) series: Series,
    pub(crate) config: String,
    pub(crate) branch: Option<String>,
    /// The default branch, where it has too few runs and so everybody's were taken.
    pub(crate) lacking: Option<String>,
    /// Which runs were looked at.
    pub(crate) told: String,
    /// Their values.
    pub(crate) values: Vec<f64>,
    /// By which detector.
    pub(crate) detection: Detection,
    pub(crate) left_out: LeftOut,
    pub(crate) taken_out: TakenOut,
    /// The most significant first.
    pub(crate) lasting: Vec<LastingChange>,
    /// In their order.
    pub(crate) temporary: Vec<Meanwhile>,
}

/// A change that lasted.
#[derive(Debug)]
pub(crate) struct LastingChange {
    pub(crate) ranked: RankedChange,
    pub(crate) effect: Effect,
    pub(crate) suspects: Suspects,
}

/// A change that went away.
#[derive(Debug)]
pub(crate) struct Meanwhile {
    pub(crate) change: TemporaryChange,
    /// Start of its first run.
    pub(crate) from_ms: u64,
    /// Start of its last run.
    pub(crate) to_ms: u64,
}

impl Changes {
    pub(crate) fn of(stretch: Stretch, detection: &Detection) -> Result<Self, Failure> {
        let is_enough = |sample: &Sample| sample.size() >= detection.fewest();
        let sample = stretch.sample().filter(is_enough);
        let found = sample.as_ref().map(|sample| detection.changes(sample));
        let found = found.transpose().map_err(Failure::Usage)?.unwrap_or_default();
        let ranked = sample.map_or_else(Vec::new, |sample| ranked_changes(&sample, &found));
        let told = stretch.in_words();
        let Stretch { series, runs, values, taken_out, branch, lacking, left_out, .. } = stretch;
        let lasting = ranked.into_iter().map(|ranked| LastingChange {
            effect: ranked.effect(series.metric.direction),
            suspects: suspects(&runs, ranked.change.index),
            ranked,
        });
        Ok(Self {
            lasting: lasting.collect(),
            temporary: temporary(&runs, found),
            config: runs.last().map_or_else(String::new, |run| run.config.clone()),
            series,
            branch,
            lacking,
            told,
            values,
            detection: detection.clone(),
            left_out,
            taken_out,
        })
    }

    /// Whether there are enough runs to see a change.
    pub(crate) fn are_judged(&self) -> bool {
        self.values.len() >= self.detection.fewest()
    }
}

/// Between the last run before a change and the first one with it.
pub(crate) fn suspects(runs: &[Run], change: usize) -> Suspects {
    Suspects::between(&runs[change.saturating_sub(1)], &runs[change])
}

fn temporary(runs: &[Run], found: ChangePoints) -> Vec<Meanwhile> {
    let meanwhile = |change: TemporaryChange| Meanwhile {
        from_ms: runs[change.values.start].started_ms,
        to_ms: runs[change.values.end - 1].started_ms,
        change,
    };
    found.temporary.into_iter().map(meanwhile).collect()
}
