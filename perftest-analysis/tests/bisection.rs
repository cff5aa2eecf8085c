//! The search for the commit that made a test slower, over lines whose truth is known.

#![allow(clippy::unwrap_used)] // A test fails with the text of the error.

#[path = "../src/noise.rs"]
mod noise;

use noise::normal;
use perftest_analysis::verdicts::{
    Bisection, BisectionAnswer, BisectionResult, BisectionStep, Span,
};
use perftest_core::judge::{Comparison, ComparisonPolicy, ComparisonStep, PairPlan, ProcessPair};
use perftest_core::model::{Direction, Measurement, Tolerance};
use perftest_core::stats::Random;
use std::time::Duration;

/// How long the test takes at each commit, the good one first; `None` where nobody can tell.
type Line = Vec<Option<f64>>;

fn line(commits: usize, slow_from: usize, ratio: f64) -> Line {
    (0..=commits).map(|commit| Some(if commit < slow_from { 1.0 } else { ratio })).collect()
}

fn without_answer(mut line: Line, commits: impl IntoIterator<Item = usize>) -> Line {
    commits.into_iter().for_each(|commit| line[commit] = None);
    line
}

/// What a search came to, and the commits it probed.
struct SearchResult {
    bisected: BisectionResult,
    probed: Vec<usize>,
}

/// Searches; `compare` is given both commits and tells how they compare.
fn search_by(
    commits: usize,
    mut compare: impl FnMut(usize, usize, Tolerance) -> BisectionAnswer,
) -> SearchResult {
    let mut bisection = Bisection::new(commits, Tolerance::default());
    let mut probed = Vec::new();
    loop {
        assert!(probed.len() <= commits, "{probed:?}");
        let answer = match bisection.step() {
            BisectionStep::Done(bisected) => return SearchResult { bisected, probed },
            BisectionStep::Probe { commit, tolerance } => {
                probed.push(commit);
                compare(0, commit, tolerance)
            }
            BisectionStep::Confirm { span, tolerance } => {
                compare(span.before, span.after, tolerance)
            }
        };
        bisection.observe(answer);
    }
}

fn answer_of(line: &Line, base: usize, head: usize, tolerance: Tolerance) -> BisectionAnswer {
    let Some((base, head)) = line[base].zip(line[head]) else {
        return BisectionAnswer::Unanswered;
    };
    let ratio = head / base;
    if ratio > tolerance.ratio() {
        BisectionAnswer::Slower { ratio }
    } else {
        BisectionAnswer::NotSlower
    }
}

/// Searches where every comparison is right.
fn search(line: &Line) -> SearchResult {
    search_by(line.len() - 1, |base, head, tolerance| answer_of(line, base, head, tolerance))
}

fn found(before: usize, after: usize) -> BisectionResult {
    BisectionResult::Found(Span { before, after })
}

#[test]
fn every_commit_of_every_line_is_found_with_as_few_probes_as_halving_takes() {
    for commits in 1..=40_usize {
        for slow in 1..=commits {
            let searched = search(&line(commits, slow, 1.15));
            assert_eq!(searched.bisected, found(slow - 1, slow), "{slow} of {commits}");
            let halvings = commits.next_power_of_two().ilog2() as usize;
            assert!(searched.probed.len() <= 1 + halvings, "{slow} of {commits}");
        }
    }
}

#[test]
fn a_bad_commit_that_is_not_slower_or_not_decided_ends_the_search() {
    let fast = search(&line(20, 21, 1.15));
    assert_eq!((fast.bisected, fast.probed), (BisectionResult::NotSlower, vec![20]));
    let unclear = search(&without_answer(line(20, 7, 1.15), [20]));
    assert_eq!((unclear.bisected, unclear.probed), (BisectionResult::Undecided, vec![20]));
}

#[test]
fn a_slowdown_within_the_tolerance_is_nothing_to_find() {
    assert_eq!(search(&line(20, 7, 1.04)).bisected, BisectionResult::NotSlower);
}

#[test]
fn a_step_just_beyond_the_tolerance_is_found_by_the_middle() {
    assert_eq!(search(&line(20, 7, 1.06)).bisected, found(6, 7));
}

#[test]
fn a_commit_that_cannot_be_reported_is_stepped_around() {
    for broken in 1..20 {
        for slow in (1..=20).filter(|slow| ![broken, broken + 1].contains(slow)) {
            let searched = search(&without_answer(line(20, slow, 1.15), [broken]));
            assert_eq!(searched.bisected, found(slow - 1, slow), "{slow}, {broken} broken");
            assert!(searched.probed.len() <= 8, "{:?}", searched.probed);
        }
    }
}

#[test]
fn a_long_stretch_that_cannot_be_reported_is_not_probed_commit_by_commit() {
    let searched = search(&without_answer(line(100, 90, 1.15), 30..=75));
    assert_eq!(searched.bisected, found(89, 90));
    let in_vain = searched.probed.iter().filter(|commit| (30..=75).contains(*commit)).count();
    assert!(in_vain <= 20, "{:?}", searched.probed);
}

#[test]
fn where_only_commits_that_cannot_be_reported_are_left_the_answer_is_a_span() {
    assert_eq!(search(&without_answer(line(20, 7, 1.15), [6, 7, 8])).bisected, found(5, 9));
    // The first of them may be the one, the last may be too.
    assert_eq!(search(&without_answer(line(20, 7, 1.15), [6])).bisected, found(5, 7));
    assert_eq!(search(&without_answer(line(20, 7, 1.15), [7])).bisected, found(6, 8));
    assert_eq!(search(&without_answer(line(5, 3, 1.15), 1..=4)).bisected, found(0, 5));
}

#[test]
fn of_several_steps_the_one_across_the_middle_is_found() {
    let steps = [1.0, 1.0, 1.02, 1.02, 1.02, 1.13, 1.13, 1.15, 1.15].map(Some).to_vec();
    assert_eq!(search(&steps).bisected, found(4, 5));
}

#[test]
fn a_drift_is_not_blamed_on_one_commit() {
    let drift: Line = (0..=20).map(|commit| Some(1.01_f64.powi(commit))).collect();
    let BisectionResult::Doubtful { suspected, within } = search(&drift).bisected else {
        panic!("one commit was blamed");
    };
    assert_eq!(suspected.commits(), 1);
    assert!(within.before < suspected.before && within.after > suspected.after);
}

#[test]
fn a_wrong_probe_is_doubted_and_the_true_step_is_within_the_range() {
    let line = line(20, 13, 1.15);
    let truth = search(&line);
    for wrong in truth.probed[1..].iter().copied() {
        let searched = search_by(20, |base, head, tolerance| {
            let answer = answer_of(&line, base, head, tolerance);
            match answer {
                BisectionAnswer::Slower { .. } if head == wrong && base == 0 => {
                    BisectionAnswer::NotSlower
                }
                BisectionAnswer::NotSlower if head == wrong && base == 0 => {
                    BisectionAnswer::Slower { ratio: 1.1 }
                }
                answer => answer,
            }
        });
        match searched.bisected {
            BisectionResult::Doubtful { within, .. } => {
                assert!(within.before < 13 && within.after >= 13, "{wrong}: {within:?}");
            }
            other => panic!("{wrong} was wrong: {other:?}"),
        }
    }
}

#[test]
fn an_answer_after_the_end_changes_nothing() {
    let mut bisection = Bisection::new(3, Tolerance::default());
    bisection.observe(BisectionAnswer::NotSlower);
    bisection.observe(BisectionAnswer::Slower { ratio: 2.0 });
    assert_eq!(bisection.step(), BisectionStep::Done(BisectionResult::NotSlower));
}

#[test]
fn what_is_left_shrinks_to_nothing() {
    let mut bisection = Bisection::new(20, Tolerance::default());
    assert_eq!((bisection.span().commits(), bisection.probes_left()), (20, 5));
    bisection.observe(BisectionAnswer::Slower { ratio: 1.15 });
    bisection.observe(BisectionAnswer::Unanswered);
    assert_eq!((bisection.span().commits(), bisection.probes_left()), (20, 5));
    bisection.observe(BisectionAnswer::NotSlower);
    assert_eq!((bisection.span(), bisection.probes_left()), (Span { before: 11, after: 20 }, 4));
}

/// Compares processes that lie apart from each other with this standard deviation.
fn measured(random: &mut Random, ratio: f64, tolerance: Tolerance, spread: f64) -> BisectionAnswer {
    let mut process =
        |level: f64| Measurement::of_value(1e5 * level * (spread * normal(random)).exp());
    let policy = ComparisonPolicy { tolerance, ..ComparisonPolicy::default() };
    let mut comparison = Comparison::new(Direction::Lower, policy);
    loop {
        match comparison.step() {
            ComparisonStep::Done(compared) => return BisectionAnswer::of(&compared),
            ComparisonStep::Measure(PairPlan { turns, .. }) => {
                let (base, head) = (process(1.0), process(ratio));
                let pair =
                    ProcessPair { base: vec![base; turns.len()], head: vec![head; turns.len()] };
                comparison.observe(pair, Duration::from_millis(100));
            }
        }
    }
}

#[test]
fn noisy_processes_blame_no_innocent_commit() {
    let mut random = Random::new(7);
    let mut found_in = 0;
    for round in 0..60 {
        let slow = 1 + round % 20;
        let line = line(20, slow, 1.10);
        let searched = search_by(20, |base, head, tolerance| {
            let ratio = line[head].unwrap() / line[base].unwrap();
            measured(&mut random, ratio, tolerance, 0.01)
        });
        match searched.bisected {
            BisectionResult::Found(span) => {
                assert!(span.before < slow && slow <= span.after, "{slow}: {span:?}");
                found_in += u32::from(span.commits() == 1);
            }
            BisectionResult::Doubtful { .. } | BisectionResult::Undecided => {}
            BisectionResult::NotSlower => panic!("+10% at commit {slow} was overlooked"),
        }
    }
    assert!(found_in >= 55, "only {found_in} of 60 were found");
}
