//! What a history of merged runs is compared with, and who may add to it.

use crate::reports::report_on;
use crate::support::{code, evidence, run};
use perftest_core::model::{
    Acceptance, Ancestor, Baseline, BaselineRule, BenchmarkPattern, Evidence, History, Interval,
    Lineage, Note, Reason, Revision, Run, RunId,
};

const RULE: BaselineRule = BaselineRule { needed: 5, window: 30, per_code_state: 3 };

fn revision(order: u64, branch: &str) -> Revision {
    let commit = format!("c{order}");
    Revision { commit, branch: branch.into(), order, ..Revision::default() }
}

/// A run of commit `order` of the default branch, which has machine code of its own.
fn merged(order: u64, value: f64) -> Run {
    Run { revision: revision(order, "main"), ..run(order, value, &format!("code {order}")) }
}

fn red(run: Run) -> Run {
    Run { evidence: Some(evidence(Reason::Red)), ..run }
}

fn in_ci(event: &str, run: Run) -> Run {
    Run { ci: event.into(), ..run }
}

/// Seen from a commit of the default branch behind all others.
fn on_main() -> Lineage {
    let present = Revision { base: "c999".into(), ..revision(1000, "main") };
    let ancestors = (1..=1000).rev().map(ancestor).collect::<Vec<_>>();
    Lineage::new(&present, "main", &ancestors)
}

/// Seen from a branch that began at commit `order`.
fn on_branch_of(order: u64) -> Lineage {
    let present = Revision { base: format!("c{order}"), ..revision(5000, "feature") };
    let ancestors = (1..=order).rev().map(ancestor).collect::<Vec<_>>();
    Lineage::new(&present, "main", &ancestors)
}

fn ancestor(order: u64) -> Ancestor {
    Ancestor { commit: format!("c{order}"), time_s: order }
}

fn select(runs: &[Run], lineage: &Lineage) -> Baseline {
    RULE.select(&History { runs: runs.to_vec() }, "cfg", None, lineage)
}

fn may_count_for_baseline(history: &History, lineage: &Lineage, run: &Run) -> bool {
    let baseline = RULE.select(history, &run.config, None, lineage);
    RULE.why_not_counted(history, &baseline, None, lineage, run).is_none()
}

fn accepted() -> Acceptance {
    Acceptance {
        id: "A".into(),
        benchmark: BenchmarkPattern::new("codec::perf::encode"),
        testbed: String::new(),
        max_ratio: 1.4,
        reason: "checks input now".into(),
        given_ms: 26,
        until_ms: None,
    }
}

/// Seen from a branch that began at the twentieth commit.
fn has_enough(runs: &[Run], acceptance: Option<&Acceptance>) -> bool {
    let history = History { runs: runs.to_vec() };
    RULE.has_enough_in(&history, "cfg", acceptance, &on_branch_of(20))
}

fn values(baseline: &Baseline) -> Vec<f64> {
    baseline.centers.iter().map(|center| center.value).collect()
}

fn steady(orders: std::ops::Range<u64>, value: f64) -> Vec<Run> {
    orders.map(|order| merged(order, value + 0.1 * (order % 3) as f64)).collect()
}

#[test]
fn a_branch_is_compared_with_what_was_merged_before_it_began() {
    let mut runs = steady(1..11, 100.0);
    runs.extend(steady(11..21, 200.0));
    let baseline = select(&runs, &on_branch_of(12));
    assert_eq!((baseline.centers.len(), baseline.newest_commit.as_str()), (12, "c12"));
    assert_eq!(baseline.commits_before_base, Some(0));
    let later = select(&runs[..8], &on_branch_of(12));
    assert_eq!(later.commits_before_base, Some(4));
}

#[test]
fn own_runs_are_compared_with_only_while_too_few_are_merged() {
    let own = |order| Run { revision: revision(order, "feature"), ..run(order, 70.0, "own") };
    let mut runs = steady(1..5, 100.0);
    runs.extend((30..34).map(own));
    let baseline = select(&runs, &on_branch_of(20));
    assert_eq!((baseline.centers.len(), baseline.commits_before_base), (8, None));
    runs.push(merged(5, 100.0));
    let baseline = select(&runs, &on_branch_of(20));
    assert_eq!((baseline.centers.len(), baseline.newest_commit.as_str()), (5, "c5"));
}

#[test]
fn own_reds_are_not_enough_to_compare_with_and_five_merged_or_good_runs_are() {
    let own = |order| Run { revision: revision(order, "feature"), ..run(order, 70.0, "own") };
    let is_enough = |runs: &[Run]| has_enough(runs, None);
    let good: Vec<Run> = (30..35).map(own).collect();
    let reds: Vec<Run> = (40..60).map(|order| red(own(order))).collect();
    assert!(is_enough(&good) && !is_enough(&good[1..]) && !is_enough(&reds));
    assert!(!is_enough(&[steady(1..5, 100.0), reds.clone()].concat()));
    assert!(is_enough(&[steady(1..6, 100.0), reds].concat()));
    let merged_reds: Vec<Run> = steady(1..3, 130.0).into_iter().map(red).collect();
    assert!(!is_enough(&[merged_reds, good[2..].to_vec()].concat()), "neither are five");
}

#[test]
fn own_runs_under_an_acceptance_that_was_taken_back_are_not_enough_to_compare_with() {
    let accepted = accepted();
    let slower = Interval { estimate: 1.3, lower: 1.28, upper: 1.32 };
    let let_pass = Evidence {
        accepted_ratio: Some(accepted.max_ratio),
        degradation: Some(slower),
        ..evidence(Reason::Green)
    };
    let own = |order| Run {
        revision: revision(order, "feature"),
        acceptance: Some(accepted.id.clone()),
        evidence: Some(let_pass.clone()),
        ..run(order, 130.0, "own")
    };
    let runs: Vec<Run> = (30..36).map(own).collect();
    assert!(has_enough(&runs, Some(&accepted)) && !has_enough(&runs, None));
}

#[test]
fn a_branch_with_little_behind_it_is_not_compared_with_newer_commits_of_others() {
    let mut runs = steady(1..4, 100.0);
    runs.extend(steady(10..30, 50.0));
    assert_eq!(select(&runs, &on_branch_of(5)).centers.len(), 3);
}

#[test]
fn an_older_commit_that_is_measured_again_is_no_newest_level_of_those_after_it() {
    let mut runs = steady(1..40, 100.0);
    runs.extend(
        (40..43)
            .map(|order| Run { evidence: Some(evidence(Reason::Improved)), ..merged(order, 80.0) }),
    );
    runs.extend(steady(43..70, 80.0));
    let again = Run { id: RunId::new(100, 0), ..merged(30, 100.0) };
    runs.extend((100..106).map(|at| Run { id: RunId::new(at, 0), ..again.clone() }));
    // Before the first commit, and of one whose clock was wrong.
    runs.insert(0, Run { revision: Revision::default(), ..merged(0, 100.0) });
    let ahead = runs.iter_mut().find(|run| run.revision.commit == "c20").unwrap();
    ahead.revision.order = 9_999;
    let baseline = select(&runs, &on_main());
    assert!(values(&baseline).iter().all(|value| *value < 81.0), "{:?}", values(&baseline));
    assert_eq!(baseline.newest_commit, "c69");
    let newest_first = baseline.runs.iter().rev().map(|run| run.revision.order);
    assert!(newest_first.is_sorted_by(|newer, older| newer > older));
}

#[test]
fn an_older_commit_that_is_checked_out_is_not_compared_with_newer_ones() {
    let runs = steady(50..60, 80.0);
    let present = Revision { base: "c29".into(), ..revision(30, "main") };
    let ancestors = (1..=30).rev().map(ancestor).collect::<Vec<_>>();
    assert_eq!(values(&select(&runs, &Lineage::new(&present, "main", &ancestors))), [0.0; 0]);
}

#[test]
fn runs_of_changed_files_are_not_merged() {
    let mut runs = steady(1..6, 100.0);
    let mut dirty = merged(6, 70.0);
    dirty.revision.dirty = true;
    runs.push(dirty);
    assert_eq!(select(&runs, &on_main()).newest_commit, "c5");
}

#[test]
fn what_another_branch_tried_is_no_level_of_the_untouched_one() {
    let learned = |order| Run { flags: vec![Run::PROVISIONAL.into()], ..merged(order, 100.0) };
    let mut runs: Vec<Run> = (1..5).map(learned).collect();
    runs.push(merged(5, 100.0));
    let tried = |order| {
        let improved =
            Run { evidence: Some(evidence(Reason::Improved)), ..run(order, 70.0, "new") };
        Run { revision: revision(order, "feature"), ..improved }
    };
    let first = runs.clone();
    runs.extend((30..33).map(tried));
    let present = Revision { base: "c4".into(), ..revision(5, "main") };
    let ancestors = (1..=5).rev().map(ancestor).collect::<Vec<_>>();
    let lineage = Lineage::new(&present, "main", &ancestors);
    assert_eq!(values(&select(&runs, &lineage)), values(&select(&first, &lineage)));
}

#[test]
fn merged_reds_count_as_soon_as_they_are_a_level_of_their_own() {
    let mut runs = steady(1..26, 100.0);
    runs.extend((26..30).map(|order| red(merged(order, 130.0))));
    let young = select(&runs, &on_main());
    assert_eq!((young.centers.len(), young.newest_commit.as_str()), (25, "c25"));
    runs.push(red(merged(30, 130.0)));
    runs.push(merged(31, 130.0));
    assert_eq!(values(&select(&runs, &on_main())), [130.0; 6]);
}

#[test]
fn a_single_merged_red_is_left_out() {
    let mut runs = steady(1..11, 100.0);
    runs.push(red(merged(11, 130.0)));
    runs.extend(steady(12..20, 100.0));
    assert!(values(&select(&runs, &on_main())).iter().all(|value| *value < 101.0));
}

#[test]
fn leaving_reds_out_never_leaves_too_few() {
    let mut runs = steady(1..5, 100.0);
    runs.extend((5..9).map(|order| red(merged(order, 130.0))));
    let baseline = select(&runs, &on_main());
    assert!(baseline.suffices());
}

#[test]
fn an_acceptance_holds_for_merged_runs_too() {
    let accepted = accepted();
    let select = |runs: &[Run]| {
        RULE.select(&History { runs: runs.to_vec() }, "cfg", Some(&accepted), &on_main())
    };
    let mut runs = steady(1..26, 100.0);
    let under = |order| Run { acceptance: Some(accepted.id.clone()), ..merged(order, 130.0) };
    runs.extend((26..29).map(under));
    assert_eq!(select(&runs).accepted_ratio, Some(1.4));
    runs.extend((29..31).map(under));
    assert_eq!((values(&select(&runs)), select(&runs).accepted_ratio), (vec![130.0; 5], None));
}

/// Another kernel, microcode or compiler: every run from then on is slower, whatever its code.
#[test]
fn after_a_shift_of_the_environment_the_baseline_follows_by_itself() {
    let mut history = History { runs: steady(1..26, 100.0) };
    for order in 26..40 {
        let lineage = on_main();
        let level = values(&RULE.select(&history, "cfg", None, &lineage));
        let is_slower = level.last().is_some_and(|value| *value < 110.0);
        let next = merged(order, 120.0);
        let mut next = if is_slower { red(next) } else { next };
        next.counts_for_baseline = may_count_for_baseline(&history, &lineage, &next);
        history.runs.push(next);
        assert_eq!(is_slower, order <= 30, "commit {order}");
    }
}

#[test]
fn fifty_runs_of_one_slow_code_do_not_move_the_baseline() {
    let mut history = History { runs: steady(1..25, 100.0) };
    history.runs.push(red(merged(25, 120.0)));
    for order in 26..76 {
        let lineage = on_main();
        let mut again = red(Run { code: code("slow"), ..merged(order, 120.0) });
        again.counts_for_baseline = may_count_for_baseline(&history, &lineage, &again);
        history.runs.push(again);
        let level = RULE.select(&history, "cfg", None, &lineage);
        assert!(values(&level).iter().all(|value| *value < 101.0), "run {order}");
    }
    assert_eq!(history.runs.iter().filter(|run| run.code == code("slow")).count(), 50);
}

/// As on machines of one pool that fetch the runs of the others before a job, and send their own after it.
#[test]
fn one_slow_commit_that_many_machines_measure_at_once_does_not_move_the_baseline() {
    let mut history = History { runs: steady(1..25, 100.0) };
    let mut measure_at_once = |order: u64, machines: u64| {
        let lineage = on_main();
        let of_machine = |machine| Run {
            id: RunId::new(100 * order + machine, 0),
            ..red(Run { code: code(&format!("slow {order}")), ..merged(order, 120.0) })
        };
        let runs: Vec<Run> = (0..machines).map(of_machine).collect();
        assert!(runs.iter().all(|run| may_count_for_baseline(&history, &lineage, run)));
        history.runs.extend(runs);
        values(&RULE.select(&history, "cfg", None, &lineage))
    };
    assert!(measure_at_once(25, 20).iter().all(|value| *value < 101.0));
    // The next commit confirms it, as after three runs of each on one machine.
    assert!(measure_at_once(26, 1).iter().all(|value| *value < 101.0));
    assert!(measure_at_once(27, 20).iter().all(|value| *value > 119.0));
}

#[test]
fn a_revert_interrupts_the_row_of_merged_reds_before_they_land_again() {
    let mut history = History { runs: steady(1..26, 100.0) };
    let lineage = on_main();
    let mut record = |text: &str, order: u64, value: f64| {
        let next = Run { code: code(text), ..merged(order, value) };
        let mut next = if value > 110.0 { red(next) } else { next };
        next.counts_for_baseline = may_count_for_baseline(&history, &lineage, &next);
        history.runs.push(next);
        values(&RULE.select(&history, "cfg", None, &lineage))
    };
    let story =
        [("fast", 3, 100.0), ("slow", 3, 120.0), ("fast", 2, 100.0), ("slow again", 3, 120.0)];
    let runs =
        story.into_iter().flat_map(|(text, runs, value)| (0..runs).map(move |_| (text, value)));
    for ((text, value), order) in runs.zip(26..) {
        let level = record(text, order, value);
        assert!(level.iter().all(|value| *value < 101.0), "{text} in commit {order}: {level:?}");
    }
    // The row goes on with other commits, as after any shift.
    let level = (37..39).map(|order| record(&order.to_string(), order, 120.0)).last();
    assert!(level.unwrap().iter().all(|value| *value > 119.0));
}

#[test]
fn in_ci_only_runs_of_a_clean_default_branch_count() {
    let counts_for_baseline = |event: &str, branch: &str, dirty| {
        let revision = Revision { dirty, ..revision(7, branch) };
        let run = in_ci(event, Run { revision, ..run(7, 100.0, "a") });
        may_count_for_baseline(&History::default(), &on_main(), &run)
    };
    for event in ["gha/push", "gha/schedule", "gitlab/push", "ci/"] {
        assert!(counts_for_baseline(event, "main", false), "{event}");
        assert!(!counts_for_baseline(event, "main", true), "{event} with changed files");
        assert!(!counts_for_baseline(event, "feature", false), "{event} of a branch");
    }
    for event in ["gha/pull_request", "gha/pull_request_target", "gitlab/merge_request_event"] {
        assert!(!counts_for_baseline(event, "main", false), "{event} of a fork's main");
    }
    assert!(counts_for_baseline("ci/", "", false), "a job that does not say its branch");
    assert!(counts_for_baseline("", "feature", true), "the owner");
}

#[test]
fn an_event_is_why_a_run_in_ci_does_not_count_only_where_its_code_is_of_a_clean_default_branch() {
    let untrusted = |event: &str, branch: &str, dirty| {
        let revision = Revision { dirty, ..revision(7, branch) };
        let run = in_ci(event, Run { revision, ..run(7, 100.0, "a") });
        let (history, lineage) = (History::default(), on_main());
        let baseline = Baseline::empty(&RULE);
        match RULE.why_not_counted(&history, &baseline, None, &lineage, &run) {
            Some(Note::NotCountedEvent { event }) => Some(event),
            _ => None,
        }
    };
    let child = "gitlab/parent_pipeline";
    assert_eq!(untrusted(child, "main", false).as_deref(), Some("parent_pipeline"));
    assert_eq!([untrusted(child, "feature", false), untrusted(child, "main", true)], [None, None]);
    for trusted in ["", "ci/", "gha/push"] {
        assert_eq!(untrusted(trusted, "main", false), None, "{trusted}");
    }
}

#[test]
fn runs_before_the_commit_do_not_keep_the_commit_from_counting() {
    let tried = |order| {
        let mut run = Run { code: code("new"), ..merged(order, 100.0) };
        run.revision.dirty = true;
        run
    };
    let mut history = History { runs: steady(1..11, 100.0) };
    history.runs.extend((11..14).map(tried));
    let may_count = |run: &Run| may_count_for_baseline(&history, &on_main(), run);
    assert!(!may_count(&tried(14)));
    assert!(may_count(&Run { code: code("new"), ..merged(14, 100.0) }));
}

#[test]
fn the_window_counts_runs_that_match() {
    let mut runs = steady(1..41, 100.0);
    runs.extend(steady(100..180, 50.0));
    let baseline = select(&runs, &on_branch_of(60));
    assert_eq!((baseline.centers.len(), baseline.newest_commit.as_str()), (30, "c40"));
}

#[test]
fn the_report_has_how_far_back_merged_runs_are() {
    let line = |commits_before_base| {
        let evidence = Evidence {
            before: Some(Interval { estimate: 57.0, lower: 56.0, upper: 58.0 }),
            baseline_runs: 27,
            baseline_commits: 8,
            baseline_commit: "1f2e3d4c5b6a".into(),
            commits_before_base,
            ..evidence(Reason::Green)
        };
        let lines = report_on(&evidence, "encode", None).lines;
        lines.into_iter().find(|(name, _)| *name == "baseline").unwrap().1
    };
    assert!(line(None).ends_with("   27 runs, 8 commits, the newest 1f2e3d4"));
    assert!(line(Some(0)).ends_with("the newest 1f2e3d4, the base itself"));
    assert!(line(Some(1)).ends_with("the newest 1f2e3d4, 1 commit before the base"));
    assert!(line(Some(4)).ends_with("the newest 1f2e3d4, 4 commits before the base"));
}

/// A run from before the first commit, with added files.
fn before_first_commit(ordinal: u64, value: f64, text: &str) -> Run {
    let revision = Revision { branch: "main".into(), dirty: true, ..Revision::default() };
    Run { revision, ..run(ordinal, value, text) }
}

#[test]
fn what_was_measured_before_the_first_commit_counts_on_every_branch() {
    let runs: Vec<Run> = (0..6).map(|it| before_first_commit(it, 100.0, "first")).collect();
    for lineage in [on_main(), on_branch_of(20)] {
        assert_eq!(values(&select(&runs, &lineage)), [100.0; 6]);
    }
    let in_ci: Vec<Run> = runs.into_iter().map(|run| in_ci("gha/push", run)).collect();
    assert!(values(&select(&in_ci[..3], &on_branch_of(20))).len() < RULE.needed);
}

#[test]
fn reds_from_before_the_first_commit_are_no_level_after_it() {
    let good = (0..6).map(|it| before_first_commit(it, 100.0, "first"));
    let slow = (6..12).map(|it| red(before_first_commit(it, 200.0, "slow")));
    let runs: Vec<Run> = good.chain(slow).collect();
    for lineage in [on_main(), on_branch_of(20)] {
        assert_eq!(values(&select(&runs, &lineage)), [100.0; 6]);
    }
}
