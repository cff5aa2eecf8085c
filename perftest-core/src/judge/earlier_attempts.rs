//! Results of earlier attempts at the same decision.
//!
//! A retry is not a fresh chance: enough retries would end green by chance. So a retry continues with
//! the processes of the attempts before it.

use super::baseline_level::BaselineLevel;
use super::round::Round;
use super::{Condition, Policy};
use crate::list::IntoList;
use crate::model::{Note, Run};

/// The processes of earlier attempts, of which the newest ended red or over the limit.
#[derive(Debug, Clone)]
pub(super) struct EarlierAttempts {
    /// Number of the newest attempt.
    attempt: u32,
    /// One round of each process.
    pub(super) processes: Vec<Round>,
    pub(super) measurements: u32,
    pub(super) suspects: u32,
}

impl EarlierAttempts {
    /// Loads the processes of earlier attempts that ended red, each with its fastest round; `None` where
    /// there is none.
    pub(super) fn of_red(runs: &[Run], level: &BaselineLevel, policy: &Policy) -> Option<Self> {
        let size = policy.round as usize;
        let fastest = |run: &Run| {
            let rounds = Round::all_of(&run.measurements, &Condition::recorded(run), size);
            level.fastest_round(&rounds)
        };
        Self::of(runs, runs.iter().filter_map(fastest).into_list())
    }

    /// Loads the processes of earlier attempts that ended over the limit, each with all its
    /// measurements; `None` where none has evidence.
    pub(super) fn of_over_limit(runs: &[Run]) -> Option<Self> {
        let whole = |run: &Run| Round::of(&run.measurements, &Condition::recorded(run));
        let processes = runs.iter().map(whole).filter(|process| !process.fair().is_empty());
        Self::of(runs, processes.into_list())
    }

    fn of(runs: &[Run], processes: Vec<Round>) -> Option<Self> {
        let count = |of: fn(&Run) -> usize| runs.iter().map(of).sum::<usize>() as u32;
        (!processes.is_empty()).then(|| Self {
            attempt: runs.last().map_or(0, |run| run.attempt),
            measurements: count(|run| run.measurements.len()),
            suspects: count(|run| run.suspects.len()),
            processes,
        })
    }

    /// Fresh processes that can outweigh the earlier ones when the present process is slow too.
    pub(super) fn outweighed_by(&self) -> u32 {
        self.processes.len() as u32 + 2
    }

    /// Returns the notes, after a note on the continued attempt.
    pub(super) fn noted(&self, notes: Vec<Note>) -> Vec<Note> {
        continuing(self.attempt, notes)
    }
}

/// Returns the notes of a retry of this attempt.
pub(super) fn continuing(attempt: u32, notes: Vec<Note>) -> Vec<Note> {
    [vec![Note::ContinuesAttempt { attempt }], notes].concat()
}
