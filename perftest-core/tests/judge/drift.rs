//! The newest runs against a frozen anchor: slow drift is found, a constant level is not.

use crate::life::{Life, Place};
use crate::support::{evidence, run};
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::{
    Anchor, Direction, Evidence, History, Interval, Lineage, Measurement, Metric, Probes, Reason,
    Revision, Run, RunId, Tolerance,
};

/// Runs after which a history of the simulations ends.
const LONGEST: usize = 200;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 3_600_000;

fn anchor(runs: &[Run]) -> Anchor {
    Anchor { history: History { runs: runs.to_vec() }, accepted_ratio: 1.0 }
}

fn between(anchor: &Anchor, newest: &[Run]) -> Option<Drift> {
    between_histories(anchor, &History { runs: newest.to_vec() }, Direction::Lower)
}

fn between_histories(anchor: &Anchor, newest: &History, direction: Direction) -> Option<Drift> {
    Drift::between(anchor, newest, &Lineage::default(), direction, &Policy::default())
}

/// The last runs against the first.
fn drift(runs: &[Run]) -> Option<Drift> {
    between(&anchor(&runs[..runs.len().min(Anchor::RUNS)]), runs)
}

/// Runs of these values, one after the other.
fn runs(values: impl IntoIterator<Item = f64>) -> Vec<Run> {
    (0..).zip(values).map(|(order, value)| run(order, value, "a")).collect()
}

/// Ten runs at 1 us and five at `ratio` times that.
fn stepped(ratio: f64) -> Vec<Run> {
    let before = (0..10).map(|nth| 1_000.0 + 0.1 * f64::from(nth));
    runs(before.chain((0..5).map(|nth| ratio * (1_000.0 + 0.1 * f64::from(nth)))))
}

/// Normal noise with a seed: Box and Muller over SplitMix64.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// True level, as a ratio to that of the anchor, at which a history first fires whose runs scatter
/// by 1% and drift by this much a run; `None` when it never does.
fn fires_at(drift: f64, seed: u64) -> Option<f64> {
    let mut noise = Noise(seed << 32);
    let level = |nth: usize| (1.0 + drift).powi(nth as i32);
    let values = (0..LONGEST).map(|nth| 1e6 * level(nth) * (0.01 * noise.normal()).exp());
    let history = runs(values.collect::<Vec<_>>());
    let anchored = (0..Anchor::RUNS).map(level).sum::<f64>() / Anchor::RUNS as f64;
    let anchor = anchor(&history[..Anchor::RUNS]);
    // The newest runs only, as they are loaded; handed on and not copied for each look.
    let mut newest = History::default();
    let fires = |run: Run| {
        newest.runs.drain(..newest.runs.len().saturating_sub(29));
        newest.runs.push(run);
        let drift = between_histories(&anchor, &newest, Direction::Lower);
        drift.is_some_and(|it| it.is_beyond_limit())
    };
    history.into_iter().map(fires).position(|fired| fired).map(|nth| level(nth) / anchored)
}

#[test]
fn disturbed_improvements_are_compared_by_their_ratio_and_are_no_drift() {
    let exactly = |value| Some(Interval { estimate: value, lower: value, upper: value });
    let (degradation, before) = (exactly(0.8), exactly(1_000.0));
    let improved = Evidence { degradation, before, baseline_runs: 5, ..evidence(Reason::Improved) };
    let disturbed = |order| Run {
        evidence: Some(improved.clone()),
        flags: vec![Run::BY_RATIO.into()],
        ..run(order, 2_500.0, "b")
    };
    let all: Vec<Run> = runs([1_000.0; 10]).into_iter().chain((10..15).map(disturbed)).collect();
    let drift = drift(&all).unwrap();
    assert!((drift.now - 800.0).abs() < 1.0 && !drift.is_beyond_limit(), "{drift:?}");
}

#[test]
fn runs_before_an_accepted_level_are_not_what_the_test_takes_now() {
    // Six slow runs, then an accepted improvement with eleven.
    let improved = runs([1_500.0; 6].into_iter().chain([1_000.0; 11]));
    let accepted = anchor(&improved[6..16]);
    assert_eq!(between(&accepted, &improved), None, "one run after the anchor is too few");
    let more = runs([1_500.0; 6].into_iter().chain([1_000.0; 15]));
    let drift = between(&accepted, &more).unwrap();
    assert!((drift.now - 1_000.0).abs() < 1.0 && !drift.is_beyond_limit(), "{drift:?}");
}

#[test]
fn an_anchor_with_some_runs_that_cannot_be_compared_still_judges() {
    let mut all = stepped(1.10);
    for run in &mut all[..5] {
        run.evidence = Some(evidence(Reason::Red));
    }
    assert!(drift(&all).unwrap().is_beyond_limit());
    all[5].evidence = Some(evidence(Reason::Red));
    assert_eq!(drift(&all), None, "four runs are too few");
}

#[test]
fn a_drift_too_slow_for_any_pair_of_runs_is_found_at_eight_percent() {
    let mut levels: Vec<f64> = (1..=200).filter_map(|seed| fires_at(0.003, seed)).collect();
    assert_eq!(levels.len(), 200, "every history fires");
    levels.sort_unstable_by(f64::total_cmp);
    let (median, p99) = (levels[100], levels[197]);
    assert!(median < 1.08 && p99 < 1.10, "{median:.3} (median), {p99:.3} (99th percentile)");
}

#[test]
fn a_history_that_stands_fires_hardly_ever_in_two_hundred_runs() {
    let fired = (1..=200).filter_map(|seed| fires_at(0.0, seed)).count();
    assert!(fired <= 2, "{fired} of 200");
}

#[test]
fn a_drift_is_reported_with_its_levels_and_the_commit_it_is_counted_from() {
    let drift = drift(&stepped(1.10)).unwrap();
    assert!(drift.is_beyond_limit(), "{drift:?}");
    assert!((drift.degradation.estimate - 1.10).abs() < 0.001, "{drift:?}");
    assert!((drift.before - 1_000.0).abs() < 1.0 && (drift.now - 1_100.0).abs() < 1.0);
    assert_eq!((drift.since_commit.as_str(), drift.since_ms), ("c9", 9));
}

#[test]
fn what_stays_within_the_tolerance_has_not_drifted() {
    assert!(!drift(&stepped(1.04)).unwrap().is_beyond_limit());
    assert!(!drift(&stepped(0.5)).unwrap().is_beyond_limit());
}

#[test]
fn ten_runs_are_the_anchor_and_five_later_ones_are_compared_with_it() {
    let runs = stepped(1.5);
    assert_eq!(drift(&runs[..14]), None);
    assert_eq!(drift(&runs[1..]), None);
    assert!(drift(&runs).is_some());
}

#[test]
fn reds_and_runs_that_do_not_count_are_in_neither_level() {
    let mut history = stepped(1.0);
    let red = |order| Run { evidence: Some(evidence(Reason::Red)), ..run(order, 2_000.0, "slow") };
    let uncounted = |order| Run { counts_for_baseline: false, ..run(order, 2_000.0, "slow") };
    history.extend((20..30).map(red));
    history.extend((30..40).map(uncounted));
    let newest = &history[10..];
    assert!(!between(&anchor(&history[..10]), newest).unwrap().is_beyond_limit());
}

#[test]
fn what_was_accepted_since_is_allowed_and_no_more() {
    let allowed = |ratio: f64| {
        let runs = stepped(ratio);
        let anchor = Anchor { accepted_ratio: 1.2, ..anchor(&runs[..10]) };
        !between(&anchor, &runs).unwrap().is_beyond_limit()
    };
    assert!(allowed(1.2));
    assert!(!allowed(1.35));
}

#[test]
fn runs_that_no_baseline_takes_have_not_drifted() {
    let alone_slow = |run: Run| Run {
        evidence: Some(Evidence { processes: 5, slow_processes: 1, ..evidence(Reason::Green) }),
        ..run
    };
    let tried = |run: Run| {
        let branch = "try".to_owned();
        Run { revision: Revision { branch, ..run.revision.clone() }, ..run }
    };
    let present = Revision { branch: "main".into(), commit: "c9".into(), ..Revision::default() };
    let lineage = Lineage::new(&present, "main", &[]);
    let drifted = |newest: &dyn Fn(Run) -> Run| {
        let mut runs = stepped(1.2);
        let slow = runs.split_off(10);
        runs.extend(slow.into_iter().map(newest));
        let (anchor, newest) = (anchor(&runs[..10]), History { runs });
        let drift =
            Drift::between(&anchor, &newest, &lineage, Direction::Lower, &Policy::default());
        drift.is_some_and(|it| it.is_beyond_limit())
    };
    assert!(drifted(&|run| run));
    assert!(!drifted(&alone_slow), "the process alone was slow");
    assert!(!drifted(&tried), "the present code lacks that of the other branch");
    // What came before the anchor is of a level that was left, also where the anchor is of that branch.
    let accepted = stepped(0.8)
        .into_iter()
        .skip(5)
        .map(|run| Run { id: RunId::new(100 + run.started_ms, 0), ..tried(run) });
    let accepted: Vec<Run> = accepted.collect();
    let runs = [&stepped(1.0)[..], &accepted].concat();
    let (anchor, newest) = (anchor(&accepted), History { runs });
    let drift = Drift::between(&anchor, &newest, &lineage, Direction::Lower, &Policy::default());
    assert_eq!(drift, None);
}

#[test]
fn an_old_commit_that_is_measured_again_is_not_what_the_test_takes_now() {
    let of_commits = |runs: Vec<Run>| -> Vec<Run> {
        let revision = |run: &Run| Revision { order: run.started_ms + 1, ..run.revision.clone() };
        runs.into_iter().map(|run| Run { revision: revision(&run), ..run }).collect()
    };
    let drifted = of_commits(stepped(1.2));
    let anchor = anchor(&drifted[..10]);
    let again = (0..5).map(|number| Run { id: RunId::new(100 + number, 0), ..drifted[8].clone() });
    let measured_again: Vec<Run> = drifted.iter().cloned().chain(again).collect();
    let drift = between(&anchor, &measured_again).unwrap();
    assert!(drift.is_beyond_limit(), "{drift:?}");
    assert_eq!(Some(drift), between(&anchor, &drifted));
}

#[test]
fn a_throughput_that_falls_drifts() {
    let runs = stepped(0.5);
    let newest = History { runs: runs.clone() };
    let drift = between_histories(&anchor(&runs[..10]), &newest, Direction::Higher);
    let drift = drift.unwrap();
    assert!(drift.is_beyond_limit());
    assert!((drift.degradation.estimate - 2.0).abs() < 0.01, "{drift:?}");
}

#[test]
fn a_step_behind_many_runs_is_reported_with_its_fifth_run_and_from_then_on() {
    let value = |nth: u32| if nth < 35 { 1_000.0 } else { 1_100.0 } + f64::from(nth * 7 % 10);
    let runs = runs((0..60).map(value));
    let reported: Vec<usize> = (15..=60)
        .filter(|count| drift(&runs[..*count]).is_some_and(|it| it.is_beyond_limit()))
        .collect();
    assert_eq!(reported, (40..=60).collect::<Vec<usize>>());
}

#[test]
fn two_slow_runs_in_the_anchor_hide_no_drift() {
    for slow in [&[4][..], &[2, 7][..]] {
        let value = |nth: i32| match nth {
            _ if slow.contains(&nth) => 1_500.0,
            _ => 1_000.0 * 1.003_f64.powi(nth),
        };
        assert!(drift(&runs((0..45).map(value))).unwrap().is_beyond_limit(), "{slow:?}");
    }
}

/// Ten weeks from a Monday on with so many runs a day, each of its level by the day, with 1% of scatter.
fn weeks(runs_of_day: u64, seed: u64, level: impl Fn(u64) -> f64) -> Vec<Run> {
    let mut noise = Noise(seed << 32);
    let mut at = |nth: u64| {
        let value = 1e6 * level(nth / runs_of_day) * (0.01 * noise.normal()).exp();
        Run { started_ms: nth * DAY_MS / runs_of_day, ..run(nth, value, "a") }
    };
    (0..70 * runs_of_day).map(&mut at).collect()
}

/// The days of the newest run after which a drift is reported.
fn days_reported(history: &[Run], runs_of_day: usize) -> Vec<usize> {
    let is_reported = |day: &usize| {
        let runs = &history[..(day + 1) * runs_of_day];
        let newest = &runs[runs.len().saturating_sub(200)..];
        between(&anchor(&history[..Anchor::RUNS]), newest).is_some_and(|it| it.is_beyond_limit())
    };
    (7..70).filter(is_reported).collect()
}

#[test]
fn a_load_of_every_weekend_is_no_drift() {
    for runs_of_day in [3, 5, 6, 12, 24] {
        let level = |day: u64| if day % 7 >= 5 { 1.15 } else { 1.0 };
        for seed in 1..=3 {
            let reported = days_reported(&weeks(runs_of_day, seed, level), runs_of_day as usize);
            assert_eq!(reported, [0; 0], "{runs_of_day} runs a day");
        }
    }
}

#[test]
fn a_step_beside_a_weekly_load_is_reported_within_the_week_and_from_then_on() {
    for runs_of_day in [3, 6, 24] {
        let step = |day: u64| if day < 30 { 1.0 } else { 1.2 };
        let weekly = |day: u64| step(day) * if day % 7 >= 5 { 1.15 } else { 1.0 };
        for (level, from) in [(&step as &dyn Fn(u64) -> f64, 30), (&weekly, 30)] {
            let reported = days_reported(&weeks(runs_of_day, 1, level), runs_of_day as usize);
            let first = *reported.first().unwrap();
            assert!((from..from + 5).contains(&first), "{runs_of_day} runs a day: {reported:?}");
            assert_eq!(reported, (first..70).collect::<Vec<usize>>());
        }
    }
}

/// Each step is within a tolerance of 1%.
#[test]
fn exact_counts_have_drifted_as_soon_as_they_are_beyond_the_tolerance() {
    let tolerance = Tolerance::new(0.01).unwrap();
    let policy = Policy { tolerance, ..Policy::of(&Metric::allocations()) };
    let counts = (0..20).map(|nth: i32| 1e6 * 1.002_f64.powi((nth - 9).max(0)));
    let counts = runs(counts.collect::<Vec<_>>());
    let drifted = |newest: usize| {
        let newest = History { runs: counts[..newest].to_vec() };
        let lineage = Lineage::default();
        Drift::between(&anchor(&counts[..10]), &newest, &lineage, Direction::Lower, &policy)
            .is_some_and(|it| it.is_beyond_limit())
    };
    assert_eq!([16, 18].map(drifted), [false, true], "0.8% more, and 1.2%");
}

#[test]
fn a_level_of_nothing_is_reported_as_nothing() {
    let policy = Policy::of(&Metric::allocations());
    let counts = runs((0..15).map(|nth| if nth < 10 { 0.0 } else { 2.0 }));
    let newest = History { runs: counts.clone() };
    let lineage = Lineage::default();
    let drift =
        Drift::between(&anchor(&counts[..10]), &newest, &lineage, Direction::Lower, &policy);
    let drift = drift.unwrap();
    assert!(drift.is_beyond_limit() && drift.before == 0.0 && (drift.now - 2.0).abs() < 1e-9);
}

#[test]
fn a_tenth_of_a_nanosecond_is_no_drift() {
    let tiny: Vec<f64> = (0..15).map(|nth| if nth < 10 { 1.0 } else { 1.4 }).collect();
    let drift = drift(&runs(tiny)).unwrap();
    assert!(drift.degradation.lower > 1.05 && !drift.is_beyond_limit(), "{drift:?}");
}

#[test]
fn a_machine_that_became_slower_is_taken_out_of_a_test_that_follows_it() {
    let beside = |nth: u64, slow: f64| {
        let reference_ns = 9_000.0 * slow * (1.0 + 0.03 * (nth as f64 * 0.618).fract());
        let probes = Probes { reference_ns: Some(reference_ns), ..Probes::default() };
        let measurement = Measurement { probes, ..Measurement::of_value(reference_ns * 10.0) };
        Run { measurements: vec![measurement], ..run(nth, 0.0, "a") }
    };
    let mut runs: Vec<Run> = (0..10).map(|nth| beside(nth, 1.0 + 0.01 * nth as f64)).collect();
    runs.extend((10..15).map(|nth| beside(nth, 1.12)));
    assert!(!drift(&runs).unwrap().is_beyond_limit(), "{:?}", drift(&runs));
}

/// Five codes within the tolerance may be the next level, so no run is red.
#[test]
fn steps_within_the_tolerance_that_each_become_the_level_are_a_drift() {
    for (tolerance, step) in [(0.25, 1.12), (0.05, 1.04)] {
        for seed in 1..=20 {
            let mut life = Life::new(Place::Local, 0.01, seed);
            life.keep_builds().tolerate(tolerance).commits(100_000.0, 12);
            (1..=4).for_each(|steps| {
                life.commits(100_000.0 * f64::powi(step, steps), 6);
            });
            let policy =
                Policy { tolerance: Tolerance::new(tolerance).unwrap(), ..Policy::default() };
            let first = History { runs: life.history.runs[..Anchor::RUNS].to_vec() };
            let anchor = Anchor { history: first, accepted_ratio: 1.0 };
            let lineage = Lineage::default();
            let drift = Drift::between(&anchor, &life.history, &lineage, Direction::Lower, &policy)
                .unwrap();
            let is_seen = drift.is_beyond_limit() || life.letters().contains('R');
            assert!(is_seen, "seed {seed}: {drift:?} {}", life.letters());
        }
    }
}
