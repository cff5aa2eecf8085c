//! Acknowledged alerts of one lasting step: what opens them again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_analysis::thresholds::{
    AlertLife, AlertReplay, Boundaries, Criterion, Rule, RunValue, Threshold, ThresholdTest,
    Timeline,
};
use perftest_analysis::verdicts::RunCode;
use perftest_core::model::{Acknowledgement, BenchmarkId, RunId, Tolerance};
use std::collections::HashMap;

const HISTORIES: u64 = 100;

/// Number of runs before the step, and up to the acknowledgement.
const BEFORE: usize = 100;
const ACKNOWLEDGED: usize = 112;

/// The sum of twelve uniform numbers has the standard deviation 1.
struct Noise(u64);

impl Noise {
    fn normal(&mut self) -> f64 {
        let uniform = |noise: &mut Self| {
            noise.0 = noise.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (noise.0 >> 40) as f64 / (1_u64 << 24) as f64
        };
        (0..12).map(|_| uniform(self)).sum::<f64>() - 6.0
    }
}

fn rule(test: ThresholdTest, upper: f64, minimum_effect: Option<f64>) -> Rule {
    let boundaries = Boundaries { lower: None, upper: Some(upper) };
    let threshold = Threshold::new(test, boundaries).unwrap();
    let threshold = threshold.with_sample_sizes(Some(5), Some(64)).unwrap();
    let minimum_effect = minimum_effect.map(|share| Tolerance::new(share).unwrap());
    Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect }
}

fn rules() -> [Rule; 3] {
    [
        rule(ThresholdTest::Percentage, 0.1, None),
        rule(ThresholdTest::TTest, 0.99, Some(0.05)),
        rule(ThresholdTest::Iqr, 3.0, Some(0.05)),
    ]
}

fn run(nth: u64, value: f64) -> RunValue {
    let code = RunCode { commit: format!("c{nth}"), started_ms: nth, ..RunCode::default() };
    let run = RunId::from_recorded(nth.to_string());
    RunValue { run, code, value, recorded: value, moved_to: None }
}

/// A history of these levels with this share of noise.
fn history(levels: &[f64], share: f64, seed: u64) -> Timeline {
    let mut noise = Noise(seed);
    let value = |level: &f64| level * (1.0 + share * noise.normal());
    let values: Vec<f64> = levels.iter().map(value).collect();
    let own = (0..).zip(values).map(|(nth, value)| run(nth, value)).collect();
    Timeline { own, ..Timeline::default() }
}

fn replayed(timeline: &Timeline, rule: &Rule, known: &[&Acknowledgement]) -> AlertReplay {
    let life = AlertLife::resolved_after(5).opened_after(2);
    AlertReplay::of(timeline, rule, life, &HashMap::new(), known)
}

/// The alert that is open at the acknowledgement, acknowledged there.
fn acknowledgement(timeline: &Timeline, rule: &Rule) -> Option<Acknowledgement> {
    let own = timeline.own[..=ACKNOWLEDGED].to_vec();
    let then = replayed(&Timeline { own, ..Timeline::default() }, rule, &[]);
    let is_open = then.life.alert().is_some_and(|alert| alert.is_open() && alert.baseline < 105.0);
    let (opened, seen) = (then.opened_by.filter(|_| is_open)?, &timeline.own[ACKNOWLEDGED]);
    Some(Acknowledgement {
        id: "A".into(),
        threshold: "latency".into(),
        benchmark: BenchmarkId::from_recorded("a"),
        metric: "wall".into(),
        testbed: "local".into(),
        branch: "main".into(),
        opened_by: timeline.own[opened].run.clone(),
        opened_at: timeline.own[opened].code.label(),
        given_after: seen.run.clone(),
        value: seen.value,
        reason: "known".into(),
        by: String::new(),
        given_ms: 1,
    })
}

/// How many alerts are acknowledged, and how many of these are open at the end.
fn acknowledged_and_open(rule: &Rule, rest: &[f64], share: f64) -> (usize, usize) {
    let of_one = |seed: u64| {
        let level = [110.0, 120.0, 150.0, 200.0][(seed % 4) as usize];
        let rest = rest.iter().map(|ratio| level * ratio);
        let levels: Vec<f64> = std::iter::repeat_n(100.0, BEFORE).chain(rest).collect();
        let timeline = history(&levels, share, seed);
        let known = acknowledgement(&timeline, rule)?;
        Some(replayed(&timeline, rule, &[&known]).life.alert()?.is_open())
    };
    let are_open: Vec<bool> = (0..HISTORIES).filter_map(of_one).collect();
    (are_open.len(), are_open.iter().filter(|is_open| **is_open).count())
}

#[test]
fn an_acknowledged_alert_of_one_step_stays_acknowledged_while_the_window_fills_with_the_level() {
    for rule in rules() {
        for share in [0.005, 0.02] {
            let (acknowledged, open) = acknowledged_and_open(&rule, &[1.0; 100], share);
            assert!(acknowledged >= 70, "{rule}: {acknowledged}");
            assert!(open <= 1, "{rule}, noise {share}: {open} of {acknowledged}");
        }
    }
}

#[test]
fn a_further_step_after_the_history_got_used_to_the_level_opens_the_alert_again() {
    let rest = [[1.0; 80].as_slice(), &[1.25; 4]].concat();
    for rule in rules() {
        for share in [0.005, 0.02] {
            let (acknowledged, open) = acknowledged_and_open(&rule, &rest, share);
            assert!(acknowledged >= 70, "{rule}: {acknowledged}");
            assert!(open >= acknowledged - 1, "{rule}, noise {share}: {open} of {acknowledged}");
        }
    }
}
