//! Whether the newest records of a history have the runs of a baseline.

use crate::branches::Branches;
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
}

impl MergedCode {
    pub(super) fn around(here: &Path) -> Self {
        let branches = Branches::around(here);
        Self { until_s: branches.base_time_s(here), default_branch: branches.default }
    }

    /// Returns whether a run that counts is in the baseline of this checkout; where no branch is known to be the default
    /// one, each is.
    fn has(&self, fields: &Fields<'_>) -> bool {
        let branch: Option<String> = fields.get("branch").ok().flatten();
        let time_s: Option<u64> = fields.get("commit_time_s").ok().flatten();
        let is_of_branch = branch.as_deref() == Some(&self.default_branch) && !is(fields, "dirty");
        let is_later = self.until_s.is_some_and(|until_s| time_s > Some(until_s));
        self.default_branch.is_empty() || is_of_branch && !is_later
    }
}

fn is(fields: &Fields<'_>, key: &str) -> bool {
    fields.get(key).ok().flatten() == Some(true)
}

/// What a baseline asks of a run.
struct BaselineRun {
    /// Name, unit and direction, and the configuration.
    compared_by: [Option<String>; 4],
    counts: bool,
}

impl BaselineRun {
    fn of(record: &Record, merged: &MergedCode) -> Option<Self> {
        let fields = Fields::parse(record.text().as_bytes()).ok()?;
        let text = |key| -> Option<String> { fields.get(key).ok().flatten() };
        Some(Self {
            compared_by: ["metric", "unit", "better", "config"].map(text),
            counts: is(&fields, "counts_for_baseline") && merged.has(&fields),
        })
    }
}

/// Returns whether the `newest` records have a baseline: a whole window of runs of merged code for each of their metrics
/// and configurations, or not even one among the `first` records. Verdicts would else compare with the first ones, too,
/// as if no run were between.
pub(super) fn have_baselines<'a>(
    first: impl IntoIterator<Item = &'a Record>,
    newest: impl IntoIterator<Item = &'a Record>,
    merged: &MergedCode,
) -> bool {
    let run = |record| BaselineRun::of(record, merged);
    let first: Vec<BaselineRun> = first.into_iter().filter_map(run).collect();
    let newest: Vec<BaselineRun> = newest.into_iter().filter_map(run).collect();
    let count = |runs: &[BaselineRun], wanted: &BaselineRun| {
        let is_wanted = |it: &&BaselineRun| it.counts && it.compared_by == wanted.compared_by;
        runs.iter().filter(is_wanted).count()
    };
    let mut seen = HashSet::new();
    newest
        .iter()
        .filter(|run| seen.insert(&run.compared_by))
        .all(|run| count(&newest, run) >= BaselineRule::WINDOW || count(&first, run) == 0)
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
        let merged = MergedCode { default_branch: default_branch.to_owned(), until_s: None };
        have_baselines(&first, &records(newest, change), &merged)
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
            let merged = MergedCode { default_branch: "main".to_owned(), until_s };
            have_baselines(&first, &records(&["main"; 30], made(2_000)), &merged)
        };
        assert!(!have_until(Some(1_999)), "a release branch has only the first ones");
        assert!(have_until(Some(2_000)));
        assert!(have_until(None), "a clone with few commits");
        assert!(have_until(Some(999)), "the first ones are later, too");
    }

    #[test]
    fn a_configuration_that_the_first_runs_lack_has_its_baseline_elsewhere() {
        assert!(have_of(&["topic"; 20], "main", |run| Run { config: "other".into(), ..run }));
    }
}
