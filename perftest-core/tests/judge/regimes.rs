//! Comparisons of bodies that change between far regimes by themselves.

use perftest_core::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, ProcessPair, Side,
};
use perftest_core::model::{Direction, Measurement, Reason, Tolerance};
use perftest_core::words::notes;
use std::time::Duration;

const FAST_NS: f64 = 165e3;
const SLOWER: f64 = 23.0;

/// Numbers in 0..1 from a seed (Knuth's linear congruential generator, MMIX).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How often a process is in the slow regime, and from turn to turn, by side.
#[derive(Clone, Copy)]
struct Habits {
    /// Share of slow processes.
    slow: [f64; 2],
    /// Share of turns that are in the other regime than the process usually is.
    changes: f64,
    /// Head over base within a regime.
    ratio: f64,
}

fn values(
    chance: &mut Chance,
    slow_share: f64,
    habits: Habits,
    factor: f64,
    turns: &[Side],
) -> Vec<Measurement> {
    let is_slow = chance.next() < slow_share;
    turns
        .iter()
        .map(|_| {
            let is_slow = is_slow != (chance.next() < habits.changes);
            let regime = if is_slow { SLOWER } else { 1.0 };
            let noise = 1.0 + 0.03 * (chance.next() - 0.5);
            Measurement::of_value(FAST_NS * regime * noise * factor)
        })
        .collect()
}

fn compared(seed: u64, habits: Habits) -> ComparisonResult {
    let mut chance = Chance(seed);
    let policy = ComparisonPolicy {
        tolerance: Tolerance::new(0.05).unwrap(),
        ..ComparisonPolicy::default()
    };
    let mut comparison = Comparison::new(Direction::Lower, policy);
    loop {
        match comparison.step() {
            ComparisonStep::Measure(plan) => {
                let [base, head] = habits.slow;
                let pair = ProcessPair {
                    base: values(&mut chance, base, habits, 1.0, &plan.turns),
                    head: values(&mut chance, head, habits, habits.ratio, &plan.turns),
                };
                comparison.observe(pair, Duration::from_millis(80));
            }
            ComparisonStep::Done(compared) => return *compared,
        }
    }
}

/// Percent of comparisons that end so.
fn ended(habits: Habits, is: fn(Reason) -> bool) -> usize {
    2 * (0..50).filter(|seed| is(compared(*seed, habits).reason)).count()
}

const EVEN: Habits = Habits { slow: [0.5, 0.5], changes: 0.05, ratio: 1.0 };

#[test]
fn unchanged_code_of_two_regimes_is_green_and_the_regimes_are_named() {
    let greens = ended(EVEN, |reason| reason == Reason::Green);
    assert!(greens >= 90, "{greens}%");
    let note = notes(&compared(1, EVEN).notes).unwrap();
    assert!(note.contains("regimes up to 23x apart"), "{note}");
}

#[test]
fn a_slowdown_in_both_regimes_is_red() {
    for ratio in [1.2, 2.0] {
        let found = ended(Habits { ratio, ..EVEN }, |reason| reason == Reason::Red);
        assert!(found >= 90, "{found}% at {ratio}");
    }
}

#[test]
fn code_that_is_always_in_the_slow_regime_is_never_green() {
    let always_slow = Habits { slow: [0.0, 1.0], changes: 0.0, ..EVEN };
    assert_eq!(ended(always_slow, |reason| reason == Reason::Red), 100);
    let mostly_slow = Habits { slow: [0.1, 0.9], ..EVEN };
    let greens = ended(mostly_slow, |it| matches!(it, Reason::Green | Reason::Improved));
    assert!(greens <= 5, "{greens}%");
}

#[test]
fn unchanged_code_of_two_regimes_is_never_red_however_rare_one_is() {
    for slow in [0.05, 0.1, 0.2, 0.5, 0.8, 0.95] {
        for changes in [0.0, 0.05, 0.3] {
            let habits = Habits { slow: [slow, slow], changes, ratio: 1.0 };
            let wrong = ended(habits, |it| matches!(it, Reason::Red | Reason::Improved));
            assert!(wrong <= 2, "{wrong}% at {slow} and {changes}");
        }
    }
}
