//! What a reader finds in a file.

use super::import_error::LineProblem;
use perftest_core::model::{Measurement, Metric};
use perftest_store::Digest;
use std::collections::{BTreeMap, HashMap};

/// One run of one benchmark, seen through one metric.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportedRun {
    /// The name in the file; `/` separates its parts.
    pub(crate) benchmark: String,
    pub(crate) metric: Metric,
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) origin: RunOrigin,
}

/// Where and when a run was measured, as far as it is in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct RunOrigin {
    /// Milliseconds since the Unix epoch.
    pub(crate) started_ms: Option<u64>,
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
    /// Whole name of the testbed.
    pub(crate) testbed: Option<String>,
    /// Features of the machine; empty where nothing is known.
    pub(crate) machine: String,
    /// Distinguishes this run from others with the same values, where neither time nor commit is known.
    pub(crate) digest: String,
    /// When the file was written, where the run has a file of its own.
    pub(crate) modified_ms: Option<u64>,
}

/// What a file has about the machine: one text of its features, each with its name.
pub(super) fn machine_text<'a>(features: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let known = features.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

/// Everything that a file has.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportedFile {
    /// In their order.
    pub(crate) runs: Vec<ImportedRun>,
    /// What was left out, and why, for people.
    pub(crate) notes: Vec<String>,
    /// When the file was written, in milliseconds since the Unix epoch.
    pub(crate) modified_ms: Option<u64>,
    /// Where each run is in `runs`.
    places: HashMap<(String, Metric, RunOrigin), usize>,
}

impl ImportedFile {
    /// Adds a measurement to the run that it belongs to: the value of one iteration, in the unit of the metric, over so
    /// many iterations.
    pub(super) fn add(
        &mut self,
        benchmark: &str,
        metric: &Metric,
        origin: &RunOrigin,
        value: f64,
        iterations: u64,
    ) {
        let key = (benchmark.to_owned(), metric.clone(), origin.clone());
        let place = *self.places.entry(key).or_insert_with(|| {
            self.runs.push(ImportedRun {
                benchmark: benchmark.to_owned(),
                metric: metric.clone(),
                measurements: Vec::new(),
                origin: origin.clone(),
            });
            self.runs.len() - 1
        });
        let wall_ns = value * iterations as f64;
        let measurement = Measurement { iterations, wall_ns, ..Measurement::of_value(value) };
        self.runs[place].measurements.push(measurement);
    }

    /// Refuses a file without results, by this problem.
    pub(super) fn refuse_empty(self, problem: impl Into<String>) -> Result<Self, LineProblem> {
        if self.runs.is_empty() { Err(LineProblem::of_file(problem)) } else { Ok(self) }
    }

    /// Refuses results that no history can have.
    pub(super) fn check(self) -> Result<Self, LineProblem> {
        for run in &self.runs {
            let name = &run.benchmark;
            if name.trim().is_empty() {
                return Err(LineProblem::of_file("a benchmark has no name: give it one"));
            }
            let values = run.measurements.iter().map(|it| it.value);
            if let Some(value) = values.into_iter().find(|it| !it.is_finite() || *it < 0.0) {
                return Err(LineProblem::of_file(format!(
                    "`{name}` has the value {value}, and nothing measures below zero or without end: \
                     correct or remove it"
                )));
            }
        }
        self.refuse_two_of_one_name()?;
        Ok(self)
    }

    /// `a/b` and `a::b` would share a history.
    fn refuse_two_of_one_name(&self) -> Result<(), LineProblem> {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for run in &self.runs {
            let other = names.entry(run.test_name()).or_insert(&run.benchmark);
            if *other != run.benchmark {
                return Err(LineProblem::of_file(format!(
                    "`{other}` and `{}` would both be the test `{}`: rename one",
                    run.benchmark,
                    run.test_name()
                )));
            }
        }
        Ok(())
    }

    /// Marks runs without a time and a commit by the whole text that they are from.
    pub(super) fn digest_text(&mut self, text: &str) {
        let digest = Digest::of_large_block(text.as_bytes()).hex16();
        for run in &mut self.runs {
            if run.origin.started_ms.is_none() && run.origin.commit.is_none() {
                run.origin.digest = format!("{} {digest}", run.origin.digest);
            }
        }
    }
}

impl ImportedRun {
    /// The name of the test in a history: `/` would be a stage there.
    pub(crate) fn test_name(&self) -> String {
        let parts = self.benchmark.split('/').map(str::trim).filter(|part| !part.is_empty());
        let name = parts.collect::<Vec<_>>().join("::");
        if name.is_empty() { self.benchmark.clone() } else { name }
    }
}
