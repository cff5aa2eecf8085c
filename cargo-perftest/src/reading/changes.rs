//! Finds the changes in a history.

use super::{Stretch, StretchFacts};
use crate::args::series::Detection;
use crate::exit::{CommandError, Result};
use crate::stats::coarse_tick;
use perftest_analysis::detect::{
    ChangePoints, Effect, RankedChange, TemporaryChange, ranked_changes,
};
use perftest_analysis::verdicts::{RunCode, Suspects};
use perftest_core::model::{Run, RunId};

/// The changes of one stretch.
#[derive(Debug)]
pub(crate) struct StretchChanges {
    pub(crate) facts: StretchFacts,
    pub(crate) config: String,
    /// Describes the runs.
    pub(crate) description: String,
    /// The values of the runs.
    pub(crate) values: Vec<f64>,
    /// The tick of a clock that is so coarse that it may hide a change.
    pub(crate) tick: Option<f64>,
    /// The detector.
    pub(crate) detection: Detection,
    /// The most significant first.
    pub(crate) lasting: Vec<LastingChange>,
    /// In their order.
    pub(crate) temporary: Vec<TemporaryEffect>,
}

/// A change that lasted.
#[derive(Debug)]
pub(crate) struct LastingChange {
    pub(crate) ranked: RankedChange,
    pub(crate) effect: Effect,
    pub(crate) suspects: Suspects,
    /// The first run of the new level, by the detector's place of the change.
    pub(crate) run: RunId,
    /// Its start.
    pub(crate) at_ms: u64,
    /// Start of the last run of the level before.
    pub(crate) last_before_ms: u64,
    /// The first and the last run that may begin the new level.
    pub(crate) place: [RunId; 2],
    /// Their starts.
    pub(crate) place_ms: [u64; 2],
}

/// A change that went away.
#[derive(Debug)]
pub(crate) struct TemporaryEffect {
    pub(crate) change: TemporaryChange,
    /// Its first and its last run.
    pub(crate) runs: [RunId; 2],
    /// Start of its first run.
    pub(crate) from_ms: u64,
    /// Start of its last run.
    pub(crate) to_ms: u64,
}

impl StretchChanges {
    pub(crate) fn of(stretch: Stretch<'_>, detection: &Detection) -> Result<Self> {
        // Too few values have no change, but settings that are wrong are refused with them, too.
        let sample = stretch.sample();
        let found = sample.as_ref().map(|sample| detection.changes(sample));
        let found = found.transpose().map_err(CommandError::Usage)?.unwrap_or_default();
        let is_counted = stretch.facts.series.metric.is_deterministic();
        let tick = sample.as_ref().filter(|_| !is_counted).and_then(coarse_tick);
        let ranked = sample.map_or_else(Vec::new, |sample| ranked_changes(&sample, &found));
        let description = stretch.in_words();
        let Stretch { facts, runs, values, .. } = stretch;
        let lasting = ranked.into_iter().map(|ranked| LastingChange {
            effect: ranked.effect(facts.series.metric.direction),
            suspects: suspects(&runs, &ranked),
            run: runs[ranked.change.index].id.clone(),
            at_ms: runs[ranked.change.index].started_ms,
            last_before_ms: runs[ranked.change.index.saturating_sub(1)].started_ms,
            place: [ranked.place.start(), ranked.place.end()].map(|run| runs[*run].id.clone()),
            place_ms: [ranked.place.start(), ranked.place.end()].map(|run| runs[*run].started_ms),
            ranked,
        });
        Ok(Self {
            lasting: lasting.collect(),
            temporary: temporary(&runs, found),
            config: runs.last().map_or_else(String::new, |run| run.config.clone()),
            facts,
            description,
            values,
            tick,
            detection: detection.clone(),
        })
    }

    /// Returns whether there are enough runs to find a change.
    pub(crate) fn are_judged(&self) -> bool {
        self.values.len() >= self.detection.fewest()
    }
}

/// Returns the commits that may have caused a change in these runs.
pub(crate) fn suspects(runs: &[&Run], ranked: &RankedChange) -> Suspects {
    let history: Vec<RunCode> = runs.iter().map(|run| RunCode::of(run)).collect();
    Suspects::at(&history, ranked.place.clone())
}

fn temporary(runs: &[&Run], found: ChangePoints) -> Vec<TemporaryEffect> {
    let meanwhile = |change: TemporaryChange| TemporaryEffect {
        runs: [change.values.start, change.values.end - 1].map(|run| runs[run].id.clone()),
        from_ms: runs[change.values.start].started_ms,
        to_ms: runs[change.values.end - 1].started_ms,
        change,
    };
    found.temporary.into_iter().map(meanwhile).collect()
}
