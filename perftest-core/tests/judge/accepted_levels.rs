//! Stories of accepted slowdowns on a machine that disturbs every run: pairs with the last good build show how slow the
//! accepted code is, and five such runs are its level.

use crate::life::{Life, Place};
use perftest_core::model::Run;
use std::time::Duration;

/// Runs beside other work, under an acceptance of 30%, of code that costs so much.
fn accepted_beside_others(place: Place, seed: u64, accepted_ns: f64, runs: usize) -> Life {
    let mut life = Life::new(place, 0.01, seed);
    life.keep_builds().commits(1_000.0, 14).accept(1.3, None);
    life.commit(accepted_ns).interrupted_runs(runs);
    life
}

#[test]
fn five_disturbed_runs_of_accepted_code_are_its_level() {
    for place in [Place::Local, Place::MergedInCi] {
        for seed in 1..=100 {
            let mut life = accepted_beside_others(place, seed, 1_150.0, 5);
            let level_ns = life.level_ns();
            assert!((1_100.0..1_200.0).contains(&level_ns), "seed {seed}: {level_ns}");
            assert_eq!(life.commit(1_330.0).runs(1).newest_letter(), 'R', "seed {seed}");
            assert_eq!(life.commit(1_150.0).runs(1).newest_letter(), 'g', "seed {seed}");
        }
    }
}

/// Each fifth batch is undisturbed: enough for a level, and too few for trust in the machine.
#[test]
fn accepted_runs_of_a_busy_machine_count_by_their_pairs_where_a_fifth_is_undisturbed() {
    for seed in 1..=100 {
        let mut life = accepted_beside_others(Place::Local, seed, 1_150.0, 0);
        life.mostly_interrupted_runs(5, 5);
        let level_ns = life.level_ns();
        assert!((1_100.0..1_200.0).contains(&level_ns), "{seed}: {level_ns} {}", life.letters());
    }
}

/// Its runs and builds are those that later code is compared with, on the same machine.
#[test]
fn a_slowdown_after_an_accepted_one_is_red_on_a_machine_that_is_always_busy() {
    for seed in 1..=100 {
        let mut life = accepted_beside_others(Place::Local, seed, 1_150.0, 5);
        life.commit(2_300.0).interrupted_runs(1);
        assert_eq!(life.newest_letter(), 'R', "seed {seed}: {}", life.letters());
    }
}

/// Under an acceptance that ends the old level stays.
#[test]
fn an_acceptance_that_ends_asks_for_no_pairs() {
    for seed in 1..=20 {
        let mut life = Life::new(Place::Local, 0.01, seed);
        life.keep_builds().commits(1_000.0, 14).accept(1.4, Some(u64::MAX));
        life.commit(1_150.0).interrupted_runs(5);
        let paired = |run: &Run| run.evidence.as_ref().unwrap().paired_result.is_some();
        assert!(!life.history.runs[14..].iter().any(paired), "seed {seed}: {}", life.letters());
    }
}

#[test]
fn an_acceptance_moves_no_level_of_code_that_did_not_become_slower() {
    for place in [Place::Local, Place::MergedInCi] {
        for seed in 1..=100 {
            let life = accepted_beside_others(place, seed, 1_000.0, 8);
            let level_ns = life.level_ns();
            assert!((950.0..1_050.0).contains(&level_ns), "seed {seed}: {level_ns}");
            assert!(!life.letters().contains('R'), "seed {seed}: {}", life.letters());
        }
    }
}

/// As where nobody waits for five runs of one commit.
#[test]
fn five_disturbed_commits_at_the_accepted_level_are_one_too() {
    for seed in 1..=100 {
        let mut life = accepted_beside_others(Place::Local, seed, 1_150.0, 1);
        (0..4).for_each(|_| {
            life.commit(1_150.0).interrupted_runs(1);
        });
        let level_ns = life.level_ns();
        assert!((1_100.0..1_200.0).contains(&level_ns), "seed {seed}: {level_ns}");
    }
}

/// The history has proven that the code is within the bound.
#[test]
fn accepted_code_stays_green_where_pairs_show_nothing() {
    for seed in 1..=20 {
        let mut life = Life::new(Place::Local, 0.01, seed);
        life.keep_builds().commits(1_000.0, 14).accept(1.3, None);
        life.machine(0.05, Duration::from_secs(60)).commit(1_050.0).interrupted_runs(3);
        let (letters, level_ns) = (life.letters(), life.level_ns());
        assert!(!letters.contains(['R', '?']), "seed {seed}: {letters}");
        for run in &life.history.runs[14..] {
            let evidence = run.evidence.as_ref().unwrap();
            let shown = evidence.degradation.unwrap().estimate;
            let measured = run.center().unwrap() / evidence.before.unwrap().estimate;
            // Where pairs decided, it is their ratio.
            let is_own = (shown / measured - 1.0).abs() < 0.05;
            assert!(evidence.paired_result.is_some() || is_own, "seed {seed}: {shown} {measured}");
        }
        assert!((950.0..1_050.0).contains(&level_ns), "seed {seed}: {level_ns}");
    }
}
