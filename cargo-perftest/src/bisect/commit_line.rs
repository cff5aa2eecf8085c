//! The commits from a good one to a bad one.

use crate::compare::SourceRevision;
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::report::short_commit;
use perftest_analysis::verdicts::Span;
use perftest_core::words::one_line;
use std::collections::BTreeSet;

/// One commit, with its hash, day and subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) revision: SourceRevision,
    pub(crate) subject: String,
    /// Day of the commit, as 2027-01-31.
    pub(crate) day: String,
    pub(crate) is_merge: bool,
    first_parent: String,
}

/// The commits from the good one to the bad one, by first parents.
#[derive(Debug)]
pub(crate) struct CommitLine {
    commits: Vec<Commit>,
}

impl CommitLine {
    /// Lists the commits from `good` to `bad`: those first parents of `bad` that descend from
    /// `good`. A merge is one step with all that it brought.
    pub(crate) fn between(good: &str, bad: &str, repository: &GitCheckout) -> Result<Self> {
        let [first, last] = [good, bad].map(|name| SourceRevision::named(name, repository));
        let (first, last) = (first?, last?);
        let range = format!("{}..{}", first.commit, last.commit);
        let descendants = repository.git(&["rev-list", "--ancestry-path", &range])?;
        let descendants: BTreeSet<&str> = descendants.lines().collect();
        if descendants.is_empty() {
            return Err(CommandError::Usage(no_way(&first, &last)));
        }
        let mut commits = logged(repository, &["-1", &first.commit])?;
        let later = logged(repository, &["--first-parent", "--reverse", &range])?;
        commits.extend(later.into_iter().filter(|it| descendants.contains(&*it.revision.commit)));
        let ends = commits.len() - 1;
        // In the form that the user gave.
        commits[0].revision = first;
        commits[ends].revision = last;
        Ok(Self { commits })
    }

    /// Returns the commit at this index: 0 is the good one.
    pub(crate) fn commit(&self, place: usize) -> &Commit {
        &self.commits[place]
    }

    /// Returns whether this is a merge into a line that does not have the commit before it: the good one came in with
    /// what was merged.
    pub(crate) fn came_in_by_merge(&self, place: usize) -> bool {
        let (commit, before) = (&self.commits[place], &self.commits[place - 1]);
        commit.is_merge && commit.first_parent != before.revision.commit
    }

    /// Number of commits after the good one.
    pub(crate) fn steps(&self) -> usize {
        self.commits.len() - 1
    }

    /// Returns the commits of a span, oldest first.
    pub(crate) fn of(&self, span: Span) -> &[Commit] {
        &self.commits[span.before + 1..=span.after]
    }
}

impl Commit {
    /// Returns the abbreviated hash.
    pub(crate) fn short(&self) -> String {
        short_commit(&self.revision.commit)
    }

    /// Parses a line of the log, with fields separated by tabs.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(4, '\t');
        let [commit, parents, day, subject] = [(); 4].map(|()| fields.next());
        let subject = subject?.to_owned();
        let name = one_line(&subject).into_owned();
        let revision = SourceRevision { name, commit: commit?.to_owned(), is_dirty: false };
        let (day, parents) = (day?.to_owned(), parents?);
        let first_parent = parents.split(' ').next().unwrap_or_default().to_owned();
        Some(Self { revision, subject, day, is_merge: parents.contains(' '), first_parent })
    }
}

fn logged(repository: &GitCheckout, which: &[&str]) -> Result<Vec<Commit>> {
    let log = ["log", "--no-color", "--format=%H%x09%P%x09%cs%x09%s"];
    let output = repository.git(&[&log, which].concat())?;
    Ok(output.lines().filter_map(Commit::parse).collect())
}

fn no_way(good: &SourceRevision, bad: &SourceRevision) -> String {
    if good.commit == bad.commit {
        return format!("{good} and {bad} are the same commit: there is nothing between them");
    }
    format!(
        "{good} is not among the ancestors of {bad}: begin at one that is, such as `$(git \
         merge-base {} {})`. A clone with only the newest commits cannot tell: `git fetch \
         --unshallow`",
        good.name, bad.name
    )
}

#[cfg(test)]
impl CommitLine {
    /// Creates a line of commits with these subjects; the hash of each is its index, nine times. The second parent of
    /// `Merge main` is the commit before it.
    pub(super) fn of_subjects(subjects: &[&str]) -> Self {
        let hash = |place: usize| place.to_string().repeat(9);
        let line = |(place, subject): (usize, &&str)| {
            let parents = match *subject {
                "Merge main" => format!("{} {}", "f".repeat(9), hash(place - 1)),
                "Merge topic" => format!("{} {}", hash(place - 1), "f".repeat(9)),
                _ => "11".to_owned(),
            };
            format!("{}\t{parents}\t2027-01-31\t{subject}", hash(place))
        };
        let lines = subjects.iter().enumerate().map(line);
        Self { commits: lines.filter_map(|line| Commit::parse(&line)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_has_the_subject_as_one_line_whatever_is_in_it() {
        let subject = "Merge | of\ttwo\u{1b}]0;x\u{7}##vso[task.complete]";
        let commit = Commit::parse(&format!("1234567890ab\t11 22\t2027-01-31\t{subject}")).unwrap();
        assert_eq!((commit.short().as_str(), commit.is_merge), ("123456789", true));
        assert_eq!((commit.subject.as_str(), commit.day.as_str()), (subject, "2027-01-31"));
        assert_eq!(commit.revision.name, "Merge | of two ]0;x # #vso[task.complete]");
        assert!(!Commit::parse("ab\t11\t2027-01-31\t").unwrap().is_merge);
        assert_eq!(Commit::parse("warning: something else"), None);
    }
}
