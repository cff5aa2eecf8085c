//! What is recorded of the runs of a file.

use perftest_core::model::{Measurement, Revision, Run, RunId};
use perftest_core::named;
use std::collections::{HashMap, HashSet};

/// Characters of a ULID that are not of its time.
const ENTROPY_CHARACTERS: usize = 16;
/// A record keeps six digits of a value.
const ROUNDING: f64 = 1e-5;

named! {
    /// What became of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum RunState {
        New = "new",
        /// It was imported before.
        Known = "known",
        /// It was imported before with other values or less of its commit, which it replaces.
        Corrected = "corrected",
        /// It is part of a summary, which has no values of its own for it to be compared with.
        Summarised = "summarised",
    }
}

/// What is recorded of one series, by the part of ids that is not of the time.
pub(super) struct RecordedRuns {
    runs: HashMap<String, Run>,
    /// Of the runs that became parts of summaries.
    summarised: HashSet<String>,
}

impl RecordedRuns {
    /// Collects runs, and the ids of those that became parts of summaries.
    pub(super) fn new(runs: Vec<Run>, summarised: HashSet<String>) -> Self {
        let summarised = summarised.into_iter().map(RunId::from_recorded);
        Self {
            runs: runs.into_iter().map(|run| (entropy(&run.id).to_owned(), run)).collect(),
            summarised: summarised.map(|id| entropy(&id).to_owned()).collect(),
        }
    }

    /// Finds a run by its id, else by its other ids, and returns what became of it. The run takes the id and the time that
    /// it was recorded with, and more of its commit where more is recorded. One that replaces the recorded run takes the
    /// time of the correction.
    pub(super) fn match_run(&self, run: &mut Run, other_ids: &[RunId], now_ms: u64) -> RunState {
        let ids = || [&run.id].into_iter().chain(other_ids).map(entropy);
        let is_same_commit = |it: &&Run| {
            let [one, other] = [&it.revision.commit, &run.revision.commit];
            one.starts_with(other) || other.starts_with(one)
        };
        let found = ids().filter_map(|id| self.runs.get(id)).find(is_same_commit);
        let Some(earlier) = found else {
            let is_summarised = ids().any(|id| self.summarised.contains(id));
            return if is_summarised { RunState::Summarised } else { RunState::New };
        };
        (run.id, run.started_ms) = (earlier.id.clone(), earlier.started_ms);
        // A shallow clone knows an abbreviation only, or no parent.
        let known = |revision: &Revision| (revision.commit.len(), revision.parent.len());
        let knows_more = known(&run.revision) > known(&earlier.revision);
        if known(&run.revision) < known(&earlier.revision) {
            run.revision = earlier.revision.clone();
        }
        if has_same_values(earlier, run) && !knows_more {
            return RunState::Known;
        }
        // Later than the one it replaces, whatever another machine's clock was.
        let next = earlier.corrected_ms.map_or(0, |before| before + 1);
        run.corrected_ms = Some(now_ms.max(next));
        RunState::Corrected
    }
}

/// Returns the part of an id that is not of its time.
pub(super) fn entropy(id: &RunId) -> &str {
    let id = id.as_str();
    id.len().checked_sub(ENTROPY_CHARACTERS).and_then(|start| id.get(start..)).unwrap_or(id)
}

fn has_same_values(one: &Run, other: &Run) -> bool {
    let is_same =
        |(one, other): (&Measurement, &Measurement)| is_same_value(one.value, other.value);
    one.measurements.len() == other.measurements.len()
        && one.measurements.iter().zip(&other.measurements).all(is_same)
}

/// Returns whether two values are one, as records keep it.
pub(crate) fn is_same_value(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.max(other)
}
