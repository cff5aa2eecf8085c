//! Code that is slower in nearly every pair, but by too little for a red in the time there is.

use crate::life::{Life, Place};
use crate::pairs::{Pairs, baseline, judge};
use crate::play::wobble;
use crate::support::run;
use perftest_core::judge::{Policy, Trial};
use perftest_core::model::{Direction, Reason, Run};
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
