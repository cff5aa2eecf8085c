//! Builds of the history that may stand beside the judged one, and their order.

use crate::support::{code, evidence, run};
use perftest_core::model::{
    Baseline, BaselineRule, Evidence, Interval, Observation, Reason, Run, Tolerance,
};

fn baseline_of(runs: impl Iterator<Item = Run>) -> Baseline {
    Baseline { runs: runs.collect(), ..Baseline::empty(&BaselineRule::default()) }
}

/// The code of the builds that may stand beside the newest one, in their order, where the runs of the
/// baseline ended so.
fn builds_beside(ends: [Evidence; 6]) -> Vec<String> {
    let runs = ends.into_iter().zip(1..).map(|(evidence, number)| Run {
        evidence: Some(evidence),
        ..run(number, 100_000.0, &format!("code {number}"))
    });
    let baseline = baseline_of(runs);
    let judged = code("code 6");
    let builds = baseline.good_builds(&judged);
    builds.map(|run| run.code.text.clone()).collect()
}

#[test]
fn a_level_that_merged_slower_code_has_made_its_own_has_a_build_to_stand_beside() {
    let (red, unstable) = (Reason::Red, Reason::Unstable);
    let beside = |reasons: [Reason; 6]| builds_beside(reasons.map(evidence));
    let of_level = beside([red, red, red, unstable, unstable, unstable]);
    assert_eq!(of_level.len(), 5, "{of_level:?}");
    let one_good = beside([red, Reason::Green, red, unstable, unstable, unstable]);
    assert_eq!(one_good, [code("code 2").text]);
}

#[test]
fn a_build_that_was_slower_within_the_tolerance_comes_after_those_of_the_level() {
    let green = |ratio: f64| {
        let degradation = Some(Interval { estimate: ratio, lower: ratio, upper: ratio });
        Evidence { degradation, ..evidence(Reason::Green) }
    };
    let beside = builds_beside([1.0, 1.02, 0.97, 1.04, 1.045, 1.0].map(green));
    assert_eq!(beside, [3, 2, 1, 5, 4].map(|number| code(&format!("code {number}")).text));
}

#[test]
fn one_fast_run_of_a_slower_build_does_not_make_it_one_of_the_level() {
    let green = |ratio: f64| {
        let degradation = Some(Interval { estimate: ratio, lower: ratio, upper: ratio });
        Evidence { degradation, ..evidence(Reason::Green) }
    };
    let runs = [("level", 1.0), ("slower", 1.04), ("slower", 1.045), ("slower", 1.01)];
    let runs = runs.into_iter().zip(1..).map(|((text, ratio), number)| Run {
        evidence: Some(green(ratio)),
        ..run(number, 100_000.0, text)
    });
    let baseline = baseline_of(runs);
    let judged = code("judged");
    let first = baseline.good_builds(&judged).next().unwrap();
    assert_eq!(first.code.text, code("level").text);
}

/// A green run of this code with this ratio, by this tolerance.
fn green_by(number: u64, (text, ratio, tolerance): (&str, f64, f64)) -> Run {
    let degradation = Some(Interval { estimate: ratio, lower: ratio, upper: ratio });
    let tolerance = Tolerance::new(tolerance).unwrap();
    let evidence = Evidence { degradation, tolerance, ..evidence(Reason::Green) };
    Run { evidence: Some(evidence), ..run(number, 100_000.0, text) }
}

/// The builds to compare with after these green runs, by a tolerance of so much.
fn builds_by<const N: usize>(present: f64, runs: [(&str, f64, f64); N]) -> Vec<String> {
    let runs = (1..).zip(runs).map(|(number, run)| green_by(number, run));
    let baseline = baseline_of(runs).held_to(Tolerance::new(present).unwrap());
    let builds: Vec<&Run> = baseline.good_builds(&code("judged")).collect();
    assert!(builds.iter().all(|run| baseline.has_base(&run.id)));
    builds.into_iter().map(|run| run.code.text.clone()).collect()
}

/// The tolerance was made smaller after the first of them: 1.04 is within half of 10% and beyond half of 5%.
#[test]
fn each_run_of_a_build_is_held_to_the_smaller_of_its_tolerance_and_the_present_one() {
    let both = [("level", 1.0, 0.05), ("slower", 1.04, 0.1), ("slower", 1.04, 0.05)];
    assert_eq!(builds_by(0.05, both)[0], "level");
    let wide_alone = [("level", 1.0, 0.05), ("slower", 1.04, 0.1)];
    assert_eq!(builds_by(0.05, wide_alone), ["level", "slower"]);
    assert_eq!(builds_by(0.1, wide_alone), ["slower", "level"]);
    let widened = [("level", 1.0, 0.05), ("slower", 1.04, 0.05)];
    assert_eq!(builds_by(0.1, widened), ["level", "slower"]);
}

#[test]
fn a_build_that_only_a_wider_tolerance_let_pass_is_none_to_compare_with() {
    let slow = [("level", 1.0, 0.05), ("slow", 1.12, 0.25)];
    assert_eq!(builds_by(0.05, slow), ["level"]);
    assert_eq!(builds_by(0.25, slow), ["slow", "level"]);
    assert_eq!(builds_by(0.05, [("slow", 1.12, 0.25)]).len(), 0, "also where there is no other");
    let runs = (1..).zip(slow).map(|(number, run)| green_by(number, run));
    let baseline = baseline_of(runs);
    let is_base = |number| baseline.has_base(&run(number, 0.0, "").id);
    assert_eq!([1, 2, 3].map(is_base), [true, false, false]);
}

#[test]
fn a_build_whose_further_series_was_red_is_none_to_compare_that_series_with() {
    let runs = |marked: &[u64]| {
        let runs = (1..=6).map(|number| {
            let marks = marked.contains(&number).then(|| Run::SERIES_NOT_CLEARED.to_owned());
            Run {
                evidence: Some(evidence(Reason::Green)),
                flags: marks.into_iter().collect(),
                ..run(number, 100_000.0, &format!("code {number}"))
            }
        });
        baseline_of(runs)
    };
    let beside = |marked: &[u64]| {
        let baseline = runs(marked);
        let judged = code("code 6");
        let builds = baseline.good_builds(&judged);
        builds.map(|run| run.code.text.clone()).collect::<Vec<_>>()
    };
    let of = |numbers: &[u64]| {
        numbers.iter().map(|number| code(&format!("code {number}")).text).collect::<Vec<_>>()
    };
    assert_eq!(beside(&[5, 3]), of(&[4, 2, 1]));
    // Where no build is without such a series, the whole decides.
    assert_eq!(beside(&[1, 2, 3, 4, 5, 6]), of(&[5, 4, 3, 2, 1]));
}

#[test]
fn a_build_that_was_slow_before_there_was_a_baseline_is_none_to_stand_beside() {
    let learned = |number: u64, value: f64| Run {
        evidence: Some(evidence(Reason::NoBaseline)),
        ..run(number, value, &format!("code {number}"))
    };
    let runs = (1..5).map(|number| learned(number, 100_000.0)).chain([learned(5, 130_000.0)]);
    let centers = [1.0, 1.0, 1.0, 1.0, 1.3].map(|it| Observation::from(100_000.0 * it)).to_vec();
    let baseline = Baseline { centers, ..baseline_of(runs) };
    let judged = code("code 6");
    let builds = baseline.good_builds(&judged).map(|run| run.code.text.clone());
    let expected = [4, 3, 2, 1].map(|number| code(&format!("code {number}")).text);
    assert_eq!(builds.collect::<Vec<_>>(), expected);
}

#[test]
fn a_build_is_good_where_a_run_of_the_baseline_cleared_it() {
    let runs = [("green", Reason::Green), ("red", Reason::Red), ("left out", Reason::Green)];
    let runs = runs.into_iter().zip(1..).map(|((text, reason), number)| Run {
        evidence: Some(evidence(reason)),
        ..run(number, 100_000.0, text)
    });
    let baseline = baseline_of(runs.take(2));
    let is_good = |text| baseline.has_good_build(&code(text));
    assert_eq!(["green", "red", "left out"].map(is_good), [true, false, false]);
}
