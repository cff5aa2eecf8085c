//! Runs of one benchmark on one testbed, oldest first.

use super::Run;
use crate::list::IntoList;
use std::borrow::Cow;

/// Runs of one benchmark on one testbed, by one metric, oldest first in the order of appending.
/// Clocks may step backwards; the order of the record is the order of history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
}

impl History {
    /// The newest run.
    pub fn newest(&self) -> Option<&Run> {
        self.runs.last()
    }

    /// Returns the runs, oldest first, each with the times by which it counts. One that
    /// [counts by its ratio](Run::counts_by_ratio) has those of the undisturbed run before it, scaled to the value that
    /// its verdict proves, and is left out where there is none.
    pub fn as_counted(&self) -> Vec<Cow<'_, Run>> {
        (0..self.runs.len()).filter_map(|place| self.as_counted_at(place)).into_list()
    }

    fn as_counted_at(&self, place: usize) -> Option<Cow<'_, Run>> {
        let run = &self.runs[place];
        if !run.counts_by_ratio() {
            return Some(Cow::Borrowed(run));
        }
        let is_undisturbed =
            |it: &&Run| it.counts_for_baseline && !it.counts_by_ratio() && it.config == run.config;
        let undisturbed = self.runs[..place].iter().rfind(is_undisturbed)?;
        run.with_times_of(undisturbed).filter(|it| it.counts_for_baseline).map(Cow::Owned)
    }

    /// Returns the newest run with its own verdict.
    pub fn newest_judged(&self) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.evidence.is_some())
    }
}
