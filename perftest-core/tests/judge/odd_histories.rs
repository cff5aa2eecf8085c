//! What a verdict is where the history is odd. `docs/reference/odd-histories.md` has the table.

use crate::play::{PlayResult, near, play, wobble};
use crate::support::run;
use perftest_core::judge::Policy;
use perftest_core::model::{
    Baseline, BaselineRule, Evidence, History, Lineage, Measurement, Outcome, Probes, Reason, Run,
};

const LEVEL_NS: f64 = 100_000.0;

fn baseline(runs: Vec<Run>) -> Baseline {
    BaselineRule::default().select(&History { runs }, "cfg", None, &Lineage::default())
}

/// What becomes of code that takes so long, in this process and in fresh ones.
fn judged(runs: Vec<Run>, value: f64) -> Evidence {
    let measured = |n| near(value, n);
    let PlayResult { evidence, .. } = play(baseline(runs), Policy::default(), measured, measured);
    evidence
}

/// Run number `order`, of a code of its own, with these values.
fn run_of(order: u64, values_ns: impl IntoIterator<Item = f64>) -> Run {
    let measurements = values_ns.into_iter().map(Measurement::of_value).collect();
    Run { measurements, ..run(order, 0.0, &order.to_string()) }
}

fn constant(order: u64, value: f64) -> Run {
    run_of(order, [value; 15])
}

/// A run as a quiet machine gives it.
fn quiet(order: u64) -> Run {
    let center = LEVEL_NS * (0.995 + 0.01 * wobble(order as usize));
    run_of(order, (0..15).map(|n| near(center, n).value))
}

/// Unchanged code is green and slow code red, whatever is odd about these runs.
#[track_caller]
fn assert_judges(runs: &[Run]) {
    assert_eq!(judged(runs.to_vec(), LEVEL_NS).reason, Reason::Green);
    let slow = judged(runs.to_vec(), 1.25 * LEVEL_NS);
    assert_eq!(slow.reason, Reason::Red);
    let degradation = slow.degradation.expect("a red has a degradation");
    assert!((degradation.estimate - 1.25).abs() < 0.02, "{degradation:?}");
}

#[test]
fn a_history_of_one_run_only_records() {
    let evidence = judged(vec![quiet(0)], 3.0 * LEVEL_NS);
    assert_eq!(evidence.reason, Reason::NoBaseline);
    assert_eq!((evidence.baseline_runs, evidence.baseline_needed), (1, 5));
    assert_eq!(evidence.reason.outcome(), Outcome::Passed);
}

#[test]
fn values_that_are_all_the_same_are_judged_with_the_usual_spread_of_processes() {
    for runs in [5, 30] {
        let runs: Vec<Run> = (0..runs).map(|order| constant(order, LEVEL_NS)).collect();
        assert_judges(&runs);
        let smallest_detectable = judged(runs, LEVEL_NS).smallest_detectable.unwrap();
        assert!(smallest_detectable > 0.05 && smallest_detectable < 0.2, "{smallest_detectable}");
    }
}

#[test]
fn values_and_probes_that_are_all_the_same_are_not_normalised() {
    let probes = Probes {
        clock_ghz: Some(4.0),
        reference_ns: Some(9_000.0),
        disk_ns: Some(1e6),
        others_cpus: Some(0.0),
    };
    let probed = |order| {
        let mut run = constant(order, LEVEL_NS);
        run.measurements.iter_mut().for_each(|it| it.probes = probes);
        run
    };
    let runs: Vec<Run> = (0..30).map(probed).collect();
    assert_judges(&runs);
    assert_eq!(judged(runs, LEVEL_NS).normalised_by, None);
}

#[test]
fn a_clock_that_was_set_back_leaves_the_order_of_the_record() {
    let back = |order: u64| Run { started_ms: 1_000 - order, ..quiet(order) };
    let runs: Vec<Run> = (0..40).map(back).collect();
    let newest = baseline(runs.clone());
    assert_eq!((newest.centers.len(), newest.newest_commit.as_str()), (30, "c39"));
    assert!(newest.runs.iter().eq(&runs[10..]));
    assert_judges(&runs);
}

#[test]
fn one_huge_measurement_in_each_run_changes_no_verdict() {
    let runs = (0..30).map(|order| {
        let mut run = quiet(order);
        run.measurements[7] =
            Measurement { wall_ns: f64::INFINITY, ..constant(0, 1e300).measurements[0] };
        run
    });
    assert_judges(&runs.collect::<Vec<_>>());
}

#[test]
fn one_run_a_thousand_times_as_slow_among_thirty_changes_no_verdict() {
    for odd in [0, 15, 29] {
        for value in [1_000.0 * LEVEL_NS, 1e300] {
            let of = |order| constant(order, if order == odd { value } else { LEVEL_NS });
            assert_judges(&(0..30).map(of).collect::<Vec<_>>());
        }
    }
}

#[test]
fn one_run_a_thousand_times_as_fast_among_thirty_makes_no_red() {
    let of = |order| constant(order, if order == 3 { LEVEL_NS / 1_000.0 } else { LEVEL_NS });
    assert_judges(&(0..30).map(of).collect::<Vec<_>>());
}

#[test]
fn one_such_run_among_five_changes_no_verdict_either() {
    let of = |order| constant(order, if order == 2 { 1_000.0 * LEVEL_NS } else { LEVEL_NS });
    assert_judges(&(0..5).map(of).collect::<Vec<_>>());
}

#[test]
fn runs_without_a_measurement_take_no_place() {
    let mut runs: Vec<Run> = (0..5).map(quiet).collect();
    runs.extend((5..40).map(|order| run_of(order, [])));
    let selected = baseline(runs.clone());
    assert_eq!((selected.centers.len(), selected.newest_commit.as_str()), (5, "c4"));
    assert_judges(&runs);
    let nothing = judged((0..30).map(|order| run_of(order, [])).collect(), LEVEL_NS);
    assert_eq!((nothing.reason, nothing.baseline_runs), (Reason::NoBaseline, 0));
}

#[test]
fn a_run_that_is_no_number_is_passed_over() {
    let mut runs: Vec<Run> = (0..30).map(quiet).collect();
    runs.push(constant(30, f64::NAN));
    assert_eq!(baseline(runs.clone()).centers.len(), 30);
    assert_judges(&runs);
}

#[test]
fn code_faster_than_the_clock_can_tell_is_improved_and_then_green() {
    let runs = |value| (0..30).map(|order| constant(order, value)).collect::<Vec<_>>();
    assert_eq!(judged(runs(100.0), 0.0).reason, Reason::Improved);
    assert_eq!(judged(runs(0.0), 0.0).reason, Reason::Green);
    // Below a nanosecond a loop measures its own alignment.
    assert_eq!(judged(runs(0.0), 0.9).reason, Reason::Green);
    assert_eq!(judged(runs(0.0), 1.4).reason, Reason::Unclear);
    assert_eq!(judged(runs(0.0), 5.0).reason, Reason::Red);
}
