//! Whether the first and the newest records of a history have the runs of a baseline, and those from which slow drift is
//! measured.

use crate::branches::Branches;
use crate::git_checkout::GitCheckout;
use perftest_core::model::{Anchor, BaselineRule};
use perftest_store::line::Fields;
use perftest_store::{Record, Testbeds};
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

/// What a baseline and its anchor ask of a run.
struct ReceivedRun<'a> {
    id: &'a str,
    /// Name, unit and direction, and the configuration.
    compared_by: [Option<String>; 4],
    acceptance: Option<String>,
    counts: bool,
    /// Whether the baseline of this checkout may have it.
    is_merged: bool,
    /// Whether its testbed was retired later: no run is compared with it.
    is_retired: bool,
}

impl<'a> ReceivedRun<'a> {
    fn of(record: &'a Record, testbeds: &Testbeds, merged: &MergedCode) -> Option<Self> {
        let fields = Fields::parse(record.text().as_bytes()).ok()?;
        let text = |key| -> Option<String> { fields.get(key).ok().flatten() };
        let started_ms: Option<u64> = fields.get("started_ms").ok().flatten();
        let retired_ms = text("testbed").and_then(|testbed| testbeds.retired_ms(&testbed));
        Some(Self {
            id: record.id(),
            compared_by: ["metric", "unit", "better", "config"].map(text),
            acceptance: text("acceptance"),
            counts: is(&fields, "counts_for_baseline"),
            is_merged: merged.has(&fields),
            is_retired: retired_ms.is_some() && started_ms <= retired_ms,
        })
    }

    /// Returns whether this run is of the level that this later run belongs to: an acceptance begins a level, and so does
    /// the first run behind a retirement.
    fn is_of_level(&self, later: &Self) -> bool {
        self.compared_by == later.compared_by
            && !self.is_retired
            && (later.acceptance.is_none() || self.acceptance == later.acceptance)
    }
}

/// The first and the newest runs of a history, with a gap between them.
pub(super) struct RunsBesideGap<'a> {
    first: Vec<ReceivedRun<'a>>,
    /// The last one of the file first.
    newest: Vec<ReceivedRun<'a>>,
}

impl<'a> RunsBesideGap<'a> {
    /// Reads the `first` records, and the `newest`, the last one of the file first. `testbeds` says which runs are
    /// retired, and `merged` which ones the checkout is compared with.
    pub(super) fn of(
        first: &'a [Record],
        newest: &'a [Record],
        testbeds: &Testbeds,
        merged: &MergedCode,
    ) -> Self {
        let [first, newest] = [first, newest].map(|records| {
            records.iter().filter_map(|it| ReceivedRun::of(it, testbeds, merged)).collect()
        });
        Self { first, newest }
    }

    /// Returns how many runs of merged code that count are among the newest ones, for the metric and configuration with
    /// the fewest; a whole window is enough. Those of which not even one is among the first need none. With fewer,
    /// verdicts compare with the first ones, too, as if no run were between. The rule of the baseline leaves out some of
    /// the counted ones, such as slow runs: so many are seldom too few, and may be.
    pub(super) fn fewest_counted(&self) -> usize {
        let count = |runs: &[ReceivedRun<'_>], wanted: &ReceivedRun<'_>| {
            let counted = runs.iter().filter(|it| it.counts && it.is_merged);
            let is_wanted = |it: &&ReceivedRun<'_>| it.compared_by == wanted.compared_by;
            let ids: HashSet<&str> = counted.filter(is_wanted).map(|it| it.id).collect();
            ids.len()
        };
        let mut seen = HashSet::new();
        let kinds = self.newest.iter().filter(|run| seen.insert(&run.compared_by));
        let needed = kinds.filter(|run| count(&self.first, run) > 0);
        let fewest = needed.map(|run| count(&self.newest, run)).min();
        fewest.unwrap_or(BaselineRule::WINDOW).min(BaselineRule::WINDOW)
    }

    /// Returns whether the anchor of the newest runs of each metric and configuration is there: the level that continues
    /// behind the gap has the runs of an anchor among the first ones. Levels that begin behind the gap are among the
    /// newest.
    pub(super) fn have_anchors(&self) -> bool {
        let newest = || self.newest.iter().filter(|it| it.counts);
        let mut seen = HashSet::new();
        newest().filter(|run| seen.insert(&run.compared_by)).all(|run| {
            let behind_gap = newest().rfind(|it| it.compared_by == run.compared_by).unwrap_or(run);
            let of_level = self.first.iter().filter(|it| it.counts && it.is_of_level(behind_gap));
            behind_gap.is_retired || of_level.count() >= Anchor::RUNS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Metric, Revision, Run};
    use perftest_store::conformance::example_run;
    use perftest_store::{
        JsonlStore, Project, ReadPlace, RecordFiles, Store, TestbedChange, TestbedDecision,
    };
    use std::ops::Range;

    fn records(runs: impl IntoIterator<Item = Run>) -> Vec<Record> {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let store = JsonlStore::open(root.path(), &project);
        runs.into_iter().for_each(|run| store.append(&run).unwrap());
        let files = RecordFiles::open(root.path(), &project);
        let name = files.list().unwrap().remove(0).name;
        files.read(&name, &ReadPlace::default()).unwrap().records
    }

    fn fewest_counted(first: &[Record], newest: &[Record], merged: &MergedCode) -> usize {
        RunsBesideGap::of(first, newest, &Testbeds::default(), merged).fewest_counted()
    }

    /// The records of one run on each of these branches.
    fn on_branches(branches: &[&str], change: impl Fn(Run) -> Run) -> Vec<Record> {
        let run = |(branch, run): (&&str, Run)| {
            let revision =
                Revision { branch: (*branch).to_owned(), dirty: false, ..run.revision.clone() };
            change(Run { revision, ..run })
        };
        records(branches.iter().zip((0..).map(example_run)).map(run))
    }

    /// Whether there are baselines of this default branch behind ten runs of `main`.
    fn have_of(newest: &[&str], default_branch: &str, change: impl Fn(Run) -> Run) -> bool {
        let first = on_branches(&["main"; 10], |run| run);
        let merged =
            MergedCode { default_branch: default_branch.to_owned(), ..MergedCode::default() };
        fewest_counted(&first, &on_branches(newest, change), &merged) == BaselineRule::WINDOW
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
        let first = on_branches(&["main"; 10], made(1_000));
        let have_until = |until_s| {
            let default_branch = "main".to_owned();
            let merged = MergedCode { default_branch, until_s, ..MergedCode::default() };
            let newest = on_branches(&["main"; 30], made(2_000));
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
            on_branches(&["main"; 20], change)
        };
        let merged = MergedCode {
            default_branch: "main".to_owned(),
            commit: "c9".to_owned(),
            ..MergedCode::default()
        };
        let (first, older, own) =
            (on_branches(&["main"; 10], |run| run), of_commit("c5"), of_commit("c9"));
        let count = |newest: &[&[Record]]| fewest_counted(&first, &newest.concat(), &merged);
        assert_eq!([count(&[&older]), count(&[&older, &older])], [20, 20]);
        assert_eq!(count(&[&own]), 0);
    }

    #[test]
    fn a_configuration_that_the_first_runs_lack_has_its_baseline_elsewhere() {
        assert!(have_of(&["topic"; 20], "main", |run| Run { config: "other".into(), ..run }));
    }

    fn counted(ordinals: Range<u64>, change: impl Fn(Run) -> Run) -> impl Iterator<Item = Run> {
        ordinals.map(move |it| change(Run { counts_for_baseline: true, ..example_run(it) }))
    }

    /// Of runs of which the first 20 and the newest 20 were received.
    fn have_anchors_of(runs: impl IntoIterator<Item = Run>) -> bool {
        have_anchors_on(&Testbeds::default(), runs)
    }

    fn have_anchors_on(testbeds: &Testbeds, runs: impl IntoIterator<Item = Run>) -> bool {
        let records = records(runs);
        let newest: Vec<Record> = records.iter().rev().take(20).cloned().collect();
        RunsBesideGap::of(&records[..20], &newest, testbeds, &MergedCode::default()).have_anchors()
    }

    fn accepted(run: Run) -> Run {
        Run { acceptance: Some("A".into()), ..run }
    }

    #[test]
    fn the_first_runs_of_all_are_the_anchor_without_an_acceptance() {
        assert!(have_anchors_of(counted(0..90, |run| run)));
    }

    #[test]
    fn an_accepted_level_that_begins_in_the_gap_has_its_anchor_there() {
        let begins_with = |at| counted(0..at, |run| run).chain(counted(at..90, accepted));
        assert!(!have_anchors_of(begins_with(50)));
        assert!(!have_anchors_of(begins_with(11)));
        // All of its first ten runs were received.
        assert!(have_anchors_of(begins_with(10)));
        assert!(have_anchors_of(begins_with(75)));
    }

    #[test]
    fn a_testbed_that_was_retired_in_the_gap_has_its_anchor_there() {
        let retired_behind = |ordinal| {
            let Run { testbed, started_ms: given_ms, .. } = example_run(ordinal);
            let change = TestbedChange::Retired;
            let id = "01KDVDNR000000000000000001".into();
            let testbeds = Testbeds::of(&[TestbedDecision { id, testbed, change, given_ms }]);
            have_anchors_on(&testbeds, counted(0..90, |run| run))
        };
        // All of its first ten runs since then were received.
        assert!(retired_behind(9));
        assert!(!retired_behind(10));
        assert!(!retired_behind(50));
        assert!(!retired_behind(69));
        assert!(retired_behind(70));
        assert!(retired_behind(89));
    }

    #[test]
    fn another_configuration_since_the_gap_has_its_anchor_there() {
        let other = |run| Run { config: "other".into(), ..run };
        assert!(!have_anchors_of(counted(0..50, |run| run).chain(counted(50..90, other))));
    }

    #[test]
    fn each_configuration_among_the_newest_runs_needs_its_anchor() {
        let other = |run| Run { config: "other".into(), ..run };
        let by_turns = |from: u64| {
            let one_of_each =
                move |at| counted(at..at + 1, other).chain(counted(at + 1..at + 2, |run| run));
            (from..90).step_by(2).flat_map(one_of_each)
        };
        // The newest run of all has the configuration of the first ones.
        assert!(!have_anchors_of(counted(0..50, |run| run).chain(by_turns(50))));
        assert!(have_anchors_of(by_turns(0)));
    }

    #[test]
    fn many_metrics_leave_too_few_runs_of_each_among_the_first() {
        let metrics = |run: Run| {
            let cpu = Metric { name: "cpu".into(), ..Metric::wall() };
            [run.clone(), Run { metric: cpu, ..run }]
        };
        assert!(have_anchors_of(counted(0..45, |run| run).flat_map(metrics)));
        let branch = |run| Run { counts_for_baseline: false, ..run };
        let runs = counted(0..1, branch).chain(counted(1..45, |run| run));
        assert!(!have_anchors_of(runs.flat_map(metrics)));
    }
}
