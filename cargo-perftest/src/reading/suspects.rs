//! Between which commits something changed.

use crate::report::short_commit;
use perftest_core::model::Run;

/// Both sides of a change: what may have brought it came in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Suspects {
    /// The newest code before the change.
    pub(crate) after: Side,
    /// The oldest code with it.
    pub(crate) upto: Side,
}

/// The code of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Side {
    /// Empty when not known.
    pub(crate) commit: String,
    pub(crate) is_dirty: bool,
    pub(crate) started_ms: u64,
    /// The machine code, empty when not known.
    text: String,
    /// Toolchain and system, empty when not known.
    context: String,
}

/// Why no commit is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acquittal {
    SameCommit,
    SameMachineCode,
}

impl Acquittal {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::SameCommit => "the same commit",
            Self::SameMachineCode => "the same machine code",
        }
    }
}

impl Side {
    fn of(run: &Run) -> Self {
        Self {
            commit: run.revision.commit.clone(),
            is_dirty: run.revision.dirty,
            started_ms: run.started_ms,
            text: run.code.text.clone(),
            context: run.context.clone(),
        }
    }
}

impl Suspects {
    /// From the last run before a change to the first one with it.
    pub(crate) fn between(last_before: &Run, first_after: &Run) -> Self {
        Self { after: Side::of(last_before), upto: Side::of(first_after) }
    }

    /// The range as git understands it; `None` where a commit is not known, or both are the same.
    pub(crate) fn range(&self) -> Option<String> {
        let [after, upto] = [&self.after.commit, &self.upto.commit];
        let is_range = !after.is_empty() && !upto.is_empty() && after != upto;
        is_range.then(|| format!("{}..{}", short_commit(after), short_commit(upto)))
    }

    /// Why it is not the code; `None` where it may be.
    pub(crate) fn acquittal(&self) -> Option<Acquittal> {
        let Self { after, upto } = self;
        let is_same = |one: &str, other: &str| !one.is_empty() && one == other;
        if is_same(&after.text, &upto.text) {
            return Some(Acquittal::SameMachineCode);
        }
        let is_clean = !after.is_dirty && !upto.is_dirty;
        (is_clean && is_same(&after.commit, &upto.commit)).then_some(Acquittal::SameCommit)
    }

    /// Whether the toolchain or the system became another one too.
    pub(crate) fn has_other_context(&self) -> bool {
        let [after, upto] = [&self.after.context, &self.upto.context];
        !after.is_empty() && !upto.is_empty() && after != upto
    }

    pub(crate) fn in_words(&self) -> String {
        let is_dirty = self.after.is_dirty || self.upto.is_dirty;
        let mut words = match (self.acquittal(), self.range()) {
            (Some(acquittal), _) => format!("{} on both sides: not the code", acquittal.in_words()),
            (None, Some(range)) if is_dirty => format!("{range}, and what is not committed"),
            (None, Some(range)) => range,
            (None, None) if self.upto.commit.is_empty() || self.after.commit.is_empty() => {
                "?".into()
            }
            (None, None) => format!("not committed on {}", short_commit(&self.upto.commit)),
        };
        if self.has_other_context() {
            words.push_str("; other toolchain or system");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::example_run;

    /// A run of this commit, executable and context.
    fn run(commit: &str, is_dirty: bool, text: &str, context: &str) -> Run {
        let mut run = Run { context: context.into(), ..example_run(0) };
        (run.revision.commit, run.revision.dirty) = (commit.into(), is_dirty);
        run.code.text = text.into();
        run
    }

    fn told(after: &Run, upto: &Run) -> String {
        Suspects::between(after, upto).in_words()
    }

    #[test]
    fn two_commits_are_a_range_for_git() {
        let (one, other) =
            (run("aaaaaaaaaaaa", false, "1", ""), run("bbbbbbbbbbbb", false, "2", ""));
        assert_eq!(told(&one, &other), "aaaaaaaaa..bbbbbbbbb");
        let dirty = run("bbbbbbbbbbbb", true, "2", "");
        assert_eq!(told(&one, &dirty), "aaaaaaaaa..bbbbbbbbb, and what is not committed");
        assert_eq!(told(&other, &dirty), "the same machine code on both sides: not the code");
        let dirty = run("bbbbbbbbbbbb", true, "3", "");
        assert_eq!(told(&other, &dirty), "not committed on bbbbbbbbb");
        assert_eq!(told(&one, &run("", false, "", "")), "?");
    }

    #[test]
    fn the_same_code_on_both_sides_is_not_to_blame() {
        let (one, other) = (run("aaaa", false, "1", "x"), run("aaaa", false, "2", "y"));
        assert_eq!(
            told(&one, &other),
            "the same commit on both sides: not the code; other toolchain or system"
        );
        let other = run("bbbb", false, "1", "x");
        let suspects = Suspects::between(&one, &other);
        assert_eq!(suspects.acquittal(), Some(Acquittal::SameMachineCode));
        assert_eq!(suspects.range().as_deref(), Some("aaaa..bbbb"));
        let unknown = run("", false, "", "");
        assert_eq!(Suspects::between(&unknown, &unknown).acquittal(), None);
    }
}
