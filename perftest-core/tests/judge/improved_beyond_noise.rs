//! An improvement far beyond the noise of its history, on a machine so busy that there is time for a few pairs only.

use crate::life::{Life, Place};
use crate::pairs::{Pairs, judge, of_centers};
use perftest_core::judge::{Policy, Trial};
use perftest_core::model::{Baseline, Direction, Evidence, Reason};
use perftest_core::words::notes;
use std::time::Duration;

/// A history of runs three times apart, as a busy machine records one.
fn very_noisy() -> Baseline {
    let centers = [19_400.0, 15_900.0, 16_300.0, 11_400.0, 20_600.0, 8_400.0, 8_200.0, 13_400.0];
    of_centers(centers.to_vec())
}

/// Plays a test of a very noisy history that has time for a few pairs only.
fn judge_slowly(own_ns: f64, pairs: Pairs) -> Evidence {
    judge_within(320_000_000, own_ns, pairs)
}

fn judge_within(budget_ns: u64, own_ns: f64, pairs: Pairs) -> Evidence {
    let policy = Policy { budget_ns, ..Policy::default() };
    judge(Trial::new(very_noisy(), Direction::Lower, policy), own_ns, pairs).evidence
}

#[test]
fn few_pairs_prove_an_improvement_far_below_a_very_noisy_history() {
    let evidence = judge_slowly(2_400.0, |_| (2_400.0, Some(22_500.0)));
    assert_eq!(evidence.reason, Reason::Improved, "{evidence:?}");
    assert!(
        evidence.paired_result.as_ref().is_some_and(|it| (3..5).contains(&it.pairs)),
        "{evidence:?}"
    );
    assert!(evidence.degradation.is_some_and(|it| it.upper < 0.2), "{evidence:?}");
    let note = notes(&evidence.notes).unwrap();
    assert!(!note.contains("need a budget"), "{note}");
}

#[test]
fn few_pairs_prove_no_improvement_that_the_history_or_the_last_good_build_does_not_show() {
    let reason = |own_ns, pairs| judge_slowly(own_ns, pairs).reason;
    assert_eq!(reason(2_400.0, |_| (2_400.0, Some(2_400.0))), Reason::Unclear, "the machine");
    assert_eq!(reason(1_000.0, |_| (1_000.0, Some(9_000.0))), Reason::Improved);
    assert_eq!(reason(1_000.0, |_| (1_000.0, Some(5_000.0))), Reason::Unclear, "both are faster");
    let two_pairs = judge_within(200_000_000, 2_400.0, |_| (2_400.0, Some(22_500.0)));
    assert_eq!(two_pairs.reason, Reason::Unclear, "one slow process of the last good build");
    assert_eq!(reason(2_400.0, |_| (2_400.0, Some(4_000.0))), Reason::Unclear, "by its noise");
    assert_eq!(reason(7_000.0, |_| (7_000.0, Some(70_000.0))), Reason::Unclear, "a slow base");
    assert_eq!(reason(2_400.0, |_| (8_000.0, Some(80_000.0))), Reason::Unclear, "only at first");
    assert_eq!(reason(8_000.0, |_| (2_400.0, Some(22_500.0))), Reason::Unclear, "only later");
}

/// Without the level of the cheap code, the history would hide each slowdown of it up to the old cost.
#[test]
fn cheap_code_after_a_very_noisy_history_becomes_the_level_and_is_lost_with_a_red() {
    for place in [Place::Local, Place::MergedInCi] {
        for seed in 1..6 {
            let mut life = Life::new(place, 0.35, seed);
            life.keep_builds().machine(0.35, Duration::from_secs(2)).commits(15_000.0, 8);
            life.machine(0.1, Duration::from_secs(2)).commits(1_300.0, 3);
            let letters = life.letters();
            assert!(letters.ends_with("i i i"), "{place:?}, seed {seed}: {letters}");
            life.machine(0.01, Duration::from_millis(50)).commits(2_730.0, 1);
            assert_eq!(life.newest_letter(), 'R', "{place:?}, seed {seed}: {letters}");
        }
    }
}

#[test]
fn few_pairs_never_improve_what_only_scatters() {
    for noise in [0.1, 0.35, 0.6] {
        for seed in 1..11 {
            let mut life = Life::new(Place::Local, noise, seed);
            life.keep_builds().machine(noise, Duration::from_secs(2)).commits(15_000.0, 40);
            let letters = life.letters();
            assert!(!letters.contains('i'), "noise {noise}, seed {seed}: {letters}");
        }
    }
}
