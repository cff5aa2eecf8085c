//! Code that is slower in nearly every pair, but by too little for a red in the time there is.

use crate::life::{Life, Place};
use crate::pairs::{Pairs, baseline, judge, process};
use crate::play::{near, wobble};
use crate::support::run;
use perftest_core::judge::{Pairing, Policy, ProcessPair, Step, StepAnswer, Trial};
use perftest_core::model::{Direction, Measurement, Reason, Run};
use std::time::Duration;

const LEVEL_NS: f64 = 100_000.0;

fn life(noise: f64, seed: u64) -> Life {
    let mut life = Life::new(Place::MergedInCi, noise, seed);
    // A body of 20 ms: the budget has room for five pairs.
    life.keep_builds().machine(noise, Duration::from_millis(1_400));
    life
}

/// How many of the processes were slow where pairs of a noisy head end without an answer.
fn slow_processes(center: f64) -> (Reason, bool) {
    let pairs: Pairs = if center > 1.05 {
        |number| (LEVEL_NS * (1.075 + 0.08 * (wobble(number) - 0.5)), Some(LEVEL_NS))
    } else {
        |number| (LEVEL_NS * (1.045 + 0.08 * (wobble(number) - 0.5)), Some(LEVEL_NS))
    };
    let policy = Policy { budget_ns: 600_000_000, ..Policy::default() };
    let trial = Trial::new(baseline(30), Direction::Lower, policy);
    let evidence = judge(trial, 108_000.0, pairs).evidence;
    let run = Run { evidence: Some(evidence.clone()), ..run(1, LEVEL_NS, "slower") };
    assert_eq!(run.was_alone_slow(), !run.was_slow_throughout());
    (evidence.reason, run.was_slow_throughout())
}

#[test]
fn pairs_without_an_answer_tell_whether_most_processes_were_slow() {
    assert_eq!(slow_processes(1.075), (Reason::Unclear, true));
    assert_eq!(slow_processes(1.045), (Reason::Unclear, false));
}

#[test]
fn pairs_that_other_work_disturbed_do_not_make_slow_code_slow_alone() {
    let slow_ns = 1.065 * LEVEL_NS;
    let had_half_a_processor = |it| Measurement { thread_cpu_ns: Some(LEVEL_NS as u64), ..it };
    let mut trial = Trial::new(baseline(30), Direction::Lower, Policy::default());
    let (mut elapsed, mut measured, mut pairs) = (Duration::ZERO, 0, 0);
    let evidence = loop {
        let answer = match trial.step() {
            Step::Measure => {
                measured += 1;
                elapsed += Duration::from_micros(500);
                StepAnswer::Measured(near(1.08 * LEVEL_NS, measured))
            }
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(plan) => {
                let turns = plan.turns.len();
                let [mut base, head] = [LEVEL_NS, slow_ns].map(|ns| process(ns, turns));
                if pairs < 7 {
                    base = process(2.0 * LEVEL_NS, turns)
                        .into_iter()
                        .map(had_half_a_processor)
                        .collect();
                }
                pairs += 1;
                let (pair, elapsed) = (ProcessPair { base, head }, Duration::from_secs(1));
                StepAnswer::Paired(Pairing::Measured { pair, elapsed })
            }
            Step::Done(evidence) => break *evidence,
            other => panic!("pairs decide, and not {other:?}"),
        };
        trial.observe(answer, elapsed);
    };
    assert_eq!((evidence.reason, pairs), (Reason::Unclear, 12));
    let run = Run { evidence: Some(evidence), ..run(1, slow_ns, "slower") };
    assert!(run.was_slow_throughout() && !run.was_alone_slow(), "{:?}", run.evidence);
}

#[test]
fn code_that_pairs_show_slower_by_too_little_is_the_level_after_some_merged_runs() {
    for seed in 1..=12 {
        let mut life = life(0.01, seed);
        life.commits(LEVEL_NS, 30).commits(1.075 * LEVEL_NS, 20);
        let level_ns = life.level_ns();
        assert!((level_ns / LEVEL_NS - 1.075).abs() < 0.01, "{level_ns}: {}", life.letters());
        let open = life.letters().matches('?').count();
        assert!(open <= 6 && life.newest_letter() == 'g', "{}", life.letters());
    }
}

#[test]
fn a_machine_that_is_slow_for_some_runs_begins_no_level_and_makes_nothing_red() {
    for (noise, seed) in [(0.01, 1), (0.01, 2), (0.03, 3), (0.03, 4), (0.1, 5), (0.1, 6)] {
        let mut life = life(noise, seed);
        life.commits(LEVEL_NS, 30);
        for _ in 0..15 {
            life.commit(LEVEL_NS).run_slowed(1.075).commits(LEVEL_NS, 2);
        }
        assert!(!life.letters().contains('R'), "{noise}: {}", life.letters());
        let level = life.level_ns() / LEVEL_NS;
        assert!((level - 1.0).abs() < noise.max(0.02), "{noise}: {level} {}", life.letters());
    }
}
