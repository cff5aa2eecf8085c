//! Continues earlier attempts.

use crate::judge::Policy;
use crate::judge::baseline_level::BaselineLevel;
use crate::judge::earlier_attempts::{EarlierAttempts, continuing};
use crate::model::{Evidence, Interval, Note, PairedResult, Reason, Run};

/// The attempts before this one, by the end of the newest.
#[derive(Debug, Clone)]
pub(super) enum Retry {
    /// There is none, or nothing to continue.
    No,
    /// The newest attempt was red in fresh processes.
    OfRed(EarlierAttempts),
    /// The newest attempt was red by pairs with the last good build.
    OfPairs(EarlierPairs),
    /// The newest attempt was over its limit.
    OfLimit(EarlierAttempts),
}

impl Retry {
    /// Reads the recorded runs of earlier attempts, one a process, oldest first.
    pub(super) fn of(earlier: &[Run], level: Option<&BaselineLevel>, policy: &Policy) -> Self {
        let ended = earlier.iter().rev().find_map(|run| run.evidence.as_ref());
        if ended.is_some_and(|evidence| evidence.reason == Reason::OverLimit) {
            return EarlierAttempts::of_over_limit(earlier).map_or(Self::No, Self::OfLimit);
        }
        if let Some(pairs) = EarlierPairs::of_red(earlier) {
            return Self::OfPairs(pairs);
        }
        let red = level.and_then(|level| EarlierAttempts::of_red(earlier, level, policy));
        red.map_or(Self::No, Self::OfRed)
    }

    pub(super) fn of_red(&self) -> Option<&EarlierAttempts> {
        if let Self::OfRed(earlier) = self { Some(earlier) } else { None }
    }

    pub(super) fn of_pairs(&self) -> Option<&EarlierPairs> {
        if let Self::OfPairs(pairs) = self { Some(pairs) } else { None }
    }

    pub(super) fn of_limit(&self) -> Option<&EarlierAttempts> {
        if let Self::OfLimit(earlier) = self { Some(earlier) } else { None }
    }
}

/// The pairs that made an earlier attempt red.
#[derive(Debug, Clone)]
pub(super) struct EarlierPairs {
    /// The newest attempt.
    attempt: u32,
    /// The result of the newest attempt that had pairs.
    pub result: PairedResult,
    /// The degradation that it proved.
    pub degradation: Option<Interval>,
}

impl EarlierPairs {
    /// Returns the newest pairs of the attempts, if the newest attempt is red. It may be so without pairs of its own,
    /// where the last good build could not run: its red stands on those before it.
    fn of_red(runs: &[Run]) -> Option<Self> {
        let newest = runs.iter().rev().find(|run| run.evidence.is_some())?;
        evidence_of_red(newest)?;
        runs.iter().rev().filter_map(evidence_of_red).find_map(|evidence| {
            let (attempt, degradation) = (newest.attempt, evidence.degradation);
            Some(Self { attempt, result: evidence.paired_result.clone()?, degradation })
        })
    }

    /// Returns the notes, after a note on the continued attempt.
    pub(super) fn noted(&self, notes: Vec<Note>) -> Vec<Note> {
        continuing(self.attempt, notes)
    }
}

fn evidence_of_red(run: &Run) -> Option<&Evidence> {
    run.evidence.as_ref().filter(|it| it.reason == Reason::Red)
}
