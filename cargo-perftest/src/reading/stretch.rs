//! Runs of a history that are compared with each other.

use super::RemovedSeason;
use crate::report::{counted, extend, local_minute, series_event};
use crate::series::apart;
use perftest_analysis::detect::settled_change_points;
use perftest_core::model::{Metric, Run, Sample};
use perftest_store::Series;
use serde_json::{Value, json};

/// Runs of one test on one testbed in one configuration, each with a value.
#[derive(Debug)]
pub(crate) struct Stretch<'r> {
    pub(crate) facts: StretchFacts,
    /// The runs in the order of their commits, or of the record if these agree or are unknown.
    pub(crate) runs: Vec<&'r Run>,
    /// The medians of the runs, without the removed patterns.
    pub(crate) values: Vec<f64>,
    /// Whether the newest run has this configuration.
    pub(crate) is_present: bool,
}

/// Which runs are in a stretch.
#[derive(Debug, Clone)]
pub(crate) struct StretchFacts {
    pub(crate) series: Series,
    /// The removed patterns.
    pub(crate) removed_season: RemovedSeason,
    /// The branch of the runs; `None` for all branches.
    pub(crate) branch: Option<String>,
    /// The default branch, if it has too few runs and the runs of all branches were used.
    pub(crate) lacking: Option<String>,
    pub(crate) left_out: ExcludedRuns,
}

/// Runs of the same history that were not selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ExcludedRuns {
    /// Of other branches, or with uncommitted changes.
    pub(crate) elsewhere: usize,
    /// Taken while the machine was unfit.
    pub(crate) unfit: usize,
    /// Retries of the test runner.
    pub(crate) retries: usize,
    /// In other configurations with too few runs.
    pub(crate) configurations: usize,
    /// Whether there are older ones than the limit allows.
    pub(crate) has_older: bool,
    /// In other units or with the other direction: the number for each.
    pub(crate) other_units: Vec<(Metric, usize)>,
}

impl Stretch<'_> {
    /// The values as a sample; `None` without any.
    pub(crate) fn sample(&self) -> Option<Sample> {
        Sample::new(self.values.clone()).ok()
    }

    /// The indices of the runs since the last lasting change, without temporary ones.
    pub(crate) fn newest_level(&self) -> Vec<usize> {
        let levels =
            self.sample().map(|sample| settled_change_points(&sample).levels(sample.size()));
        levels.and_then(|mut levels| levels.pop()).unwrap_or_default()
    }

    /// The values of these runs; `None` without any.
    pub(crate) fn values_of(&self, runs: &[usize]) -> Option<Sample> {
        Sample::new(runs.iter().map(|run| self.values[*run]).collect()).ok()
    }

    /// Which runs they are, and which of the same history they are not.
    pub(crate) fn in_words(&self) -> String {
        let mut words = counted(self.runs.len(), "run");
        if let Some(branch) = &self.facts.branch {
            words.push_str(&format!(" of {branch}"));
        }
        if let (Some(first), Some(last)) = (self.runs.first(), self.runs.last()) {
            let [first, last] = [first, last].map(|run| local_minute(run.started_ms));
            words.push_str(&format!(", {first} to {last}"));
        }
        if !self.is_present {
            words.push_str(", in an earlier configuration");
        }
        words
    }
}

impl StretchFacts {
    /// Returns an event about these runs, with further fields.
    pub(crate) fn event(&self, event: &str, further: Value) -> Value {
        let Metric { unit, direction, .. } = &self.series.metric;
        let mut fields = json!({ "unit": unit, "better": direction.name() });
        extend(&mut fields, further);
        series_event(event, &self.series, fields)
    }
}

impl ExcludedRuns {
    pub(crate) fn as_json(&self) -> Value {
        json!({
            "elsewhere": self.elsewhere,
            "unfit": self.unfit,
            "other_configurations": self.configurations,
            "older": self.has_older,
            "other_units": self.other_units.iter().map(|(_, count)| count).sum::<usize>(),
        })
    }

    /// Sentences about what is missing.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let Self { elsewhere, unfit, retries, configurations, .. } = *self;
        [
            (elsewhere, "of other branches or uncommitted code: --branch '*' takes them too"),
            (unfit, "taken while the machine was unfit"),
            (retries, "retries of an earlier run"),
            (configurations, "in other configurations with too few runs"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, which)| format!("{} left out, {which}", counted(count, "run")))
        .collect()
    }

    /// A sentence about the runs in each other unit or direction than the present one.
    pub(crate) fn units_in_words(&self, present: &Metric) -> impl Iterator<Item = String> {
        self.other_units.iter().map(|(metric, count)| {
            let [which, _] = apart([metric, present]);
            match count {
                1 => format!("1 run {which} is another history"),
                _ => format!("{count} runs {which} are another history"),
            }
        })
    }
}
