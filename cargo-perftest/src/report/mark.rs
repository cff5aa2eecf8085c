//! The marks of a run, as they are printed.

use super::fresh_processes;
use perftest_core::model::{BenchmarkId, Run, Tag};
use std::fmt;

/// A condition of a run, or how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// Its code was not committed.
    Uncommitted,
    /// This many fresh processes measured beside it.
    FreshProcesses(usize),
    /// The machine was in this condition.
    Condition(Tag),
    /// A mark of the record.
    Recorded(&'a str),
    /// The acceptance with this id was applied.
    Accepted(&'a str),
    /// The test had this name.
    Formerly(&'a BenchmarkId),
}

impl<'a> Mark<'a> {
    /// Conditions and marks of the record, its acceptance and its former name.
    pub(crate) fn all_of(run: &'a Run) -> impl Iterator<Item = Self> {
        let conditions = run.environment.tags.iter().copied().map(Self::Condition);
        let recorded = run.flags.iter().map(|name| Self::Recorded(name));
        let accepted = run.acceptance.iter().map(|id| Self::Accepted(id));
        conditions.chain(recorded).chain(accepted).chain(run.formerly.iter().map(Self::Formerly))
    }

    /// The marks, separated by spaces.
    pub(crate) fn in_words(marks: impl Iterator<Item = Self>) -> String {
        marks.map(|mark| mark.to_string()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Mark<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncommitted => f.write_str("uncommitted"),
            Self::FreshProcesses(count) => write!(f, "+{}", fresh_processes(*count)),
            Self::Condition(tag) => f.write_str(tag.name()),
            Self::Recorded(name) => f.write_str(name),
            Self::Accepted(id) => write!(f, "accepted:{id}"),
            Self::Formerly(name) => write!(f, "formerly:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::example_run;

    #[test]
    fn conditions_come_first_and_the_former_name_last() {
        let run = Run {
            acceptance: Some("01A".to_owned()),
            formerly: Some(BenchmarkId::from_recorded("a::old")),
            ..example_run(0)
        };
        let marks = [Mark::FreshProcesses(2)].into_iter().chain(Mark::all_of(&run));
        let words = "+2 fresh processes parallel steal libtest accepted:01A formerly:a::old";
        assert_eq!(Mark::in_words(marks), words);
    }
}
