//! Typical histories, and the changes that are found in them.

#[path = "../../perftest-core/tests/support/play.rs"]
mod driver;
#[path = "../../perftest-core/tests/support/mod.rs"]
mod support;

use driver::{near, wobble};
use perftest_analysis::detect::{ChangePoints, Jetpack, change_points};
use perftest_analysis::stats::{mode_values, rare_modes};
use perftest_core::judge::Policy;
use perftest_core::model::{
    BaselineRule, Evidence, History, Lineage, Measurement, Reason, Run, Sample, SeriesKind,
};
use perftest_core::stats::modes;
use perftest_core::words::{notes, verdict_line};
use support::run;

/// Times of unchanged code, fastest first: a noisy one, and one that is sometimes placed badly.
const NOISY_NS: [f64; 10] = [94e3, 97e3, 99e3, 100e3, 101e3, 103e3, 104e3, 108e3, 112e3, 118e3];
const BIMODAL_NS: [f64; 10] =
    [99.2e3, 99.7e3, 100e3, 100.4e3, 100.9e3, 129.1e3, 129.8e3, 130e3, 130.5e3, 131.2e3];

/// In which order ten points came, by their ranks.
const ORDERS: [[usize; 10]; 12] = [
    [3, 7, 0, 9, 4, 1, 8, 2, 6, 5],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    [2, 0, 4, 1, 3, 7, 5, 9, 6, 8],
    [7, 5, 9, 6, 8, 2, 0, 4, 1, 3],
    [0, 5, 1, 6, 2, 7, 3, 8, 4, 9],
    [9, 0, 8, 1, 7, 2, 6, 3, 5, 4],
    [4, 5, 3, 6, 2, 7, 1, 8, 0, 9],
    [0, 9, 1, 8, 2, 7, 3, 6, 4, 5],
    [5, 6, 7, 8, 9, 0, 1, 2, 3, 4],
    [6, 1, 8, 3, 5, 0, 9, 2, 7, 4],
    [1, 4, 0, 8, 5, 9, 2, 7, 6, 3],
];

/// Run number `order`, of a code of its own, with these values.
fn run_of(order: usize, values_ns: impl IntoIterator<Item = f64>) -> Run {
    let measurements = values_ns.into_iter().map(Measurement::of_value).collect();
    Run { measurements, ..run(order as u64, 0.0, &order.to_string()) }
}

/// A run that measures about the same from start to end.
fn steady(order: usize, level_ns: f64) -> Run {
    run_of(order, (0..15).map(|index| near(level_ns, index).value))
}

/// What becomes of a new run that, in all its processes, measures these values.
fn judged(runs: Vec<Run>, value: impl Fn(usize) -> f64) -> Evidence {
    let history = History { runs };
    let baseline = BaselineRule::default().select(&history, "cfg", None, &Lineage::default());
    let measured = |index| Measurement::of_value(value(index));
    driver::play(baseline, Policy::default(), measured, measured).evidence
}

fn changes(values: &[f64]) -> ChangePoints {
    change_points(&Sample::new(values.to_vec()).expect("finite values"))
}

#[test]
fn twelve_orders_of_the_same_ten_points_are_no_degradation() {
    for points in [NOISY_NS, BIMODAL_NS] {
        for order in ORDERS {
            let series = order.map(|rank| points[rank]);
            assert_eq!(changes(&series), ChangePoints::default(), "{series:?}");
            // Which is a level that was left, and no order like any other.
            let begins_slow = order[..5].iter().all(|rank| *rank >= 5);
            for point in points {
                let returns = begins_slow && points == BIMODAL_NS && point > 110e3;
                let runs = series.into_iter().enumerate().map(|(at, level)| steady(at, level));
                let evidence = judged(runs.collect(), |index| near(point, index).value);
                let is_red = evidence.reason == Reason::Red;
                assert_eq!(is_red, returns, "{point} after {series:?}");
            }
        }
    }
}

#[test]
fn five_and_five_of_two_modes_fool_the_step_fit_once_in_a_while() {
    // One in 1024 orders of tosses is five fast ones and then five slow ones.
    let is_step = |order: &&[usize; 10]| {
        let series = order.map(|rank| BIMODAL_NS[rank]);
        !Jetpack::default().change_points(&series).is_empty()
    };
    assert_eq!(ORDERS.iter().filter(is_step).count(), 5);
}

#[test]
fn a_rare_slow_mode_of_a_package_restore_is_named_with_its_share() {
    // Of a hundred restores four wait for a server: seconds in place of 800 ms.
    let is_slow = |index: usize| [7, 31, 58, 77].contains(&index);
    let level = |index: usize| if is_slow(index) { 3.1e9 } else { 0.8e9 };
    let values: Vec<f64> =
        (0..100).map(|index| level(index) * (0.95 + 0.1 * wobble(index))).collect();
    let sample = Sample::new(values.clone()).unwrap();
    let rare = rare_modes(&sample, &mode_values(&sample, &modes(&sample)));
    assert_eq!((rare.len(), rare[0].share), (1, 0.04));
    assert!((3.5..4.5).contains(&rare[0].times), "{rare:?}");
    assert_eq!(changes(&values), ChangePoints::default());
}

#[test]
fn a_history_of_runs_in_two_modes_is_called_bimodal_and_not_slower() {
    let levels: Vec<f64> =
        (0..30).map(|run| if wobble(7 * run) < 0.5 { 100e3 } else { 160e3 }).collect();
    assert_eq!(changes(&levels), ChangePoints::default());
    let runs: Vec<Run> = levels.iter().enumerate().map(|(at, level)| steady(at, *level)).collect();
    for level in [100e3, 160e3] {
        let evidence = judged(runs.clone(), |index| near(level, index).value);
        assert_ne!(evidence.reason, Reason::Red, "{evidence:?}");
        let line = verdict_line(&evidence, &SeriesKind::Whole, None);
        assert!(line.contains("bimodal history: "), "{line}");
        assert!(line.contains(" of its runs at 1.60x of the others"), "{line}");
    }
}

#[test]
fn values_in_two_modes_are_called_bimodal_and_not_slower() {
    let value = |index: usize| {
        let level = if wobble(7 * index) < 0.6 { 100e3 } else { 200e3 };
        near(level, index).value
    };
    let runs: Vec<Run> =
        (0..30).map(|run| run_of(run, (0..15).map(|index| value(15 * run + index)))).collect();
    let evidence = judged(runs, |index| value(1_000 + index));
    assert_ne!(evidence.reason, Reason::Red, "{evidence:?}");
    assert!(notes(&evidence.notes).unwrap().starts_with("bimodal history: "), "{evidence:?}");
    assert!(
        notes(&evidence.notes).unwrap().contains(" of its values at 2.0"),
        "{:?}",
        evidence.notes
    );
}
