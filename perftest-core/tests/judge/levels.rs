//! Stories of levels: a test lives through its commits and is never without a verdict for longer than it takes
//! to know its level.
//!
//! A letter is a run: `.` learns, `g` is green, `i` improved, `R` red, `s` slower by the same code,
//! `?` unclear and `~` unstable.

use crate::life::{Life, Place};
use crate::support::{evidence, run};
use perftest_core::model::{NewestLevel, Reason, Run};

const QUIET: f64 = 0.005;

/// Lives through the story in both places, and both times it reads so.
fn reads(expected: &str, story: impl Fn(&mut Life)) {
    for place in [Place::Local, Place::MergedInCi] {
        reads_in(place, expected, &story);
    }
}

fn reads_in(place: Place, expected: &str, story: impl Fn(&mut Life)) {
    for seed in 1..4 {
        let mut life = Life::new(place, QUIET, seed);
        story(&mut life);
        assert_eq!(life.letters(), expected, "{place:?}, seed {seed}");
    }
}

#[test]
fn two_improvements_in_a_row_hide_no_later_doubling() {
    reads("..... iii iii g g g g g g g g RRR", |life| {
        life.commit(4_000.0).runs(5).commit(2_000.0).runs(3).commit(1_000.0).runs(3);
        life.commits(1_000.0, 8).commit(2_000.0).runs(3);
    });
}

#[test]
fn a_doubling_after_three_improved_runs_is_red() {
    reads("..... ggg ggg iii RRR RRR", |life| {
        life.commit(4_000.0).runs(5).commit(4_000.0).runs(3).commit(4_000.0).runs(3);
        life.commit(2_000.0).runs(3).commit(4_000.0).runs(3).commit(4_100.0).runs(3);
    });
}

#[test]
fn three_improved_commits_are_a_level_as_three_runs_of_one_are() {
    reads("..... g g g i i i g g R", |life| {
        life.commit(1_300.0)
            .runs(5)
            .commits(1_300.0, 3)
            .commits(1_000.0, 5)
            .commit(1_300.0)
            .runs(1);
    });
}

/// The runs prove the improvement, although other work interrupts two of three batches.
#[test]
fn an_improvement_of_interrupted_runs_that_is_lost_again_is_red() {
    reads("..... iii RRR", |life| {
        life.commit(2_000.0).runs(5).commit(1_000.0).mostly_interrupted_runs(3, 3);
        life.commit(2_000.0).runs(3);
    });
}

#[test]
fn an_improvement_of_one_or_two_runs_that_is_given_up_is_never_compared_with() {
    reads("..... g g g g i g g g ii ggg R", |life| {
        life.commit(1_000.0).runs(5).commits(1_000.0, 4).commit(500.0).runs(1);
        life.commits(1_000.0, 3).commit(500.0).runs(2).commit(1_000.0).runs(3);
        life.commit(1_300.0).runs(1);
    });
}

#[test]
fn three_improved_runs_are_a_level_unless_an_older_run_has_their_machine_code() {
    let level_start = |code: &str| {
        let older = (0..8).map(|order| run(order, 1_000.0 + order as f64, &format!("{order}")));
        let newest = (8..11).map(|order| Run {
            evidence: Some(evidence(Reason::Improved)),
            ..run(order, 800.0 + order as f64, code)
        });
        let runs: Vec<Run> = older.chain(newest).collect();
        NewestLevel::of(&runs, 5).start()
    };
    assert_eq!([level_start("8"), level_start("3")], [8, 0]);
}

#[test]
fn a_level_change_does_not_come_back_when_the_old_level_leaves_the_window() {
    for later in [60, 250] {
        for place in [Place::Local, Place::MergedInCi] {
            let mut life = Life::new(place, QUIET, 1);
            life.commits(4_000.0, 5).commits(2_000.0, later);
            let expected = format!("..... iii {}", "g".repeat(later - 3)).replace(' ', "");
            assert_eq!(life.letters().replace(' ', ""), expected, "{place:?}");
            assert_eq!(life.commit(2_600.0).runs(3).newest_letter(), 'R');
        }
    }
}

#[test]
fn slower_on_the_same_machine_for_everybody_takes_over_in_ci_after_five_runs() {
    let story = |life: &mut Life| {
        life.commits(1_000.0, 5).commits(1_300.0, 40).commit(1_700.0).runs(3);
    };
    let followed = format!(". . . . . R R R R R {}RRR", "g ".repeat(35));
    reads_in(Place::MergedInCi, &followed, story);
    let own = format!(". . . . . {}RRR", "R ".repeat(40));
    reads_in(Place::Local, &own, story);
}

#[test]
fn up_down_and_up_again_is_red_both_times() {
    reads("..... ggg RRR ggg RRR ggg", |life| {
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3).commit(1_300.0).runs(3);
        life.commit(1_000.0).runs(3).commit(1_300.0).runs(3).commit(1_000.0).runs(3);
    });
}

#[test]
fn down_up_and_down_again_is_known_at_each_turn() {
    reads("..... iii RRR ggg iii ggg RRR", |life| {
        life.commit(2_000.0).runs(5).commit(1_000.0).runs(3).commit(2_000.0).runs(3);
        life.commit(1_000.0).runs(3).commit(500.0).runs(3).commit(500.0).runs(3);
        life.commit(1_000.0).runs(3);
    });
}

#[test]
fn what_came_before_may_be_of_any_levels() {
    reads_in(Place::Local, "..... iii i i RRR", |life| {
        life.commit(4_000.0).runs(5).commit(2_000.0).runs(3);
        life.commit(1_600.0).runs(1).commit(1_590.0).runs(1).commit(2_500.0).runs(3);
    });
    // Nothing is known yet: of what is learned the last five runs are one level.
    reads("... .. ~~~ g g RRR", |life| {
        life.commit(1_000.0).runs(3).commit(2_000.0).runs(2).commit(2_000.0).runs(3);
        life.commits(2_000.0, 2).commit(2_600.0).runs(3);
    });
}

#[test]
fn a_drift_of_three_percent_a_commit_leaves_no_insensitive_test() {
    for place in [Place::Local, Place::MergedInCi] {
        let mut life = Life::new(place, QUIET, 1);
        life.commit(1_000.0).runs(5);
        let mut cost_ns = 1_000.0;
        for _ in 0..12 {
            cost_ns *= 1.03;
            life.commit(cost_ns).runs(3);
        }
        assert_eq!(life.commit(1.3 * cost_ns).runs(3).newest_letter(), 'R', "{place:?}");
    }
}

/// No counter or probe shows that the machine was slow: these runs are red, and no more.
#[test]
fn five_slow_runs_by_a_burst_move_no_level_of_the_owners() {
    reads_in(Place::Local, ". . . . . g g g R R R R R g g g RRR", |life| {
        life.commits(1_000.0, 8);
        (0..5).for_each(|_| {
            life.commit(1_000.0).run_slowed(1.5);
        });
        life.commits(1_000.0, 3).commit(1_300.0).runs(3);
    });
}

#[test]
fn after_five_slow_runs_by_a_burst_in_ci_the_old_level_is_known_again_after_three() {
    reads_in(Place::MergedInCi, ". . . . . g g g R R R R R i i i g g RRR", |life| {
        life.commits(1_000.0, 8);
        (0..5).for_each(|_| {
            life.commit(1_000.0).run_slowed(1.5);
        });
        life.commits(1_000.0, 5).commit(1_300.0).runs(3);
    });
}

#[test]
fn a_layout_that_flips_for_five_runs_leaves_no_blind_test() {
    for place in [Place::Local, Place::MergedInCi] {
        let mut life = Life::new(place, QUIET, 1);
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3);
        (0..5).for_each(|_| {
            life.commit(1_000.0).run_slowed(0.8);
        });
        life.commit(1_000.0).runs(3);
        assert!(!life.letters().contains('~'), "{place:?}: {}", life.letters());
        assert_eq!(life.commit(1_300.0).runs(3).newest_letter(), 'R', "{place:?}");
    }
}

/// Three of the runs are merged and under the acceptance, four are merged and before it, and the owner
/// has others.
#[test]
fn merged_runs_on_both_sides_of_an_acceptance_leave_a_baseline() {
    reads_in(Place::Repository, ".... .g ggg gg RR", |life| {
        life.commit(1_000.0).runs(4).changed_files(1_000.0).runs(2);
        life.accept(1.3, None).commit(1_250.0).runs(3).changed_files(1_250.0).runs(2);
        life.changed_files(9_000.0).runs(2);
    });
}

#[test]
fn an_acceptance_of_a_red_lets_its_runs_become_the_level() {
    reads("..... ggg RRR ggg gg g RRR", |life| {
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3).commit(1_250.0).runs(3);
        life.accept(1.3, None).commit(1_250.0).runs(3).commit(1_250.0).runs(2);
        life.commit(1_250.0).runs(1).commit(1_700.0).runs(3);
    });
}

#[test]
fn machine_code_that_comes_back_brings_its_level_back() {
    reads_in(Place::MergedInCi, "..... R R R R R g iiii R", |life| {
        life.commit(1_000.0).runs(5).commits(1_300.0, 6);
        life.revert_to(1, 1_000.0).runs(4).commit(1_200.0).runs(1);
    });
}

/// As in a checkout that lacks the line: its code is at the old level.
#[test]
fn a_level_whose_acceptance_is_taken_back_is_no_level_of_the_code_that_lacks_it() {
    reads_in(Place::Local, "..... ggg ggg ggg RR", |life| {
        life.commit(1_000.0).runs(5).accept(1.3, None).commit(1_250.0).runs(3);
        life.commit(1_250.0).runs(3).revoke().commit(1_000.0).runs(3).commit(1_250.0).runs(2);
    });
}

#[test]
fn a_merged_level_whose_acceptance_is_taken_back_is_red_until_it_is_everybodys() {
    reads_in(Place::MergedInCi, "..... ggg gggRR", |life| {
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3).accept(1.3, None);
        life.commit(1_250.0).runs(3).revoke().revert_to(3, 1_250.0).runs(2);
    });
    reads_in(Place::MergedInCi, "..... ggg ggg ggg R", |life| {
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3).accept(1.3, None);
        life.commit(1_250.0).runs(3).revoke().commit(1_000.0).runs(3).commit(1_250.0).runs(1);
    });
}

/// Of merged code they become the level: nobody could ever be green else. An owner goes on with the old one.
#[test]
fn what_is_slow_by_too_little_in_all_processes_is_the_level_of_everybody_after_five_runs() {
    for seed in 1..=5 {
        let last_five = |place| {
            let mut life = Life::new(place, QUIET, seed);
            life.commits(1_000.0, 5).commits(1_070.0, 15);
            let letters = life.letters().replace(' ', "");
            assert!(letters.starts_with(".....?"), "{letters}");
            letters[15..].to_owned()
        };
        assert_eq!(last_five(Place::MergedInCi), "ggggg");
        let owners = last_five(Place::Local);
        assert!(!owners.contains('g'), "{owners}");
    }
}

#[test]
fn an_acceptance_before_the_change_holds_until_five_runs_are_its_level() {
    reads("..... g g ggg gg R", |life| {
        life.commit(1_000.0).runs(5).accept(1.3, None).commits(1_000.0, 2);
        // The acceptance is used up by these runs of both levels, and the newest five are tight.
        life.commit(1_250.0).runs(3).commit(1_250.0).runs(2).commit(1_700.0).runs(1);
    });
}

#[test]
fn while_an_accepted_level_is_young_what_exceeds_its_bound_is_red() {
    reads("..... g RR gg", |life| {
        life.commit(1_000.0).runs(5).accept(1.3, None).commit(1_250.0).runs(1);
        life.commit(1_500.0).runs(2).commit(1_250.0).runs(2);
    });
}

#[test]
fn a_second_acceptance_is_one_to_the_level_of_the_first() {
    reads("..... ggg ggg RR ggg ggg RRR", |life| {
        life.commit(1_000.0).runs(5).accept(1.3, None).commit(1_250.0).runs(3);
        life.commit(1_250.0).runs(3).commit(1_600.0).runs(2).accept(1.32, None);
        life.commit(1_600.0).runs(3).commit(1_600.0).runs(3).commit(2_100.0).runs(3);
    });
}

#[test]
fn a_temporary_acceptance_leaves_the_old_level_however_long_it_lasts() {
    let let_pass = "ggg ".repeat(20);
    reads(&format!("..... ggg {let_pass}RRR"), |life| {
        life.commit(1_000.0).runs(5).commit(1_000.0).runs(3).accept(1.3, Some(1));
        (0..20).for_each(|_| {
            life.commit(1_250.0).runs(3);
        });
        life.commit(1_500.0).runs(3);
    });
}

/// The step is within the 2% that a level usually differs by, and beyond the tolerance of 1% of such a count.
#[test]
fn with_a_narrow_tolerance_a_small_step_is_a_level_too() {
    let narrow = |life: &mut Life| {
        life.count_allocations();
        life.tolerate(0.01);
    };
    reads("..... iii RR", |life| {
        narrow(life);
        life.commit(10_000.0).runs(5).commit(9_850.0).runs(3).commit(9_990.0).runs(2);
    });
    reads_in(Place::MergedInCi, "..... R R R R R g g", |life| {
        narrow(life);
        life.commit(10_000.0).runs(5).commits(10_150.0, 7);
    });
}

#[test]
fn counts_that_fall_to_none_are_a_level_too() {
    reads("..... iii ggg RRR", |life| {
        life.count_allocations();
        life.commit(5.0).runs(5).commit(0.0).runs(3).commit(0.0).runs(3).commit(1.0).runs(3);
    });
}

/// How the decisions of made-up histories ended whose truth is known.
#[derive(Debug, Default)]
struct Count {
    /// Of code slower than its level by 30% and more.
    slower: usize,
    /// Of those, the ones that are not red.
    missed: usize,
    /// Of all other code, with a level.
    others: usize,
    false_reds: usize,
    /// Of all, neither good nor red: at 2% and more between processes the tolerance of 5% is too
    /// narrow for many.
    open: usize,
}

/// What the history ought to have as its level.
struct Truth {
    level_ns: f64,
    /// Runs in a row at another cost, with that cost.
    since: (f64, usize),
}

impl Truth {
    /// Takes a run's cost in; a slower level takes over by itself where `follows_slower`.
    fn take(&mut self, cost_ns: f64, follows_slower: bool) {
        let runs = if self.since.0 == cost_ns { self.since.1 + 1 } else { 1 };
        self.since = (cost_ns, runs);
        if cost_ns < self.level_ns && runs >= 3 || follows_slower && runs >= 5 {
            self.level_ns = cost_ns;
        }
    }
}

/// Twelve commits, each run three times; of ten, three double the cost, halve it or add 30%. The owner
/// accepts every other slowdown and takes the others back; in CI none is accepted.
fn lived(place: Place, seed: u64, count: &mut Count) {
    let mut random = pragmastat::Rng::from_seed(seed as i64);
    let mut life = Life::new(place, 0.01 + 0.02 * random.uniform_f64(), seed);
    life.commit(1_000.0).runs(5);
    let mut truth = Truth { level_ns: 1_000.0, since: (1_000.0, 5) };
    let mut cost_ns = 1_000.0;
    for _ in 0..12 {
        if random.uniform_f64() < 0.3 {
            let steps = [2.0, 0.5, 1.3];
            cost_ns *= steps[(3.0 * random.uniform_f64()) as usize % 3];
        }
        let is_slower = cost_ns > 1.2 * truth.level_ns;
        life.commit(cost_ns);
        for _ in 0..3 {
            let letter = life.runs(1).newest_letter();
            count.slower += usize::from(is_slower);
            count.missed += usize::from(is_slower && letter != 'R');
            count.others += usize::from(!is_slower);
            count.false_reds += usize::from(!is_slower && letter == 'R');
            count.open += usize::from("?~.".contains(letter));
            truth.take(cost_ns, place == Place::MergedInCi);
        }
        if is_slower && place == Place::Local {
            if random.uniform_f64() < 0.5 {
                life.accept(1.03 * cost_ns / truth.level_ns, None).commit(cost_ns).runs(6);
                truth = Truth { level_ns: cost_ns, since: (cost_ns, 6) };
            } else {
                cost_ns = truth.level_ns;
            }
        }
    }
}

#[test]
fn in_a_hundred_histories_no_red_is_false_and_hardly_a_slowdown_is_missed() {
    for place in [Place::Local, Place::MergedInCi] {
        let mut count = Count::default();
        (1..=50).for_each(|seed| lived(place, seed, &mut count));
        assert_eq!(count.false_reds, 0, "{place:?}: {count:?}");
        assert!(100 * count.missed <= count.slower, "{place:?}: {count:?}");
    }
}

/// The fifth run of a young history is of slow code, and so is the sixth.
#[test]
fn slow_code_that_was_measured_before_there_was_a_baseline_is_red_once_there_is_one() {
    let mut life = Life::new(Place::Local, 0.005, 1);
    life.keep_builds().commit(1_000.0).runs(4).commit(2_000.0).runs(3);
    assert_eq!(life.letters(), ".... .RR");
}

/// At 3% between processes the first accepted level is no step that its five runs prove.
#[test]
fn a_second_accepted_slowdown_is_compared_with_the_level_that_the_first_one_made() {
    for seed in 1..=40 {
        let mut life = Life::new(Place::Local, 0.03, seed);
        life.commit(1_000.0).runs(14);
        for cost_ns in [1_300.0, 1_690.0] {
            life.commit(cost_ns).runs(1);
            assert_eq!(life.newest_letter(), 'R', "{cost_ns} ns, seed {seed}");
            life.accept(1.35, None).commit(cost_ns).runs(6);
            let letters = life.letters();
            let accepted = letters.rsplit(' ').next().unwrap_or_default();
            assert!(!accepted.contains('R'), "{cost_ns} ns, seed {seed}: {letters}");
        }
    }
}

/// Four reds are no runs of the accepted level, so the second bound is to the level before both.
#[test]
fn merged_reds_do_not_make_an_accepted_level_that_has_too_few_runs() {
    reads_in(Place::MergedInCi, ". . . . . g g g g g g g g g g R R R R g R", |life| {
        life.commits(1_000.0, 14).accept(1.25, None).commits(1_200.0, 1).commits(1_600.0, 4);
        life.accept(1.65, None).commits(1_600.0, 1).commits(2_500.0, 1);
    });
}

/// The level of five accepted runs counts until the next one has five.
#[test]
fn beside_a_third_acceptance_the_newest_level_with_enough_runs_counts() {
    for seed in 1..=20 {
        let mut life = Life::new(Place::Local, 0.03, seed);
        life.commit(1_000.0).runs(10).accept(1.35, None).commit(1_300.0).runs(5);
        life.accept(1.35, None).commit(1_690.0).runs(3);
        life.accept(1.70, None).commit(2_150.0).runs(1);
        let newest = life.history.newest().and_then(|run| run.evidence.as_ref());
        let before = newest.and_then(|it| it.before).unwrap();
        assert!(before.lower > 1_150.0 && before.upper < 1_450.0, "seed {seed}: {before:?}");
    }
}

#[test]
fn a_merged_level_that_was_accepted_stays_one_without_the_line_that_accepted_it() {
    for seed in 240..=250 {
        let mut life = Life::new(Place::MergedInCi, 0.04, seed);
        life.commits(1_000.0, 14);
        life.accept(1.35, None).commits(1_300.0, 5).revoke().commits(1_300.0, 3);
        let letters = life.letters();
        assert!(!letters.contains('R'), "seed {seed}: {letters}");
    }
}

/// Each step is within the tolerance, and the fourth is no machine that became slower.
#[test]
fn a_slowdown_in_small_steps_is_red_beside_a_build_of_the_level() {
    for place in [Place::Local, Place::MergedInCi] {
        for seed in 1..4 {
            let mut life = Life::new(place, 0.001, seed);
            life.keep_builds().commits(100_000.0, 30);
            for step in 1..=4 {
                life.commit(100_000.0 * 1.024_f64.powi(step)).runs(1);
            }
            let newest = life.decisions.last().map(|it| it.reason);
            assert_eq!(newest, Some(Reason::Red), "{place:?}, seed {seed}");
        }
    }
}
