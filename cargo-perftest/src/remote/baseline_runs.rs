//! Whether the newest records of a history have the runs of a baseline.

use perftest_core::model::BaselineRule;
use perftest_store::Record;
use perftest_store::line::Fields;
use std::collections::HashSet;

/// What a baseline asks of a run.
struct BranchRun {
    /// Name, unit and direction, and the configuration.
    compared_by: [Option<String>; 4],
    /// Whether it counts for the baseline of code that has the default branch, or of all code where no branch is known
    /// as that.
    is_of_default_branch: bool,
}

impl BranchRun {
    fn of(record: &Record, default_branch: &str) -> Option<Self> {
        let fields = Fields::parse(record.text().as_bytes()).ok()?;
        let text = |key| -> Option<String> { fields.get(key).ok().flatten() };
        let is = |key| fields.get(key).ok().flatten() == Some(true);
        let is_of_branch = text("branch").as_deref() == Some(default_branch) && !is("dirty");
        Some(Self {
            compared_by: ["metric", "unit", "better", "config"].map(text),
            is_of_default_branch: is("counts_for_baseline")
                && (default_branch.is_empty() || is_of_branch),
        })
    }
}

/// Returns whether the `newest` records have a baseline: enough runs of the default branch for each of their metrics and
/// configurations, or not even one among the `first` records. Verdicts would else compare with the first ones alone.
pub(super) fn have_baselines<'a>(
    first: impl IntoIterator<Item = &'a Record>,
    newest: impl IntoIterator<Item = &'a Record>,
    default_branch: &str,
) -> bool {
    let run = |record| BranchRun::of(record, default_branch);
    let first: Vec<BranchRun> = first.into_iter().filter_map(run).collect();
    let newest: Vec<BranchRun> = newest.into_iter().filter_map(run).collect();
    let count = |runs: &[BranchRun], wanted: &BranchRun| {
        let is_wanted =
            |it: &&BranchRun| it.is_of_default_branch && it.compared_by == wanted.compared_by;
        runs.iter().filter(is_wanted).count()
    };
    let needed = BaselineRule::default().needed;
    let mut seen = HashSet::new();
    newest
        .iter()
        .filter(|run| seen.insert(&run.compared_by))
        .all(|run| count(&newest, run) >= needed || count(&first, run) == 0)
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
        have_baselines(&first, &records(newest, change), default_branch)
    }

    #[test]
    fn without_five_of_the_newest_runs_on_the_default_branch_the_first_ones_are_no_baseline() {
        let few = [&["topic"; 20][..], &["main"; 4]].concat();
        let enough = [&["main"; 5][..], &["topic"; 20]].concat();
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
        assert!(!have_of(&["main"; 20], "main", changed));
        assert!(!have_of(&["main"; 20], "main", |run| Run { counts_for_baseline: false, ..run }));
    }

    #[test]
    fn a_configuration_that_the_first_runs_lack_has_its_baseline_elsewhere() {
        assert!(have_of(&["topic"; 20], "main", |run| Run { config: "other".into(), ..run }));
    }
}
