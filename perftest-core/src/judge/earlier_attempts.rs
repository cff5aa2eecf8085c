//! Results of earlier attempts at the same decision.
//!
//! A retry is not a fresh chance: enough retries would end green by chance. So a retry continues with
//! the processes of the attempts before it.

use super::baseline_level::BaselineLevel;
use super::round::Round;
use super::{Condition, Policy};
use crate::list::IntoList;
use crate::model::{Note, Reason, Run};

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
            let rounds = Round::all_of(&run.measurements, &conditions(run), size);
            level.fastest_round(&rounds)
        };
        Self::of(runs, runs.iter().filter_map(fastest).into_list())
    }

    /// Loads the processes of earlier attempts that ended over the limit, each with all its
    /// measurements; `None` where none has evidence.
    pub(super) fn of_over_limit(runs: &[Run]) -> Option<Self> {
        let whole = |run: &Run| Round::of(&run.measurements, &conditions(run));
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

/// The combined result of the processes of all attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CombinedAttempts {
    /// Together they no longer prove a red, and most of them prove a green.
    Green(Reason),
    /// Further processes can still change the result.
    Open,
    /// The red stands: no further process can change that.
    Red,
}

impl CombinedAttempts {
    /// Combines these processes, to which `left` further ones may be added. `convincing_rounds` have
    /// enough measurements to prove a red, and `green` returns what a process proves against it.
    pub(super) fn of(
        processes: &[&Round],
        convincing_rounds: &[&Round],
        green: &dyn Fn(&Round) -> Option<Reason>,
        level: &BaselineLevel,
        measurements: u32,
        left: u32,
    ) -> Self {
        let greens: Vec<Reason> = processes.iter().filter_map(|process| green(process)).into_list();
        // A disturbed process that is neither provably fast nor slow beyond any disturbance does not
        // count.
        let is_inconclusive = |process: &&&Round| {
            process.is_disturbed() && green(process).is_none() && !level.proves_slower(process)
        };
        let inconclusive = processes.iter().count_where(is_inconclusive);
        let are_most = |some: usize, all: usize| 2 * some > all;
        let (some, all, left) = (greens.len(), processes.len() - inconclusive, left as usize);
        match greens.last() {
            Some(reason)
                if are_most(some, all) && !level.proves_red(convincing_rounds, measurements) =>
            {
                Self::Green(*reason)
            }
            _ if left > 0 && are_most(some + left, all + left) => Self::Open,
            _ => Self::Red,
        }
    }
}

/// Returns the conditions of a recorded run's measurements. Of a disturbed one the record has only whether its threads
/// did not work at once, which is no evidence; of other causes there is none.
fn conditions(run: &Run) -> Vec<Condition> {
    let condition = |index: u32| {
        if run.apart.contains(&index) {
            Condition::Apart
        } else if run.suspects.contains(&index) {
            Condition::Interrupted
        } else if run.on_processor_time.contains(&index) {
            Condition::OnProcessorTime
        } else {
            Condition::Clean
        }
    };
    (0..run.measurements.len() as u32).map(condition).into_list()
}
