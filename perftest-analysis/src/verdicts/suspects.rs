//! The commits that may have caused a change.
//!
//! Definition: a change lies between two runs, which are known up to an interval of
//! [places](crate::detect::place_of_change). Suspects are all commits after that of the last run
//! before the interval, up to that of the last run in it. At both ends, runs with the machine code of
//! the run before them are left out: their code began nothing. The code is no suspect only if it is
//! the same in all of these runs: whichever run is the first of the new level, the one before it then
//! had the same code.

use perftest_core::model::Run;
use std::ops::RangeInclusive;

/// The code of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunCode {
    /// The commit; empty if it is unknown.
    pub commit: String,
    /// Whether tracked files differed from the commit.
    pub is_dirty: bool,
    /// When the run began, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// The machine code; empty if it is unknown.
    pub text: String,
    /// Toolchain and system; empty if they are unknown.
    pub context: String,
}

/// The suspects of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspects {
    /// The newest code before the suspects; `None` if the change may be as old as the history.
    pub after: Option<RunCode>,
    /// The newest code of the suspects.
    pub upto: RunCode,
    /// Number of runs that may be the first with the change.
    pub places: usize,
    /// Why the code is no suspect; `None` if it may be.
    pub acquittal: Option<NoSuspectReason>,
    /// Whether a suspect run had uncommitted files.
    pub has_uncommitted: bool,
    /// Whether toolchain or system changed too.
    pub has_other_context: bool,
}

/// Why no commit is suspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSuspectReason {
    /// All runs are of one commit, with nothing uncommitted.
    SameCommit,
    /// All runs are of one machine code.
    SameMachineCode,
}

impl NoSuspectReason {
    /// Names what is the same.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::SameCommit => "the same commit",
            Self::SameMachineCode => "the same machine code",
        }
    }
}

impl RunCode {
    /// Returns the code of a run.
    pub fn of(run: &Run) -> Self {
        Self {
            commit: run.revision.commit.clone(),
            is_dirty: run.revision.dirty,
            started_ms: run.started_ms,
            text: run.code.text.clone(),
            context: run.context.clone(),
        }
    }

    /// Returns the commit, followed by `+` if files differed; empty if the commit is unknown.
    pub fn label(&self) -> String {
        let mark = if self.is_dirty && !self.commit.is_empty() { "+" } else { "" };
        format!("{}{mark}", self.commit)
    }
}

impl Suspects {
    /// Returns the suspects of a change at one of these places: each is the first run with the
    /// change. The places are inside `history`, the code of the runs in their order.
    ///
    /// ```
    /// use perftest_analysis::verdicts::{NoSuspectReason, RunCode, Suspects};
    /// let code = |commit: &str, text: &str| {
    ///     RunCode { commit: commit.into(), text: text.into(), ..RunCode::default() }
    /// };
    /// let history = [code("a1", "7f"), code("b2", "7f"), code("c3", "80"), code("d4", "80")];
    /// let suspects = |places| Suspects::at(&history, places);
    /// assert_eq!(suspects(1..=1).acquittal, Some(NoSuspectReason::SameMachineCode));
    /// // The change may be one run earlier or later, but only c3 has other code than the run before it.
    /// let wider = suspects(1..=3);
    /// assert_eq!((wider.after.unwrap().commit, wider.upto.commit), ("b2".into(), "c3".into()));
    /// assert_eq!(wider.acquittal, None);
    /// ```
    ///
    /// # Panics
    ///
    /// A place is not inside the history.
    pub fn at(history: &[RunCode], places: RangeInclusive<usize>) -> Self {
        let (earliest, latest) = places.clone().into_inner();
        let runs = &history[earliest.saturating_sub(1)..=latest];
        let (first, last) = where_code_changes(history, places).into_inner();
        let context: Vec<&str> =
            runs.iter().map(|run| run.context.as_str()).filter(|it| !it.is_empty()).collect();
        Self {
            after: first.checked_sub(1).map(|place| history[place].clone()),
            upto: history[last].clone(),
            places: latest + 1 - earliest,
            acquittal: acquittal(runs).filter(|_| earliest > 0),
            has_uncommitted: history[first.saturating_sub(1)..=last].iter().any(|run| run.is_dirty),
            has_other_context: context.windows(2).any(|pair| pair[0] != pair[1]),
        }
    }
}

/// Leaves out places at both ends whose run has the machine code of the run before it, unless all have.
fn where_code_changes(history: &[RunCode], places: RangeInclusive<usize>) -> RangeInclusive<usize> {
    let changes = |place: &usize| match place.checked_sub(1) {
        Some(before) => {
            let text = &history[*place].text;
            text.is_empty() || *text != history[before].text
        }
        None => true,
    };
    let first = places.clone().find(changes);
    let last = places.clone().rev().find(changes);
    first.zip(last).map_or(places, |(first, last)| first..=last)
}

fn acquittal(runs: &[RunCode]) -> Option<NoSuspectReason> {
    let is_same = |of: fn(&RunCode) -> &str| {
        let first = of(&runs[0]);
        !first.is_empty() && runs.iter().all(|run| of(run) == first)
    };
    if is_same(|run| &run.text) {
        return Some(NoSuspectReason::SameMachineCode);
    }
    let is_clean = runs.iter().all(|run| !run.is_dirty);
    (is_clean && is_same(|run| &run.commit)).then_some(NoSuspectReason::SameCommit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(commit: &str, text: &str, context: &str) -> RunCode {
        let [commit, text, context] = [commit, text, context].map(str::to_owned);
        RunCode { commit, text, context, ..RunCode::default() }
    }

    #[test]
    fn the_same_code_on_both_sides_of_a_part_of_the_interval_acquits_nobody() {
        let history =
            [code("a", "1", ""), code("b", "1", ""), code("c", "2", ""), code("d", "2", "")];
        for places in [1..=2, 1..=3, 2..=3, 2..=2] {
            assert_eq!(Suspects::at(&history, places.clone()).acquittal, None, "{places:?}");
        }
        for places in [1..=1, 3..=3] {
            let acquittal = Suspects::at(&history, places).acquittal;
            assert_eq!(acquittal, Some(NoSuspectReason::SameMachineCode));
        }
    }

    #[test]
    fn only_commits_whose_machine_code_differs_from_that_before_are_suspects() {
        let history =
            ["a1", "b1", "c2", "d2", "e3", "f3", "g3"].map(|it| code(&it[..1], &it[1..], ""));
        let range = |places| {
            let suspects = Suspects::at(&history, places);
            (suspects.after.map(|it| it.commit), suspects.upto.commit, suspects.places)
        };
        assert_eq!(range(1..=6), (Some("b".into()), "e".into(), 6));
        assert_eq!(range(3..=5), (Some("d".into()), "e".into(), 3));
        assert_eq!(range(0..=3), (None, "c".into(), 4));
    }

    #[test]
    fn code_that_nobody_knows_is_not_the_same() {
        let history = [code("", "", ""), code("", "", ""), code("b", "1", ""), code("b", "", "")];
        assert_eq!(Suspects::at(&history, 1..=1).acquittal, None);
        assert_eq!(Suspects::at(&history, 3..=3).acquittal, Some(NoSuspectReason::SameCommit));
        let dirty = RunCode { is_dirty: true, ..code("b", "", "") };
        let suspects = Suspects::at(&[code("b", "", ""), dirty], 1..=1);
        assert_eq!((suspects.acquittal, suspects.has_uncommitted), (None, true));
    }

    #[test]
    fn a_change_as_old_as_the_history_has_nothing_before_it() {
        let suspects = Suspects::at(&[code("a", "1", "")], 0..=0);
        assert_eq!((suspects.after, suspects.acquittal), (None, None));
    }

    #[test]
    fn another_toolchain_among_the_runs_is_reported_whatever_the_code() {
        let history = [code("a", "1", "x"), code("a", "1", ""), code("a", "1", "y")];
        assert!(!Suspects::at(&history, 1..=1).has_other_context);
        assert!(Suspects::at(&history, 1..=2).has_other_context);
    }
}
