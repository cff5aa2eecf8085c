//! What prevents a verdict or a record, and the outcome for the test runner.

use super::Outcome;
use crate::named;
use std::fmt;

/// Why a test got no verdict or no record, whatever its code. Each text contains the problem and
/// the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Its history, or its acceptances, cannot be read.
    UnreadableHistory(String),
    /// Its run could not be written.
    UnwritableHistory(String),
    /// git could not name the commit of the code.
    UnknownCommit(String),
    /// Files differ from their commit in a CI job, so its runs do not count for a baseline.
    ChangedFiles,
    /// The measuring lock was not available.
    NoLock(String),
    /// No fresh process could measure the test.
    NoFreshProcess(String),
}

named! {
    /// The effect of a missing verdict or record.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OnUnjudged {
        /// It passes with a note.
        Pass = "pass",
        /// It fails.
        Fail = "fail",
        /// It fails in a CI job, where few people read notes. It fails everywhere if its history cannot
        /// be read.
        FailInCi = "fail-in-ci",
    }
}

impl Obstacle {
    /// The stable name used in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::UnreadableHistory(_) => "unreadable_history",
            Self::UnwritableHistory(_) => "unwritable_history",
            Self::UnknownCommit(_) => "unknown_commit",
            Self::ChangedFiles => "changed_files",
            Self::NoLock(_) => "no_lock",
            Self::NoFreshProcess(_) => "no_fresh_process",
        }
    }

    /// Returns the details, if there are any.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::UnreadableHistory(why)
            | Self::UnwritableHistory(why)
            | Self::UnknownCommit(why)
            | Self::NoLock(why)
            | Self::NoFreshProcess(why) => Some(why),
            Self::ChangedFiles => None,
        }
    }

    /// Returns the obstacle with this [`name`](Self::name) and reason; `None` for an unknown one.
    pub fn from_recorded(name: &str, why: String) -> Option<Self> {
        Some(match name {
            "unreadable_history" => Self::UnreadableHistory(why),
            "unwritable_history" => Self::UnwritableHistory(why),
            "unknown_commit" => Self::UnknownCommit(why),
            "changed_files" => Self::ChangedFiles,
            "no_lock" => Self::NoLock(why),
            "no_fresh_process" => Self::NoFreshProcess(why),
            _ => return None,
        })
    }

    /// Returns the outcome for the test runner of a test with this obstacle.
    ///
    /// ```
    /// use perftest_core::model::{Obstacle, OnUnjudged, Outcome};
    /// let full = Obstacle::UnwritableHistory("no room left".into());
    /// assert_eq!(full.outcome(OnUnjudged::FailInCi, false), Outcome::Passed);
    /// assert_eq!(full.outcome(OnUnjudged::FailInCi, true), Outcome::Failed);
    /// assert_eq!(full.outcome(OnUnjudged::Pass, true), Outcome::Passed);
    /// ```
    pub fn outcome(&self, setting: OnUnjudged, is_ci: bool) -> Outcome {
        let fails = match setting {
            OnUnjudged::Pass => false,
            OnUnjudged::Fail => true,
            OnUnjudged::FailInCi => is_ci || matches!(self, Self::UnreadableHistory(_)),
        };
        if fails { Outcome::Failed } else { Outcome::Passed }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnreadableHistory(why) => write!(f, "not judged because of its history: {why}"),
            Self::UnwritableHistory(why) => write!(f, "not recorded because of the store: {why}"),
            Self::UnknownCommit(why) => {
                write!(f, "not judged because its commit is not known: {why}")
            }
            Self::ChangedFiles => f.write_str(
                "not counted for the baseline because files differ from their commit in this CI job: \
                 `git status` lists them; commit or ignore them",
            ),
            Self::NoLock(why) => write!(f, "not judged because it was not alone: {why}"),
            Self::NoFreshProcess(why) => {
                write!(f, "not judged because no fresh process could measure it: {why}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_that_cannot_be_read_fails_everywhere_unless_it_may_pass() {
        let unreadable = Obstacle::UnreadableHistory("cannot read it".into());
        assert_eq!(unreadable.outcome(OnUnjudged::FailInCi, false), Outcome::Failed);
        assert_eq!(unreadable.outcome(OnUnjudged::Pass, false), Outcome::Passed);
    }
}
