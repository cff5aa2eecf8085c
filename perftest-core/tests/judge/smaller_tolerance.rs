//! Stories of a tolerance that becomes smaller: what the wider one let pass is judged, and unchanged code stays as it was.

use crate::life::{Life, Place};

const PLACES: [Place; 3] = [Place::Local, Place::Repository, Place::MergedInCi];

fn is_paired(life: &Life) -> bool {
    let newest = life.history.newest().and_then(|run| run.evidence.as_ref());
    newest.is_some_and(|it| it.paired_result.is_some())
}

#[test]
fn a_red_that_a_wider_tolerance_let_pass_is_red_again() {
    for place in PLACES {
        for seed in 1..=100 {
            let mut life = Life::new(place, 0.01, seed);
            life.keep_builds().commits(100_000.0, 12).commit(130_000.0).runs(1);
            assert_eq!(life.newest_letter(), 'R', "seed {seed}");
            assert_eq!(life.tolerate(1.0).runs(1).newest_letter(), 'g', "seed {seed}");
            life.tolerate(0.05).runs(4);
            assert!(life.letters().ends_with(" RgRRRR"), "seed {seed}: {}", life.letters());
        }
    }
}

/// Without a last good build it may take more runs for a red, but nothing clears the code.
#[test]
fn a_red_that_a_wider_tolerance_let_pass_is_not_cleared_where_no_build_is_kept() {
    for place in PLACES {
        for seed in 1..=100 {
            let mut life = Life::new(place, 0.01, seed);
            life.commits(100_000.0, 12).commit(130_000.0).runs(1).tolerate(1.0).runs(1);
            life.tolerate(0.05).runs(2);
            let letters = life.letters();
            let newest = letters.rsplit(' ').next().unwrap();
            assert!(
                newest.starts_with("Rg") && !newest.contains(['s', 'm']),
                "seed {seed}: {letters}"
            );
            assert!(!newest[2..].contains('g'), "seed {seed}: {letters}");
        }
    }
}

#[test]
fn the_commit_after_one_that_a_wider_tolerance_let_pass_is_red() {
    for place in PLACES {
        for seed in 1..=100 {
            let mut life = Life::new(place, 0.01, seed);
            life.keep_builds().tolerate(0.25).commits(100_000.0, 27).commits(112_000.0, 2);
            assert!(!life.letters().contains('R'), "seed {seed}: {}", life.letters());
            life.tolerate(0.05).commits(112_000.0, 1);
            assert_eq!(life.newest_letter(), 'R', "seed {seed}: {}", life.letters());
        }
    }
}

#[test]
fn unchanged_speed_stays_without_a_red_by_a_smaller_tolerance() {
    for keeps in [true, false] {
        for place in PLACES {
            for noise in [0.01, 0.03] {
                for seed in 1..=50 {
                    let mut life = Life::new(place, noise, seed);
                    if keeps {
                        life.keep_builds();
                    }
                    life.tolerate(0.25).commits(100_000.0, 15).runs(3);
                    life.tolerate(0.05).runs(3).commits(100_000.0, 5);
                    let letters = life.letters();
                    assert!(!letters.contains('R'), "noise {noise}, seed {seed}: {letters}");
                }
            }
        }
    }
}

/// However many runs of it counted before: without one by the smaller tolerance no run would clear it.
#[test]
fn unchanged_code_is_measured_in_pairs_until_a_run_clears_it_and_not_for_ever() {
    for noise in [0.01, 0.03] {
        for seed in 1..=100 {
            let mut life = Life::new(Place::Local, noise, seed);
            life.keep_builds().tolerate(0.25).commits(100_000.0, 15).runs(6);
            life.tolerate(0.05).runs(3);
            for _ in 0..5 {
                life.runs(1);
                assert!(!is_paired(&life), "noise {noise}, seed {seed}: {}", life.letters());
            }
        }
    }
}

/// Too few for a level of their own, or running slow code again and again would end its red.
#[test]
fn of_slow_code_no_run_more_counts_by_a_smaller_tolerance() {
    for seed in 1..=20 {
        let mut life = Life::new(Place::MergedInCi, 0.01, seed);
        life.keep_builds().tolerate(0.25).commits(100_000.0, 25).commit(115_000.0).runs(6);
        life.tolerate(0.1).runs(6).tolerate(0.05).runs(6);
        let counted = life.history.runs[25..].iter().filter(|run| run.counts_for_baseline);
        assert_eq!(counted.count(), 3, "seed {seed}");
        assert!(life.letters().ends_with("ggggggRRRRRRRRRRRR"), "seed {seed}: {}", life.letters());
    }
}
