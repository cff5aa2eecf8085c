//! Whether the newest records of a history have the runs of a baseline.

use crate::branches::Branches;
use crate::git_checkout::GitCheckout;
use perftest_core::model::BaselineRule;
use perftest_store::Record;
use perftest_store::line::Fields;
use std::collections::HashSet;
use std::path::Path;

/// What a checkout has of the default branch.
#[derive(Debug, Default)]
pub(super) struct MergedCode {
    /// The name of the default branch; empty where it is unknown.
    default_branch: String,
    /// When the newest commit that the checkout has of it was made; `None` where that is unknown. Runs of later ones are
    /// no baseline.
    until_s: Option<u64>,
    /// The commit of the default branch that is checked out: a run is not compared with others of its commit there; empty
    /// on other branches, and where it is unknown.
    commit: String,
}

impl MergedCode {
    pub(super) fn around(here: &Path) -> Self {
        let branches = Branches::around(here);
        let is_at_home = branches.current.as_ref() == Some(&branches.default);
        let commit = GitCheckout::around(here).and_then(|it| it.git(&["rev-parse", "HEAD"]));
        let commit = commit.ok().filter(|_| is_at_home);
        Self {
            until_s: branches.base_time_s(here),
            default_branch: branches.default,
            commit: commit.unwrap_or_default(),
        }
    }

    /// Returns whether a run that counts may be in the baseline of this checkout; where no branch is known to be the
    /// default one, each may.
    fn has(&self, fields: &Fields<'_>) -> bool {
        let branch: Option<String> = fields.get("branch").ok().flatten();
        let time_s: Option<u64> = fields.get("commit_time_s").ok().flatten();
        let is_of_branch = branch.as_deref() == Some(&self.default_branch) && !is(fields, "dirty");
        let is_later = self.until_s.is_some_and(|until_s| time_s > Some(until_s));
        let commit: Option<String> = fields.get("commit").ok().flatten();
        let is_own = commit.as_ref() == Some(&self.commit);
        self.default_branch.is_empty() || is_of_branch && !is_later && !is_own
    }
}

fn is(fields: &Fields<'_>, key: &str) -> bool {
    fields.get(key).ok().flatten() == Some(true)
}

/// What a baseline asks of a run.
struct BaselineRun<'a> {
    id: &'a str,
    /// Name, unit and direction, and the configuration.
    compared_by: [Option<String>; 4],
    counts: bool,
}

impl<'a> BaselineRun<'a> {
    fn of(record: &'a Record, merged: &MergedCode) -> Option<Self> {
        let fields = Fields::parse(record.text().as_bytes()).ok()?;
        let text = |key| -> Option<String> { fields.get(key).ok().flatten() };
        Some(Self {
            id: record.id(),
            compared_by: ["metric", "unit", "better", "config"].map(text),
            counts: is(&fields, "counts_for_baseline") && merged.has(&fields),
        })
    }
}

/// Returns how many runs of merged code that count are among the `newest` records, for the metric and configuration with
/// the fewest; a whole window is enough. Those of which not even one is among the `first` records need none. With fewer,
/// verdicts compare with the first ones, too, as if no run were between. The rule of the baseline leaves out some of the
/// counted ones, such as slow runs: so many are seldom too few, and may be.
pub(super) fn fewest_counted<'a>(
    first: impl IntoIterator<Item = &'a Record>,
    newest: impl IntoIterator<Item = &'a Record>,
    merged: &MergedCode,
) -> usize {
    let run = |record| BaselineRun::of(record, merged);
    let first: Vec<BaselineRun<'_>> = first.into_iter().filter_map(run).collect();
    let newest: Vec<BaselineRun<'_>> = newest.into_iter().filter_map(run).collect();
    let count = |runs: &[BaselineRun<'_>], wanted: &BaselineRun<'_>| {
        let is_wanted = |it: &&BaselineRun<'_>| it.counts && it.compared_by == wanted.compared_by;
        let ids: HashSet<&str> = runs.iter().filter(is_wanted).map(|it| it.id).collect();
        ids.len()
    };
    let mut seen = HashSet::new();
    let kinds = newest.iter().filter(|run| seen.insert(&run.compared_by));
    let counts = kinds.filter(|run| count(&first, run) > 0).map(|run| count(&newest, run));
    counts.min().unwrap_or(BaselineRule::WINDOW).min(BaselineRule::WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Revision, Run};
    use perftest_store::conformance::example_run;
    use perftest_store::{JsonlStore, Project, ReadPlace, RecordFiles, Store};

    /// The records of one run on each of these branches.
    fn records(branches: &[&str], change: impl Fn(Run) -> Run) -> Vec<Record> {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let store = JsonlStore::open(root.path(), &project);
        for (branch, run) in branches.iter().zip((0..).map(example_run)) {
            let revision =
                Revision { branch: (*branch).to_owned(), dirty: false, ..run.revision.clone() };
            store.append(&change(Run { revision, ..run })).unwrap();
        }
        let files = RecordFiles::open(root.path(), &project);
        let name = files.list().unwrap().remove(0).name;
        files.read(&name, &ReadPlace::default()).unwrap().records
    }

    /// Whether there are baselines of this default branch behind ten runs of `main`.
    fn have_of(newest: &[&str], default_branch: &str, change: impl Fn(Run) -> Run) -> bool {
        let first = records(&["main"; 10], |run| run);
        let merged =
            MergedCode { default_branch: default_branch.to_owned(), ..MergedCode::default() };
        fewest_counted(&first, &records(newest, change), &merged) == BaselineRule::WINDOW
    }

    #[test]
    fn without_thirty_of_the_newest_runs_on_the_default_branch_the_first_ones_would_be_in_the_baseline()
     {
        let few = [&["topic"; 20][..], &["main"; 29]].concat();
        let enough = [&["main"; 30][..], &["topic"; 20]].concat();
        assert!(!have_of(&few, "main", |run| run));
        assert!(have_of(&enough, "main", |run| run));
        assert!(have_of(&few, "trunk", |run| run), "the first ones have none of it either");
        assert!(have_of(&few, "", |run| run), "no branch is known to be the default one");
    }

    #[test]
    fn runs_that_do_not_count_and_those_of_changed_files_are_none_of_the_default_branch() {
        let changed = |run: Run| {
            let revision = Revision { dirty: true, ..run.revision.clone() };
            Run { revision, ..run }
        };
        assert!(!have_of(&["main"; 40], "main", changed));
        assert!(!have_of(&["main"; 40], "main", |run| Run { counts_for_baseline: false, ..run }));
    }

    #[test]
    fn runs_of_commits_after_those_of_the_checkout_are_none_of_its_baseline() {
        let made = |order: u64| {
            move |run: Run| Run { revision: Revision { order, ..run.revision.clone() }, ..run }
        };
        let first = records(&["main"; 10], made(1_000));
        let have_until = |until_s| {
            let default_branch = "main".to_owned();
            let merged = MergedCode { default_branch, until_s, ..MergedCode::default() };
            let newest = records(&["main"; 30], made(2_000));
            fewest_counted(&first, &newest, &merged) == BaselineRule::WINDOW
        };
        assert!(!have_until(Some(1_999)), "a release branch has only the first ones");
        assert!(have_until(Some(2_000)));
        assert!(have_until(None), "a clone with few commits");
        assert!(have_until(Some(999)), "the first ones are later, too");
    }

    #[test]
    fn a_run_counts_once_and_those_of_the_commit_that_is_checked_out_do_not() {
        let of_commit = |commit: &'static str| {
            let change = move |run: Run| {
                let revision = Revision { commit: commit.into(), ..run.revision.clone() };
                Run { revision, ..run }
            };
            records(&["main"; 20], change)
        };
        let merged = MergedCode {
            default_branch: "main".to_owned(),
            commit: "c9".to_owned(),
            ..MergedCode::default()
        };
        let (first, older, own) =
            (records(&["main"; 10], |run| run), of_commit("c5"), of_commit("c9"));
        let count = |newest: &[&[Record]]| fewest_counted(&first, newest.concat().iter(), &merged);
        assert_eq!([count(&[&older]), count(&[&older, &older])], [20, 20]);
        assert_eq!(count(&[&own]), 0);
    }

    #[test]
    fn a_configuration_that_the_first_runs_lack_has_its_baseline_elsewhere() {
        assert!(have_of(&["topic"; 20], "main", |run| Run { config: "other".into(), ..run }));
    }
}
