//! The comparison side by side, driven by scripted pairs of processes.

use perftest_core::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, NoiseFloor, PairPlan,
    ProcessPair, Side,
};
use perftest_core::model::{Direction, Measurement, Note, Reason, Tolerance};
use perftest_core::words::notes;
use std::time::Duration;

const PAIR: Duration = Duration::from_millis(100);
const BASE_NS: f64 = 1e5;

fn policy(share: f64) -> ComparisonPolicy {
    ComparisonPolicy { tolerance: Tolerance::new(share).unwrap(), ..ComparisonPolicy::default() }
}

fn measured(turns: &[Side], value: f64) -> Vec<Measurement> {
    turns.iter().map(|_| Measurement::of_value(value)).collect()
}

/// Interrupted, all of them: half of their time they had no processor.
fn interrupted(turns: &[Side], value: f64) -> Vec<Measurement> {
    let half = |it: Measurement| Measurement { thread_cpu_ns: Some(value as u64 / 2), ..it };
    measured(turns, value).into_iter().map(half).collect()
}

/// Obeys `comparison` with the pairs that `pair` makes of their number and turns.
fn obey(
    comparison: &mut Comparison,
    elapsed: Duration,
    mut pair: impl FnMut(usize, &[Side]) -> ProcessPair,
) -> ComparisonResult {
    for number in 0..1_000 {
        match comparison.step() {
            ComparisonStep::Measure(plan) => {
                comparison.observe(pair(number, &plan.turns), elapsed);
            }
            ComparisonStep::Done(compared) => return *compared,
        }
    }
    panic!("it never ends");
}

/// Obeys with pairs whose head takes so many times as long as the base.
fn compare(policy: ComparisonPolicy, ratio: impl Fn(usize) -> f64) -> ComparisonResult {
    let mut comparison = Comparison::new(Direction::Lower, policy);
    obey(&mut comparison, PAIR, |number, turns| ProcessPair {
        base: measured(turns, BASE_NS),
        head: measured(turns, BASE_NS * ratio(number)),
    })
}

/// A factor that goes up and down by up to so much.
fn wave(share: f64) -> impl Fn(usize) -> f64 {
    move |number| 1.0 + share * (2.0 * (number as f64 * 0.618_033_988_75).fract() - 1.0)
}

#[test]
fn unchanged_code_is_green_after_the_fewest_pairs() {
    let compared = compare(policy(0.03), wave(0.005));
    assert_eq!((compared.reason, compared.pairs, compared.measurements), (Reason::Green, 5, 170));
    assert!(compared.ratio.lower < 1.0 && compared.ratio.upper < 1.03, "{compared:?}");
    assert_eq!(compared.notes, []);
}

#[test]
fn a_slowdown_is_red_with_both_bounds_beyond_the_tolerance() {
    let compared = compare(policy(0.03), |_| 1.2);
    assert_eq!((compared.reason, compared.pairs), (Reason::Red, 5));
    assert!(compared.ratio.lower > 1.03 && compared.ratio.upper > compared.ratio.estimate);
    assert_eq!((compared.base.estimate, compared.head.estimate), (BASE_NS, BASE_NS * 1.2));
    assert!((compared.ratio.estimate - 1.2).abs() < 1e-9);
}

#[test]
fn a_speed_up_is_improved_and_a_larger_throughput_too() {
    assert_eq!(compare(policy(0.03), |_| 0.8).reason, Reason::Improved);
    let mut throughput = Comparison::new(Direction::Higher, policy(0.03));
    let faster = obey(&mut throughput, PAIR, |_, turns| ProcessPair {
        base: measured(turns, BASE_NS),
        head: measured(turns, 1.25 * BASE_NS),
    });
    assert_eq!(faster.reason, Reason::Improved);
    assert!((faster.ratio.estimate - 0.8).abs() < 1e-9);
    assert!((faster.base.estimate / faster.head.estimate - 0.8).abs() < 1e-9);
}

#[test]
fn exactly_the_tolerance_stays_unclear_to_the_last_pair() {
    let compared = compare(policy(0.03), |number| 1.03 * wave(0.01)(number));
    assert_eq!((compared.reason, compared.pairs), (Reason::Unclear, 40));
    assert!(
        compared.smallest_detectable > 0.03 && compared.smallest_detectable < 0.05,
        "{}",
        compared.smallest_detectable
    );
}

#[test]
fn a_comparison_that_has_time_for_few_pairs_says_that_these_detect_less() {
    let detects = |seconds, tolerance, scatter| {
        let mut comparison = Comparison::new(Direction::Lower, policy(tolerance));
        let head = |number| BASE_NS * wave(scatter)(number);
        let compared = obey(&mut comparison, Duration::from_secs(seconds), |number, turns| {
            ProcessPair { base: measured(turns, BASE_NS), head: measured(turns, head(number)) }
        });
        (compared.pairs, compared.smallest_detectable)
    };
    let (few, little) = detects(5, 0.03, 0.06);
    let (many, much) = detects(0, 0.03, 0.06);
    assert!(few == 6 && many > few, "{many}");
    assert!(little > 2.0 * much && much < 0.08, "{little} {much}");
    // An early green had no time for more either.
    let [(_, little), (_, much)] = [5, 0].map(|seconds| detects(seconds, 0.03, 0.005));
    assert!(little > 1.2 * much, "{little} {much}");
}

#[test]
fn pairs_that_scatter_too_much_for_the_tolerance_are_unstable_before_the_last() {
    let compared = compare(policy(0.03), wave(0.5));
    assert_eq!((compared.reason, compared.pairs), (Reason::Unstable, 14));
    assert!(compared.noise > 0.2 && compared.smallest_detectable > 0.15, "{compared:?}");
    let huge = compare(policy(0.03), |number| 4.0 * wave(0.3)(number));
    assert_eq!(huge.reason, Reason::Red);
}

#[test]
fn a_process_slow_from_start_to_end_is_set_aside_and_reported() {
    let compared = compare(policy(0.03), |number| if number == 2 { 1.5 } else { 1.0 });
    assert_eq!((compared.reason, compared.pairs), (Reason::Green, 7));
    assert!(
        notes(&compared.notes).unwrap().starts_with("1 pair was set aside"),
        "{:?}",
        compared.notes
    );
    let slower = compare(policy(0.03), |number| if number == 2 { 0.8 } else { 1.1 });
    assert_eq!((slower.reason, slower.pairs), (Reason::Red, 7));
}

#[test]
fn a_head_that_is_often_slow_is_not_green() {
    let compared = compare(policy(0.03), |number| if number % 4 == 0 { 1.5 } else { 1.0 });
    assert_ne!(compared.reason.verdict(), perftest_core::model::Verdict::Green, "{compared:?}");
}

#[test]
fn differences_below_the_floor_are_never_red() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let compared = obey(&mut comparison, PAIR, |_, turns| ProcessPair {
        base: measured(turns, 1.0),
        head: measured(turns, 1.4),
    });
    assert_eq!(compared.reason, Reason::Unclear);
}

#[test]
fn what_placement_alone_can_cost_a_few_nanoseconds_is_never_red_and_not_promised() {
    let slower_by = |shift: f64| {
        let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
        obey(&mut comparison, PAIR, |_, turns| ProcessPair {
            base: measured(turns, 5.0),
            head: measured(turns, 5.0 + shift),
        })
    };
    let little = slower_by(0.9);
    assert_eq!((little.reason, little.pairs), (Reason::Unclear, 14));
    assert_eq!(little.notes, [Note::SlowByLessThanShift]);
    assert_eq!(little.needed_pairs, None, "no number of pairs makes it red");
    assert!(little.smallest_detectable >= 0.2, "{little:?}");
    assert_eq!(slower_by(1.1).reason, Reason::Red);
}

#[test]
fn disturbed_pairs_are_measured_again_and_do_not_count() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let compared = obey(&mut comparison, PAIR, |number, turns| ProcessPair {
        base: measured(turns, BASE_NS),
        head: match number % 2 {
            0 => interrupted(turns, 3.0 * BASE_NS),
            _ => measured(turns, BASE_NS),
        },
    });
    assert_eq!((compared.reason, compared.pairs, compared.measurements), (Reason::Green, 5, 340));
}

#[test]
fn a_machine_that_disturbs_both_sides_of_every_pair_does_not_keep_them_from_a_verdict() {
    for (slower, reason) in [(1.0, Reason::Green), (1.2, Reason::Red)] {
        let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
        let compared = obey(&mut comparison, PAIR, |_, turns| ProcessPair {
            base: interrupted(turns, 2.0 * BASE_NS),
            head: interrupted(turns, 2.0 * slower * BASE_NS),
        });
        assert_eq!((compared.reason, compared.pairs), (reason, 5));
        assert_eq!(notes(&compared.notes).unwrap(), "5 of 5 pairs were disturbed by other work");
    }
}

#[test]
fn the_turns_that_warm_up_do_not_count() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let cold = |turns: &[Side], value| {
        let value = |turn| if turn < PairPlan::WARM_UP_TURNS { 2.0 * value } else { value };
        (0..turns.len()).map(|turn| Measurement::of_value(value(turn))).collect()
    };
    let compared = obey(&mut comparison, PAIR, |_, turns| {
        // Of so few turns two more would make a difference.
        let turns = &turns[..5];
        ProcessPair { base: cold(turns, BASE_NS), head: measured(turns, BASE_NS) }
    });
    assert_eq!(compared.ratio.estimate, 1.0, "{compared:?}");
}

#[test]
fn a_machine_that_disturbs_one_side_of_every_pair_gets_no_verdict_and_an_end() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let compared = obey(&mut comparison, PAIR, |_, turns| ProcessPair {
        base: measured(turns, BASE_NS),
        head: interrupted(turns, 3.0 * BASE_NS),
    });
    assert_eq!(compared.reason, Reason::Unclear);
    assert_eq!(notes(&compared.notes).unwrap(), "only 0 of 80 pairs were undisturbed");
    assert!((compared.ratio.estimate - 3.0).abs() < 1e-9);
    assert_eq!(compared.pairs, 0);
}

#[test]
fn processes_that_measure_nothing_get_no_verdict() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let nothing = || ProcessPair { base: Vec::new(), head: Vec::new() };
    let compared = obey(&mut comparison, PAIR, |_, _| nothing());
    assert_eq!((compared.reason, compared.pairs), (Reason::Unclear, 0));
    assert_eq!(notes(&compared.notes).unwrap(), "no pair of processes was measured");
    assert!(comparison.deciles().is_empty());
}

#[test]
fn the_budget_ends_a_comparison_and_no_verdict_rests_on_too_few_pairs() {
    let policy = ComparisonPolicy { budget_ns: 250_000_000, ..policy(0.03) };
    let compared = compare(policy, |_| 2.0);
    assert_eq!((compared.reason, compared.pairs), (Reason::Unclear, 3));
    assert_eq!(
        notes(&compared.notes).unwrap(),
        "its time ended after 3 of 40 pairs: 5 need a budget of some 1 s"
    );
}

#[test]
fn pairs_too_long_for_the_budget_name_one_that_has_room_for_them() {
    let short = ComparisonPolicy { budget_ns: 1_000_000_000, ..policy(0.03) };
    let mut comparison = Comparison::new(Direction::Lower, short);
    let compared = obey(&mut comparison, Duration::from_millis(1_150), |_, _| pair_of(150e6, 4));
    assert_eq!(
        notes(&compared.notes).unwrap(),
        "its time ended after 1 of 40 pairs: 5 need a budget of some 6 s"
    );
}

#[test]
fn the_budget_for_the_fewest_pairs_has_room_for_those_that_are_disturbed_meanwhile() {
    let budgeted = |budget_s: u64, counts: fn(usize) -> bool| {
        let budget_ns = budget_s * 1_000_000_000;
        let mut comparison =
            Comparison::new(Direction::Lower, ComparisonPolicy { budget_ns, ..policy(0.03) });
        let second = Duration::from_secs(1);
        obey(&mut comparison, second, |number, turns| ProcessPair {
            base: measured(turns, BASE_NS),
            head: match counts(number) {
                true => measured(turns, BASE_NS * 1.2),
                false => interrupted(turns, BASE_NS),
            },
        })
    };
    let one_in_three = |number: usize| number % 3 == 2;
    let short = budgeted(9, one_in_three);
    assert_eq!(
        notes(&short.notes).unwrap(),
        "its time ended after 3 of 40 pairs: 5 need a budget of some 15 s"
    );
    assert_eq!(budgeted(15, one_in_three).reason, Reason::Red, "who follows the advice");
    // At this rate not even the largest number of pairs has five that count.
    let hopeless = budgeted(30, |number| number == 7);
    assert_eq!(notes(&hopeless.notes).unwrap(), "only 1 of 30 pairs were undisturbed");
    let none = budgeted(9, |_| false);
    assert_eq!(notes(&none.notes).unwrap(), "only 0 of 9 pairs were undisturbed");
}

/// Both sides the same, of measurements that take so long.
fn pair_of(value: f64, turns: usize) -> ProcessPair {
    let side = || (0..turns).map(|_| Measurement::of_value(value)).collect();
    ProcessPair { base: side(), head: side() }
}

#[test]
fn values_of_a_busy_machine_are_reported_as_time_on_the_processor() {
    // Half of the time the processor was another's.
    let long = || Measurement {
        thread_cpu_ns: Some(150_000_000),
        process_cpu_ns: Some(150_000_000),
        wait_ns: Some(150_000_000),
        involuntary_switches: Some(40),
        voluntary_switches: Some(0),
        ..Measurement::of_value(300e6)
    };
    let side = || (0..4).map(|_| long()).collect();
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let pair = || ProcessPair { base: side(), head: side() };
    let compared = obey(&mut comparison, PAIR, |_, _| pair());
    assert_eq!((compared.reason, compared.base.estimate), (Reason::Green, 150e6));
    let note = "the machine is busy: judged on the time it had the processor";
    assert_eq!(notes(&compared.notes).unwrap(), note);
    let other = notes(&compare(policy(0.03), |_| 1.0).notes);
    assert!(other.is_none_or(|other| !other.contains(note)));
}

#[test]
fn each_pair_may_take_its_share_of_the_time_that_is_left_for_the_fewest_pairs() {
    let policy = ComparisonPolicy { budget_ns: 30_000_000_000, ..policy(0.03) };
    let mut comparison = Comparison::new(Direction::Lower, policy);
    let mut shares_s = Vec::new();
    loop {
        match comparison.step() {
            ComparisonStep::Done(compared) => {
                assert_eq!((compared.reason, compared.pairs), (Reason::Red, 5));
                break;
            }
            ComparisonStep::Measure(PairPlan { turns, longest, .. }) => {
                shares_s.push(longest.as_secs());
                // The first pair takes longer than it may, as one whose processes start slowly.
                let took = if shares_s.len() == 1 { 10 } else { 5 };
                let pair = ProcessPair {
                    base: measured(&turns[..2], BASE_NS),
                    head: measured(&turns[..2], 2.0 * BASE_NS),
                };
                comparison.observe(pair, Duration::from_secs(took));
            }
        }
    }
    assert_eq!(shares_s, [6, 5, 5, 5, 5]);
}

#[test]
fn each_side_begins_half_of_the_turns_in_an_order_of_the_seed() {
    let turns = |seed| {
        let policy = ComparisonPolicy { measurements: 20, seed, ..ComparisonPolicy::default() };
        match Comparison::new(Direction::Lower, policy).step() {
            ComparisonStep::Measure(PairPlan { turns, jitter, .. }) => (turns, jitter),
            ComparisonStep::Done(_) => panic!("nothing was measured yet"),
        }
    };
    let (first, jitter) = turns(1);
    assert_eq!(first.iter().filter(|side| **side == Side::Base).count(), 11);
    assert!(first.windows(2).any(|pair| pair[0] == pair[1]));
    assert_eq!(jitter.len(), 22, "two of them warm up");
    assert!(jitter.iter().all(|factor| (0.9..1.1).contains(factor)));
    assert_eq!(turns(1).0, first);
    assert_ne!(turns(2).0, first);
}

#[test]
fn the_next_pair_has_another_order() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    let before = comparison.step();
    assert_eq!(comparison.step(), before);
    let turns = [Side::Base; 15];
    let pair = ProcessPair { base: measured(&turns, 1e5), head: measured(&turns, 1e5) };
    comparison.observe(pair, PAIR);
    assert_ne!(comparison.step(), before);
}

#[test]
fn deciles_tell_where_the_distributions_of_the_processes_differ() {
    let mut comparison = Comparison::new(Direction::Lower, policy(0.03));
    obey(&mut comparison, PAIR, |number, turns| ProcessPair {
        base: measured(turns, BASE_NS * wave(0.02)(number)),
        head: measured(turns, 1.031 * BASE_NS * wave(0.02)(number)),
    });
    assert_eq!(comparison.centers(Side::Head).unwrap().size(), 40);
    let deciles = comparison.deciles();
    assert_eq!(deciles.len(), 7, "{deciles:?}");
    let middle = deciles[3];
    assert_eq!(middle.probability, 0.5);
    assert!((middle.ratio.unwrap() - 1.031).abs() < 1e-6, "{middle:?}");
    assert!((middle.shift - 0.031 * BASE_NS).abs() < 0.01 * BASE_NS);
}

/// So many comparisons of an executable with itself, in processes that lie apart by a wave.
fn with_itself(count: usize, share: f64) -> Vec<Comparison> {
    let wave = wave(share);
    let compare = |round: usize| {
        let mut comparison = Comparison::new(Direction::Lower, policy(0.05));
        obey(&mut comparison, PAIR, |number, turns| ProcessPair {
            base: measured(turns, BASE_NS),
            head: measured(turns, BASE_NS * wave(100 * round + number)),
        });
        comparison
    };
    (0..count).map(compare).collect()
}

#[test]
fn an_executable_beside_itself_shows_the_noise_of_the_machine() {
    let quiet = NoiseFloor::of(&with_itself(8, 0.005)).unwrap();
    assert_eq!((quiet.green, quiet.red, quiet.comparisons(), quiet.pairs), (8, 0, 8, 40));
    assert!(quiet.ratio.lower < 1.0 && quiet.ratio.upper > 1.0, "{quiet:?}");
    let noisy = NoiseFloor::of(&with_itself(8, 0.06)).unwrap();
    assert!(noisy.process_spread > 3.0 * quiet.process_spread, "{noisy:?}");
    assert!(
        noisy.smallest_detectable > quiet.smallest_detectable && quiet.smallest_detectable > 0.05,
        "{noisy:?}"
    );
    assert_eq!(NoiseFloor::of(&[]), None);
}

#[test]
fn the_rate_of_false_alarms_counts_both_directions_and_all_tests_together() {
    let floors: Vec<NoiseFloor> =
        [4, 6].map(|count| NoiseFloor::of(&with_itself(count, 0.005)).unwrap()).into();
    let rate = NoiseFloor::false_alarm_rate(&floors);
    assert_eq!((rate.estimate, rate.lower), (0.0, 0.0));
    // None of ten: at most 31% with 95%.
    assert!((rate.upper - 0.3085).abs() < 1e-3, "{rate:?}");
    let red = NoiseFloor { red: 3, improved: 2, green: 5, ..floors[0].clone() };
    assert_eq!(NoiseFloor::false_alarm_rate([&red]).estimate, 0.5);
}
