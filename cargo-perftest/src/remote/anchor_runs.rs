//! Whether the first records of a history have the runs from which slow drift is measured.

use perftest_core::model::Anchor;
use perftest_store::line::Fields;
use perftest_store::{Record, Testbeds};
use std::collections::HashSet;

/// What a run that counts for the baseline has in common with the runs of its anchor.
#[derive(Debug, PartialEq, Eq)]
struct CountedRun {
    /// Name, unit and direction.
    metric: [Option<String>; 3],
    config: Option<String>,
    acceptance: Option<String>,
    /// Whether its testbed was retired later: no run is compared with it.
    is_retired: bool,
}

impl CountedRun {
    fn of(record: &Record, testbeds: &Testbeds) -> Option<Self> {
        let fields = Fields::parse(record.text().as_bytes()).ok()?;
        let text = |key| -> Option<String> { fields.get(key).ok().flatten() };
        let counts: Option<bool> = fields.get("counts_for_baseline").ok().flatten();
        let started_ms: Option<u64> = fields.get("started_ms").ok().flatten();
        let retired_ms = text("testbed").and_then(|testbed| testbeds.retired_ms(&testbed));
        (counts == Some(true)).then(|| Self {
            metric: ["metric", "unit", "better"].map(text),
            config: text("config"),
            acceptance: text("acceptance"),
            is_retired: retired_ms.is_some() && started_ms <= retired_ms,
        })
    }

    fn is_comparable(&self, other: &Self) -> bool {
        self.metric == other.metric && self.config == other.config
    }

    /// Returns whether this run is of the level that this later run belongs to: an acceptance begins a level, and so does
    /// the first run behind a retirement.
    fn is_of_level(&self, later: &Self) -> bool {
        self.is_comparable(later)
            && !self.is_retired
            && (later.acceptance.is_none() || self.acceptance == later.acceptance)
    }
}

/// Returns whether the anchor of the newest runs of each metric and configuration is among these records: the level that
/// continues behind the gap has the runs of an anchor among the first records. Levels that begin behind the gap are among
/// the newest.
pub(super) fn have_anchors<'a>(
    first: impl IntoIterator<Item = &'a Record>,
    newest: impl IntoIterator<Item = &'a Record>,
    testbeds: &Testbeds,
) -> bool {
    let counted = |record| CountedRun::of(record, testbeds);
    let first: Vec<CountedRun> = first.into_iter().filter_map(counted).collect();
    let newest: Vec<CountedRun> = newest.into_iter().filter_map(counted).collect();
    let mut seen = HashSet::new();
    newest.iter().rev().filter(|run| seen.insert((&run.metric, &run.config))).all(|run| {
        let behind_gap = newest.iter().find(|it| it.is_comparable(run)).unwrap_or(run);
        behind_gap.is_retired
            || first.iter().filter(|it| it.is_of_level(behind_gap)).count() >= Anchor::RUNS
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Metric, Run};
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

    fn counted(ordinals: Range<u64>, change: impl Fn(Run) -> Run) -> impl Iterator<Item = Run> {
        ordinals.map(move |it| change(Run { counts_for_baseline: true, ..example_run(it) }))
    }

    /// Of runs of which the first 20 and the newest 20 were received.
    fn have_anchors_of(runs: impl IntoIterator<Item = Run>) -> bool {
        have_anchors_on(&Testbeds::default(), runs)
    }

    fn have_anchors_on(testbeds: &Testbeds, runs: impl IntoIterator<Item = Run>) -> bool {
        let records = records(runs);
        have_anchors(&records[..20], &records[records.len() - 20..], testbeds)
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
