//! The runs that count for the baseline, and those that are compared with.

use crate::support::{evidence, run};
use perftest_core::judge::{Condition, Tally};
use perftest_core::model::{
    Acceptance, Baseline, BaselineRule, BenchmarkId, BenchmarkPattern, Evidence, History, Interval,
    Lineage, Measurement, Observation, PairedResult, Probes, Reason, Run,
};

fn red(run: Run) -> Run {
    Run { evidence: Some(evidence(Reason::Red)), ..run }
}

fn acceptance(given_ms: u64) -> Acceptance {
    Acceptance {
        id: "A".into(),
        benchmark: BenchmarkPattern::new("codec::perf::encode"),
        testbed: String::new(),
        max_ratio: 1.3,
        reason: "checks input now".into(),
        given_ms,
        until_ms: None,
    }
}

/// The run as it is taken while an acceptance covers its test.
fn under(acceptance: &Acceptance, run: Run) -> Run {
    Run { flags: vec!["libtest".into()], acceptance: Some(acceptance.id.clone()), ..run }
}

const RULE: BaselineRule = BaselineRule { needed: 5, window: 30, per_code_state: 3 };

fn values(observations: &[Observation]) -> Vec<f64> {
    observations.iter().map(|observation| observation.value).collect()
}

/// Without a repository everything is the owner's own.
fn select(history: &History, acceptance: Option<&Acceptance>) -> Baseline {
    RULE.select(history, "cfg", acceptance, &Lineage::default())
}

fn may_count_for_baseline(history: &History, run: &Run) -> bool {
    let baseline = RULE.select(history, &run.config, None, &Lineage::default());
    RULE.why_not_counted(history, &baseline, None, &Lineage::default(), run).is_none()
}

#[test]
fn only_baseline_runs_of_the_same_configuration_are_compared_with() {
    let uncounted = Run { counts_for_baseline: false, ..run(2, 900.0, "a") };
    let other = Run { config: "other".into(), ..run(3, 900.0, "a") };
    let history = History { runs: vec![run(1, 100.0, "a"), uncounted, other, run(4, 102.0, "b")] };
    let baseline = select(&history, None);
    assert_eq!(values(&baseline.centers), [100.0, 102.0]);
    assert_eq!((baseline.commits, baseline.newest_commit.as_str()), (2, "c4"));
}

#[test]
fn a_long_run_brings_no_more_values_than_a_short_one() {
    let long = Run {
        measurements: (0..100).map(|n| Measurement::of_value(f64::from(n))).collect(),
        ..run(1, 0.0, "a")
    };
    let baseline = select(&History { runs: vec![long, run(2, 7.0, "a")] }, None);
    let expected = [5.0, 15.0, 25.0, 35.0, 45.0, 55.0, 65.0, 75.0, 85.0, 95.0];
    let compared = baseline.values();
    assert_eq!((values(&compared[0]), values(&compared[1])), (expected.to_vec(), vec![7.0]));
}

#[test]
fn the_window_keeps_the_newest() {
    let history = History { runs: (0..40).map(|n| run(n, 100.0 + n as f64 % 3.0, "a")).collect() };
    let baseline = select(&history, None);
    assert_eq!(baseline.runs.len(), 30);
    assert_eq!(baseline.runs[0].id, history.runs[10].id);
}

#[test]
fn a_red_run_never_joins_the_level_it_was_red_against() {
    let mut runs: Vec<Run> = (0..5).map(|n| run(n, 100.0, "a")).collect();
    runs.extend((5..55).map(|n| red(run(n, 130.0, "slow"))));
    let baseline = select(&History { runs }, None);
    assert_eq!(values(&baseline.centers), [100.0; 5]);
}

#[test]
fn an_acceptance_allows_its_ratio_until_the_new_level_has_runs_of_its_own() {
    let accepted = acceptance(8);
    let mut runs: Vec<Run> = (0..5).map(|n| run(n, 100.0, "a")).collect();
    runs.extend((10..14).map(|n| under(&accepted, run(n, 128.0, "slow"))));
    let young = select(&History { runs: runs.clone() }, Some(&accepted));
    assert_eq!(
        (values(&young.centers).as_slice(), young.accepted_ratio),
        ([100.0; 5].as_slice(), Some(1.3))
    );
    runs.push(under(&accepted, run(15, 128.0, "slow")));
    let grown = select(&History { runs }, Some(&accepted));
    assert_eq!(
        (values(&grown.centers).as_slice(), grown.accepted_ratio),
        ([128.0; 5].as_slice(), None)
    );
}

/// As for the other tests of `codec::*`.
#[test]
fn five_runs_under_an_acceptance_that_none_of_them_needed_continue_the_level() {
    let accepted = acceptance(25);
    let unneeded = |n| Run {
        evidence: Some(Evidence {
            accepted_ratio: Some(1.3),
            degradation: Some(Interval { estimate: 1.01, lower: 0.99, upper: 1.06 }),
            ..evidence(Reason::Green)
        }),
        ..under(&accepted, run(n, 100.0 + n as f64 % 3.0, &format!("code {n}")))
    };
    let mut runs: Vec<Run> = (0..20).map(|n| run(n, 100.0 + n as f64 % 3.0, "a")).collect();
    runs.extend((25..29).map(unneeded));
    let young = select(&History { runs: runs.clone() }, Some(&accepted));
    assert_eq!((young.centers.len(), young.accepted_ratio), (20, Some(1.3)), "may be needed yet");
    runs.push(unneeded(29));
    let grown = select(&History { runs }, Some(&accepted));
    assert_eq!((grown.centers.len(), grown.accepted_ratio), (25, None));
}

#[test]
fn runs_of_checkouts_that_did_not_know_the_acceptance_are_of_the_old_level() {
    let runs = (0..12).map(|n| run(n, 100.0, "a")).collect();
    let baseline = select(&History { runs }, Some(&acceptance(3)));
    assert_eq!((baseline.centers.len(), baseline.accepted_ratio), (12, Some(1.3)));
}

/// The runs under the acceptance leave less ordinary runs of the old level than a verdict needs.
#[test]
fn an_acceptance_soon_after_the_first_run_keeps_the_old_level() {
    let accepted = acceptance(8);
    let mut runs: Vec<Run> = (0..4).map(|order| provisional(run(order, 100.0, "a"))).collect();
    runs.extend((4..7).map(|order| run(order, 100.0, "a")));
    runs.push(red(run(7, 128.0, "slow")));
    for order in 10..14 {
        let history = History { runs: runs.clone() };
        let baseline = select(&history, Some(&accepted));
        assert_eq!((baseline.centers.len(), baseline.accepted_ratio), (7, Some(1.3)), "{order}");
        runs.push(under(&accepted, run(order, 128.0, "slow")));
    }
}

#[test]
fn a_temporary_acceptance_begins_no_new_level() {
    let accepted = Acceptance { until_ms: Some(99), ..acceptance(8) };
    let mut runs: Vec<Run> = (0..5).map(|n| run(n, 100.0, "a")).collect();
    runs.extend((10..20).map(|n| under(&accepted, run(n, 101.0, "b"))));
    let baseline = select(&History { runs }, Some(&accepted));
    assert_eq!((baseline.centers.len(), baseline.accepted_ratio), (15, Some(1.3)));
}

#[test]
fn the_first_five_runs_of_one_code_count_and_the_sixth_does_not() {
    let mut history = History::default();
    for order in 0..5 {
        assert!(may_count_for_baseline(&history, &run(99, 100.0, "a")), "run {order}");
        history.runs.push(run(order, 100.0, "a"));
    }
    assert!(!may_count_for_baseline(&history, &run(99, 100.0, "a")));
}

#[test]
fn with_a_full_baseline_three_runs_of_each_code_count() {
    let mut runs: Vec<Run> = (0..5).map(|n| run(n, 100.0, "a")).collect();
    runs.extend((5..8).map(|n| run(n, 100.0, "b")));
    let history = History { runs };
    assert!(!may_count_for_baseline(&history, &run(99, 100.0, "b")));
    assert!(may_count_for_baseline(&history, &run(99, 100.0, "c")));
}

#[test]
fn three_runs_of_one_machine_code_count_however_often_its_comments_change() {
    let mut history = History { runs: (0..5).map(|n| run(n, 100.0, "a")).collect() };
    for build in 0..4 {
        let mut edited = run(100 + build, 100.0, "edited");
        edited.code.executable = format!("lines moved {build}");
        assert_eq!(may_count_for_baseline(&history, &edited), build < 3, "{build}");
        history.runs.push(edited);
    }
}

#[test]
fn a_retry_of_the_runner_never_counts() {
    let retry = Run { attempt: 2, ..run(0, 100.0, "a") };
    assert!(!may_count_for_baseline(&History::default(), &retry));
}

#[test]
fn an_acceptance_covers_its_test_on_its_testbed_until_it_ends() {
    let entry = Acceptance { until_ms: Some(50), testbed: "local/1".into(), ..acceptance(8) };
    let benchmark = BenchmarkId::new("codec", "perf", "encode");
    assert!(entry.covers(&benchmark, "local/1", 49));
    assert!(!entry.covers(&benchmark, "local/1", 50));
    assert!(entry.covers(&benchmark, "local/1@3.1GHz-10.2us", 49), "the machine at another speed");
    assert!(!entry.covers(&benchmark, "local/2", 49));
    assert!(!entry.covers(&benchmark, "local/11", 49));
    assert!(!entry.covers(&BenchmarkId::new("codec", "perf", "decode"), "local/1", 49));
    let at_one_speed = Acceptance { testbed: "local/1@3.1GHz-10.2us".into(), ..entry.clone() };
    assert!(at_one_speed.covers(&benchmark, "local/1@3.1GHz-10.2us", 49));
    assert!(!at_one_speed.covers(&benchmark, "local/1", 49));
    let everywhere = Acceptance { testbed: "*".into(), ..entry };
    assert!(everywhere.covers(&benchmark, "local/2", 49));
}

#[test]
fn an_improvement_takes_over_after_as_many_runs_as_a_verdict_needs() {
    let mut runs: Vec<Run> = (0..25).map(|n| run(n, 100.0 + n as f64 % 2.0, "a")).collect();
    runs.extend((25..29).map(|n| run(n, 80.0, "fast")));
    let young = select(&History { runs: runs.clone() }, None);
    assert_eq!(young.centers.len(), 29);
    runs.push(run(29, 80.0, "faster"));
    assert_eq!(values(&select(&History { runs }, None).centers), [80.0; 5]);
}

#[test]
fn older_runs_count_less_and_bring_fewer_values() {
    let long = |n| Run {
        measurements: (0..20).map(|it| Measurement::of_value(100.0 + f64::from(it))).collect(),
        ..run(n, 0.0, "a")
    };
    let baseline = select(&History { runs: (0..30).map(long).collect() }, None);
    let weights = baseline.weights();
    assert_eq!((weights[29], weights[14]), (1.0, 0.5));
    assert!(weights.is_sorted());
    // From the newest: 10, 10, 9, 9, 8, 8, 8, 7, 7, 7, 6 .. and 3 of the oldest.
    assert_eq!(baseline.values().concat().len(), 167);
}

/// A run that pairs proved to have this ratio to a level of 100, although other work made its own time the worst of
/// all.
fn disturbed(order: u64, ratio: f64) -> Run {
    let exactly = |value| Some(Interval { estimate: value, lower: value, upper: value });
    let (degradation, before) = (exactly(ratio), exactly(100.0));
    let improved = Evidence { degradation, before, baseline_runs: 5, ..evidence(Reason::Improved) };
    let times = [Measurement { thread_cpu_ns: Some(100), ..Measurement::of_value(250.0) }; 30];
    let tally = Tally::of(&times, &[Condition::Interrupted; 30]);
    tally.applied_to(Run {
        measurements: times.to_vec(),
        suspects: (0..30).collect(),
        evidence: Some(improved),
        ..run(order, 0.0, &format!("fast {order}"))
    })
}

#[test]
fn a_disturbed_improvement_counts_by_its_ratio_and_never_by_its_times() {
    let probes = Probes { clock_ghz: Some(4.0), ..Probes::default() };
    let quiet = |order| Run {
        measurements: vec![Measurement { probes, ..Measurement::of_value(100.0 + order as f64) }],
        ..run(order, 0.0, "a")
    };
    let mut runs: Vec<Run> = (0..10).map(quiet).collect();
    runs.extend([(10, 0.80), (11, 0.81)].map(|(order, ratio)| disturbed(order, ratio)));
    let two = select(&History { runs: runs.clone() }, None);
    assert_eq!(two.centers.len(), 10, "two may be luck");
    runs.push(disturbed(12, 0.80));
    let three = select(&History { runs }, None);
    let rounded: Vec<f64> = three.centers.iter().map(|it| it.value.round()).collect();
    assert_eq!(rounded, [80.0, 81.0, 80.0]);
    assert!(three.centers.iter().all(|it| it.probes == probes), "of the undisturbed machine");
    assert!(three.suffices());
}

#[test]
fn what_is_disturbed_and_not_proven_better_counts_for_no_baseline() {
    let runs = [Reason::Green, Reason::Unclear, Reason::MachineSlower].map(|reason| {
        let run = disturbed(1, 0.8);
        let evidence = run.evidence.map(|it| Evidence { reason, ..it });
        Tally::default().applied_to(Run { evidence, flags: Vec::new(), ..run })
    });
    assert!(runs.iter().all(|run| !run.counts_for_baseline && run.flags.is_empty()));
    let undisturbed = Tally::of_conditions([Condition::Clean; 3]);
    let proven = undisturbed.applied_to(Run { flags: Vec::new(), ..disturbed(1, 0.8) });
    assert!(proven.counts_for_baseline && proven.flags.is_empty(), "by its own times");
}

#[test]
fn after_five_runs_at_a_lower_clock_beside_a_slower_last_good_build_they_are_the_baseline() {
    let at = |order: u64, ghz: f64| {
        let probes = Probes { clock_ghz: Some(ghz), ..Probes::default() };
        let value = 400.0 / ghz + 0.01 * order as f64;
        let measurements = vec![Measurement { probes, ..Measurement::of_value(value) }; 10];
        Run { measurements, ..run(order, 0.0, &format!("code {order}")) }
    };
    let slower = |order: u64, condition: Condition| {
        let run = at(order, 3.72);
        let tally = Tally::of(&run.measurements, &[condition; 10]);
        let evidence = Some(evidence(Reason::MachineSlower));
        tally.applied_to(Run { suspects: (0..10).collect(), evidence, ..run })
    };
    let clock_of_baseline = |condition: Condition| {
        let mut runs: Vec<Run> = (0..10).map(|order| at(order, 4.0)).collect();
        runs.extend((10..15).map(|order| slower(order, condition)));
        let baseline = select(&History { runs }, None);
        baseline.centers.last().and_then(|center| center.probes.clock_ghz)
    };
    assert_eq!(clock_of_baseline(Condition::SlowClock), Some(3.72));
    assert_eq!(clock_of_baseline(Condition::Contended), Some(4.0), "a neighbour goes again");
}

/// A fresh process beside a first run.
fn provisional(run: Run) -> Run {
    Run { flags: vec![Run::PROVISIONAL.into()], evidence: None, ..run }
}

#[test]
fn the_processes_of_a_first_run_count_until_there_are_enough_runs() {
    let mut runs: Vec<Run> = (0..4).map(|order| provisional(run(order, 100.0, "a"))).collect();
    runs.push(run(4, 100.0, "a"));
    let mut history = History { runs };
    let first = select(&history, None);
    assert_eq!((first.centers.len(), first.is_provisional), (5, true));
    for order in 5..9 {
        let next = run(order, 101.0, "a");
        assert!(
            may_count_for_baseline(&history, &next),
            "the processes of a first run take no place of ordinary runs"
        );
        history.runs.push(next);
    }
    let own = select(&history, None);
    assert_eq!((own.centers.len(), own.is_provisional), (5, false));
}

#[test]
fn runs_under_a_newer_acceptance_that_is_over_continue_the_level_of_the_older_one() {
    let older = acceptance(1);
    let newer = Acceptance { id: "B".into(), until_ms: Some(9), ..acceptance(2) };
    let mut runs: Vec<Run> = (1..11).map(|n| run(n, 100.0, "old")).collect();
    runs.extend((11..17).map(|n| under(&older, run(n, 127.0, &format!("older {n}")))));
    runs.extend((17..47).map(|n| under(&newer, run(n, 90.0, &format!("newer {n}")))));
    let baseline = |runs: &[Run]| select(&History { runs: runs.to_vec() }, Some(&older));
    assert_eq!(values(&baseline(&runs).centers), [90.0; 30]);
    // The older ones are too old to be loaded.
    let of_older = |run: &Run| run.acceptance.as_ref() == Some(&older.id);
    let newest: Vec<Run> = runs.iter().filter(|run| !of_older(run)).cloned().collect();
    assert_eq!(baseline(&newest).accepted_ratio, None);
    // One that made a level of its own has taken it with it.
    let passed = Evidence {
        accepted_ratio: Some(1.3),
        degradation: Some(Interval { estimate: 1.27, lower: 1.26, upper: 1.28 }),
        ..evidence(Reason::Green)
    };
    runs[16].evidence = Some(passed);
    assert_eq!(values(&baseline(&runs).centers), [127.0; 6]);
}

#[test]
fn a_slower_machine_begins_the_level_of_no_acceptance_that_the_pairs_did_not_need() {
    let accepted = acceptance(20);
    let level_beside = |ratio: f64| {
        let degradation = Some(Interval { estimate: 1.2, lower: 1.19, upper: 1.21 });
        let paired_result = Some(PairedResult { ratio, ..PairedResult::default() });
        let slower = evidence(Reason::MachineSlower);
        let evidence = Evidence { accepted_ratio: Some(1.3), degradation, paired_result, ..slower };
        let mut runs: Vec<Run> = (1..26).map(|n| run(n, 100.0, &format!("code {n}"))).collect();
        runs[20..].iter_mut().for_each(|run| *run = under(&accepted, run.clone()));
        runs[20].evidence = Some(evidence);
        select(&History { runs }, Some(&accepted)).centers.len()
    };
    assert_eq!([1.0, 1.2].map(level_beside), [25, 5]);
}
