//! The last good build beside the judged one settles what the history leaves open.

use crate::play::{near, wobble};
use crate::support::{code, evidence, run};
use perftest_core::judge::{Confirmation, Pairing, Policy, ProcessPair, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Environment, Evidence, History, Lineage, Measurement, Note,
    Observation, Outcome, PairedResult, Reason, Run, Tag,
};
use perftest_core::words::notes;
use std::time::Duration;

/// Values of the processes of the n-th pair, from 0: of the judged executable and of the last good
/// build, which may not run.
type Pairs = fn(usize) -> (f64, Option<f64>);

pub(crate) struct PlayResult {
    pub(crate) evidence: Evidence,
    /// Fresh processes with nothing beside them.
    alone: u32,
    pairs: usize,
}

pub(crate) fn baseline(runs: usize) -> Baseline {
    let centers: Vec<f64> = (0..runs).map(|run| 99_000.0 + 2_000.0 * wobble(run)).collect();
    of_centers(centers)
}

/// Runs that lie 30% apart.
pub(crate) fn unstable(runs: usize) -> Baseline {
    of_centers((0..runs).map(|run| 85_000.0 + 30_000.0 * wobble(run)).collect())
}

fn of_centers(centers: Vec<f64>) -> Baseline {
    let sequence = |center: &f64| -> Vec<Observation> {
        (0..10).map(|index| near(*center, index).value.into()).collect()
    };
    Baseline {
        sequences: centers.iter().map(sequence).collect(),
        centers: centers.into_iter().map(Observation::from).collect(),
        ..Baseline::empty(&BaselineRule::default())
    }
}

pub(crate) fn process(value: f64, measurements: usize) -> Vec<Measurement> {
    (0..measurements).map(|index| near(value, index)).collect()
}

/// Plays a trial whose own process measures `own_ns`, and whose pairs take 0.25 s each.
pub(crate) fn judge(mut trial: Trial, own_ns: f64, pairs: Pairs) -> PlayResult {
    let (mut elapsed, mut index, mut alone, mut paired) = (Duration::ZERO, 0, 0, 0);
    loop {
        elapsed += Duration::from_micros(500);
        let observed = match trial.step() {
            Step::Measure => {
                index += 1;
                StepAnswer::Measured(near(own_ns, index))
            }
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(plan) => {
                let (head, base) = pairs(paired);
                StepAnswer::Paired(base.map_or(Pairing::NoBase, |base| {
                    paired += 1;
                    let turns = plan.turns.len();
                    let pair =
                        ProcessPair { base: process(base, turns), head: process(head, turns) };
                    Pairing::Measured { pair, elapsed: Duration::from_millis(250) }
                }))
            }
            Step::Confirm { measurements, .. } => {
                alone += 1;
                StepAnswer::Confirmed(Confirmation::Measured {
                    measurements: process(pairs(paired).0, measurements as usize),
                    others_cpus: Some(0.0),
                    elapsed: Duration::ZERO,
                })
            }
            Step::Done(evidence) => {
                return PlayResult { evidence: *evidence, alone, pairs: paired };
            }
        };
        trial.observe(observed, elapsed);
    }
}

pub(crate) fn trial(runs: usize) -> Trial {
    Trial::new(baseline(runs), Direction::Lower, Policy::default())
}

pub(crate) fn trial_of(baseline: Baseline) -> Trial {
    Trial::new(baseline, Direction::Lower, Policy::default())
}

#[test]
fn slower_code_beside_a_last_good_build_as_fast_as_ever_is_red() {
    for runs in [5, 30] {
        let played = judge(trial(runs), 125_000.0, |_| (125_000.0, Some(100_000.0)));
        assert_eq!((played.evidence.reason, played.pairs, played.alone), (Reason::Red, 5, 0));
        let paired_result = played.evidence.paired_result.unwrap();
        assert_eq!(paired_result.pairs, 5);
        assert!((paired_result.ratio - 1.25).abs() < 0.01, "{paired_result:?}");
        assert!((paired_result.now - 100_000.0).abs() < 1_000.0, "{paired_result:?}");
        assert!((paired_result.machine_ratio - 1.0).abs() < 0.02, "{paired_result:?}");
        let degradation = played.evidence.degradation.unwrap();
        assert!(degradation.lower > 1.2 && degradation.upper < 1.3, "{degradation:?}");
    }
}

#[test]
fn a_last_good_build_that_is_as_slow_now_acquits_the_code() {
    for runs in [5, 30] {
        let played = judge(trial(runs), 130_000.0, |_| (130_000.0, Some(129_000.0)));
        let evidence = played.evidence;
        assert_eq!(evidence.reason, Reason::MachineSlower);
        assert_eq!(evidence.reason.outcome(), Outcome::Passed);
        assert!(
            notes(&evidence.notes).unwrap().contains(" 1.29x its level now too"),
            "{:?}",
            evidence.notes
        );
        assert!((evidence.degradation.unwrap().estimate - 1.30).abs() < 0.02);
    }
}

#[test]
fn the_machine_is_slower_only_where_the_test_is_too() {
    // Five runs do not tell whether either is beyond 5%.
    let beside_slow_base =
        |own_ns| judge(trial(5), own_ns, |_| (106_000.0, Some(107_000.0))).evidence.reason;
    assert_eq!(beside_slow_base(105_500.0), Reason::MachineSlower);
    assert_eq!(beside_slow_base(104_500.0), Reason::Green);
}

#[test]
fn code_that_became_slower_on_a_machine_that_did_too_is_red() {
    let played = judge(trial(30), 160_000.0, |_| (160_000.0, Some(128_000.0)));
    assert_eq!(played.evidence.reason, Reason::Red);
    let paired_result = played.evidence.paired_result.unwrap();
    assert!((paired_result.machine_ratio - 1.28).abs() < 0.02, "{paired_result:?}");
}

#[test]
fn a_machine_that_wavers_slows_both_of_a_pair_and_acquits_the_code() {
    let pairs = |number: usize| {
        let load = [1.3, 1.7, 1.4, 1.9, 1.5, 1.6, 1.8][number % 7];
        (100_000.0 * load, Some(99_000.0 * load))
    };
    let played = judge(trial(30), 150_000.0, pairs);
    assert_eq!(played.evidence.reason, Reason::MachineSlower);
}

#[test]
fn one_slow_process_of_the_last_good_build_acquits_nothing() {
    let pairs = |number| (125_000.0, Some(if number == 2 { 126_000.0 } else { 100_000.0 }));
    assert_eq!(judge(trial(30), 125_000.0, pairs).evidence.reason, Reason::Red);
}

#[test]
fn a_process_that_was_slow_alone_is_green_and_does_not_count_for_the_baseline() {
    let played = judge(trial(30), 125_000.0, |_| (100_500.0, Some(100_000.0)));
    assert_eq!((played.evidence.reason, played.evidence.slow_processes), (Reason::Green, 1));
}

#[test]
fn without_a_last_good_build_the_rest_is_left_to_fresh_processes_alone() {
    let never = judge(trial(30), 125_000.0, |_| (125_000.0, None));
    assert_eq!((never.evidence.reason, never.evidence.paired_result), (Reason::Red, None));
    assert_eq!((never.pairs, never.alone), (0, 3));
    let until_the_fourth = |number| (125_000.0, (number < 4).then_some(100_000.0));
    let broken = judge(trial(30), 125_000.0, until_the_fourth);
    assert_eq!((broken.evidence.reason, broken.evidence.paired_result), (Reason::Red, None));
    assert_eq!(
        (broken.pairs, broken.alone),
        (4, 3),
        "broken pairs take no place of a confirmation"
    );
}

#[test]
fn a_baseline_of_a_single_run_gives_no_red_without_pairs() {
    let judged = |pairs| {
        let baseline = Baseline { is_provisional: true, ..baseline(5) };
        judge(trial_of(baseline), 125_000.0, pairs).evidence.reason
    };
    assert_eq!(judged(|_| (125_000.0, Some(100_000.0))), Reason::Red);
    assert_eq!(judged(|_| (125_000.0, None)), Reason::Unclear);
}

#[test]
fn an_unstable_test_is_judged_by_pairs_alone() {
    for (now, reason) in [(100_500.0, Reason::Green), (112_000.0, Reason::Red)] {
        let pairs: Pairs = match reason {
            Reason::Green => |_| (100_500.0, Some(100_000.0)),
            _ => |_| (112_000.0, Some(100_000.0)),
        };
        let played = judge(trial_of(unstable(20)), now, pairs);
        assert_eq!((played.evidence.reason, played.alone), (reason, 0));
        assert!(played.evidence.is_proven_by_pairs());
        let without = judge(trial_of(unstable(20)), now, |_| (0.0, None));
        assert_eq!(without.evidence.reason, Reason::Unstable);
    }
}

#[test]
fn what_the_history_leaves_unclear_is_settled_by_pairs() {
    // Five runs do not tell whether this is beyond 5%.
    let open = |pairs| judge(trial(5), 105_500.0, pairs).evidence.reason;
    assert_eq!(open(|_| (105_500.0, None)), Reason::Unclear);
    assert_eq!(open(|_| (102_000.0, Some(100_000.0))), Reason::Green);
    assert_eq!(open(|_| (109_000.0, Some(100_000.0))), Reason::Red);
}

#[test]
fn what_stays_open_without_pairs_names_why_there_were_none() {
    let trial_with_good = trial(5).with_good_commit("a1b2c3d4e5");
    let without_base = judge(trial_with_good, 105_500.0, |_| (105_500.0, None)).evidence;
    let gone = Note::NoLastGoodBuild { commit: "a1b2c3d4e5".into() };
    assert_eq!(without_base.notes.last(), Some(&gone));
    let green = judge(trial(30), 100_000.0, |_| (100_000.0, None)).evidence;
    assert_eq!((green.reason, green.notes), (Reason::Green, Vec::new()));
    let crowded = |mut trial: Trial| loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(near(105_500.0, 1)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(_) => StepAnswer::Paired(Pairing::NotAlone),
            Step::Done(evidence) => break (evidence.reason, evidence.notes),
            other => panic!("{other:?}"),
        };
        trial.observe(observed, Duration::from_millis(1));
    };
    let beside = crowded(trial(5).beside_neighbours());
    assert_eq!(beside, (Reason::Unclear, vec![Note::NotPairedAlone]));
    assert_eq!(crowded(trial(5)), (Reason::Unclear, Vec::new()), "others measure on the machine");
}

/// A pair whose head scatters by 6% around its center.
fn scattered_pair(head_center_ns: f64, number: usize) -> (f64, Option<f64>) {
    (head_center_ns * (1.0 + 0.06 * (wobble(number) - 0.5)), Some(100_000.0))
}

#[test]
fn pairs_end_with_the_budget_and_name_the_one_that_settles_it() {
    let played = judge(trial(5), 105_500.0, |number| {
        (105_000.0 * (1.0 + 0.02 * (wobble(number) - 0.5)), Some(100_000.0))
    });
    let reason = played.evidence.reason;
    let note = notes(&played.evidence.notes).unwrap();
    assert_eq!(reason, Reason::Unclear);
    // Twice three seconds, a quarter of a second each.
    assert!((22..=24).contains(&played.pairs), "{}", played.pairs);
    assert!(note.contains("its time ended after"), "{note}");
    let needed_budget_s = |pairs: Pairs| {
        let evidence = judge(trial(5), 105_500.0, pairs).evidence;
        assert_eq!(evidence.reason, Reason::Unclear);
        evidence.needed_budget_s
    };
    assert!(needed_budget_s(|number| scattered_pair(103_800.0, number)) > Some(3.0));
    assert_eq!(
        needed_budget_s(|number| scattered_pair(104_600.0, number)),
        None,
        "40 pairs would not do"
    );
}

#[test]
fn no_budget_is_named_where_the_number_of_pairs_was_the_limit() {
    let policy = Policy { budget_ns: 60_000_000_000, ..Policy::default() };
    let patient = Trial::new(baseline(5), Direction::Lower, policy);
    let played = judge(patient, 105_500.0, |number| scattered_pair(104_600.0, number));
    let evidence = played.evidence;
    assert_eq!(
        (evidence.reason, evidence.needed_budget_s),
        (Reason::Unclear, None),
        "{evidence:?}"
    );
}

#[test]
fn a_paired_verdict_stands_on_a_machine_that_is_not_trusted() {
    let mut untrusted = Environment::default();
    untrusted.distrust(Tag::SlowClock);
    let under = |pairs| judge(trial(30), 125_000.0, pairs).evidence.under(&untrusted).reason;
    assert_eq!(under(|_| (125_000.0, Some(100_000.0))), Reason::Red);
    assert_eq!(under(|_| (125_000.0, None)), Reason::Untrusted);
}

/// A run that ended red by its pairs.
fn paired_red(evidence: Evidence) -> Vec<Run> {
    vec![Run { evidence: Some(evidence), ..run(1, 125_000.0, "slow") }]
}

#[test]
fn a_retry_of_a_red_by_pairs_goes_on_with_them() {
    let red = judge(trial(30), 125_000.0, |_| (125_000.0, Some(100_000.0))).evidence;
    let runs = paired_red(red);
    let retry = |own_ns, pairs| {
        let trial = Trial::continued(baseline(30), Direction::Lower, Policy::default(), &runs);
        judge(trial, own_ns, pairs)
    };
    let again = retry(125_000.0, |_| (125_000.0, Some(100_000.0)));
    assert_eq!((again.evidence.reason, again.pairs), (Reason::Red, 7));
    assert_eq!(again.evidence.paired_result.as_ref().map(|it| it.pairs), Some(12));
    let played = retry(100_000.0, |_| (105_000.0, Some(100_000.0)));
    let open = played.evidence;
    assert_eq!(open.reason, Reason::Red, "what proves nothing leaves the red as it is");
    let by_pairs = |evidence: &Evidence| {
        let result = evidence.paired_result.clone().unwrap();
        (evidence.degradation, result.ratio, result.now)
    };
    let first = runs[0].evidence.as_ref().unwrap();
    assert_eq!((by_pairs(&open), open.slow_processes), (by_pairs(first), 0));
    assert_eq!(open.paired_result.map(|it| it.pairs), Some(5 + played.pairs as u32));
}

#[test]
fn a_retry_without_pairs_leaves_the_red_and_its_numbers_as_they_are() {
    let red = judge(trial(30), 125_000.0, |_| (125_000.0, Some(100_000.0))).evidence;
    let (degradation, paired_result) = (red.degradation, red.paired_result.clone());
    let runs = paired_red(red);
    let continued = || vec![Note::ContinuesAttempt { attempt: 1 }];
    let why = "it crashed".to_owned();
    for (without, note) in [
        (Pairing::NoBase, Some(Note::LastGoodBuildGone)),
        (Pairing::NotAlone, None),
        (Pairing::Unavailable(why.clone()), Some(Note::NotMeasuredAfresh { why })),
    ] {
        let trial = Trial::continued(baseline(30), Direction::Lower, Policy::default(), &runs);
        let evidence = fast_without_pairs(trial, &without);
        assert_eq!(evidence.reason, Reason::Red, "{without:?}");
        assert_eq!((evidence.degradation, &evidence.paired_result), (degradation, &paired_result));
        assert_eq!(evidence.notes, [continued(), note.into_iter().collect()].concat());
    }
}

/// How a trial ends whose own process is fast, and that has no pairs for this reason.
fn fast_without_pairs(mut trial: Trial, without: &Pairing) -> Evidence {
    loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(near(100_000.0, 1)),
            Step::Pair(_) => StepAnswer::Paired(without.clone()),
            Step::Done(evidence) => break *evidence,
            other => panic!("{other:?}"),
        };
        trial.observe(observed, Duration::from_millis(1));
    }
}

#[test]
fn a_red_by_pairs_outlasts_an_attempt_without_pairs() {
    let red = judge(trial(30), 125_000.0, |_| (125_000.0, Some(100_000.0))).evidence;
    let without = Evidence { paired_result: None, ..red.clone() };
    let attempt = |attempt, evidence| Run { attempt, ..paired_red(evidence).remove(0) };
    let runs = [attempt(1, red), attempt(2, without)];
    let third = |own_ns, pairs| {
        let trial = Trial::continued(baseline(30), Direction::Lower, Policy::default(), &runs);
        judge(trial, own_ns, pairs)
    };
    let slower = third(100_000.0, |_| (100_000.0, Some(80_000.0)));
    assert_eq!((slower.evidence.reason, slower.pairs), (Reason::Red, 7));
    assert!(slower.evidence.notes.contains(&Note::ContinuesAttempt { attempt: 2 }));
    assert_eq!(third(100_000.0, |_| (99_500.0, Some(100_000.0))).evidence.reason, Reason::Green);
}

#[test]
fn a_retry_that_stays_red_does_not_have_the_reason_of_an_unclear_result() {
    let few_ns = || of_centers((0..30).map(|run| 4.95 + 0.1 * wobble(run)).collect());
    let red = judge(trial_of(few_ns()), 8.0, |_| (8.0, Some(5.0))).evidence;
    assert_eq!(red.reason, Reason::Red);
    let runs = paired_red(red);
    let trial = Trial::continued(few_ns(), Direction::Lower, Policy::default(), &runs);
    let open = judge(trial, 5.9, |_| (5.9, Some(5.0))).evidence;
    assert_eq!(open.reason, Reason::Red);
    assert!(!open.notes.contains(&Note::SlowByLessThanShift), "{:?}", open.notes);
}

#[test]
fn a_retry_is_green_once_more_pairs_than_before_are_fast() {
    let red = judge(trial(30), 125_000.0, |_| (125_000.0, Some(100_000.0))).evidence;
    let trial =
        Trial::continued(baseline(30), Direction::Lower, Policy::default(), &paired_red(red));
    let played = judge(trial, 100_000.0, |_| (99_500.0, Some(100_000.0)));
    assert_eq!((played.evidence.reason, played.pairs), (Reason::Green, 7));
    assert!(
        notes(&played.evidence.notes).unwrap().starts_with("continues attempt 1"),
        "{:?}",
        played.evidence.notes
    );
}

/// Two threads on a busy machine hardly ever work at once.
#[test]
fn an_unstable_test_whose_pairs_were_all_disturbed_says_so() {
    let apart = |index| Measurement {
        thread_cpu_ns: Some(90_000),
        apart_ns: Some(50_000),
        ..near(100_000.0, index)
    };
    let mut trial = trial_of(unstable(30));
    let (mut elapsed, mut index) = (Duration::ZERO, 0);
    let evidence = loop {
        elapsed += Duration::from_micros(500);
        index += 1;
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(near(100_000.0, index)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(plan) => {
                let process: Vec<Measurement> = (0..plan.turns.len()).map(apart).collect();
                let pair = ProcessPair { base: process.clone(), head: process };
                let elapsed = Duration::from_millis(250);
                StepAnswer::Paired(Pairing::Measured { pair, elapsed })
            }
            Step::Done(evidence) => break *evidence,
            other => panic!("pairs settle a doubt, and not {other:?}"),
        };
        trial.observe(observed, elapsed);
    };
    assert_eq!(evidence.reason, Reason::Unstable);
    let notes = notes(&evidence.notes).unwrap_or_default();
    assert!(notes.starts_with("only 0 of "), "{notes}");
}

fn selected(history: &History) -> Baseline {
    BaselineRule::default().select(history, "cfg", None, &Lineage::default())
}

fn machine_slower(order: u64, value: f64, text: &str) -> Run {
    let evidence = Evidence { slow_processes: 4, ..evidence(Reason::MachineSlower) };
    Run { evidence: Some(evidence), ..run(order, value, text) }
}

#[test]
fn the_same_code_is_reported_by_a_run_that_cleared_it_and_by_no_other() {
    let mut runs: Vec<Run> = (0..6).map(|order| run(order, 100.0, "old")).collect();
    runs.push(Run { evidence: Some(evidence(Reason::Unclear)), ..run(6, 101.0, "doubtful") });
    let history = History { runs };
    let baseline = selected(&history);
    let same = |text: &str| {
        let run = baseline.run_that_clears(&code(text));
        run.map(|run| run.revision.commit.as_str())
    };
    assert_eq!(same("old"), Some("c5"));
    assert_eq!(same("doubtful"), None, "it may be what made it slow");
    assert_eq!(same("new"), None);
    assert_eq!(same(""), None, "what is not known is not the same");
}

#[test]
fn before_there_is_a_baseline_a_run_clears_only_the_code_with_which_it_begins() {
    let learned = |order, value, text| Run {
        evidence: Some(evidence(Reason::NoBaseline)),
        ..run(order, value, text)
    };
    let first = (0..4).map(|order| learned(order, 100.0, "first"));
    let mut history = History { runs: first.chain([learned(4, 200.0, "slow")]).collect() };
    let same = |history: &History, text| selected(history).run_that_clears(&code(text)).is_some();
    assert_eq!(["first", "slow"].map(|text| same(&history, text)), [true, false]);
    history.runs.remove(0);
    history.runs.push(run(5, 101.0, "slow"));
    assert!(same(&history, "slow"), "it was compared and found good");
    // As where older runs are behind the window.
    let slow = learned(0, 200.0, "slow");
    let later = (1..6).map(|order| run(order, 100.0, "later"));
    let history = History { runs: [slow].into_iter().chain(later).collect() };
    assert!(!same(&history, "slow"), "it is not at the level");
}

#[test]
fn three_runs_that_improved_in_pairs_are_a_level_however_their_values_scatter() {
    let size_after = |paired: [bool; 3], newest: [f64; 3]| {
        let scattered = [220.0, 340.0, 200.0, 340.0, 205.0, 350.0].into_iter().zip(0..);
        let old = scattered.map(|(value, order)| run(order, value, "old"));
        let new = paired.into_iter().zip(newest).zip(6..).map(|((is_paired, value), order)| {
            let paired_result = is_paired.then(PairedResult::default);
            let evidence = Evidence { paired_result, ..evidence(Reason::Improved) };
            Run { evidence: Some(evidence), ..run(order, value, "new") }
        });
        selected(&History { runs: old.chain(new).collect() }).runs.len()
    };
    let scattered = [103.0, 109.0, 71.0];
    assert_eq!(size_after([true; 3], scattered), 3);
    assert_eq!(size_after([true, false, true], scattered), 6, "by their values they are none");
    assert_eq!(size_after([true; 3], [103.0, 209.0, 71.0]), 7, "one is among the older ones");
    let improved = |order| {
        let paired_result = Some(PairedResult::default());
        let evidence = Evidence { paired_result, ..evidence(Reason::Improved) };
        Run { evidence: Some(evidence), ..run(order, 100.0, &format!("code {order}")) }
    };
    let first = selected(&History { runs: (0..3).map(improved).collect() });
    assert_eq!((first.needed, first.began), (5, None), "nothing is before them");
}

#[test]
fn a_slower_machine_is_a_level_of_its_own_after_the_runs_a_verdict_needs() {
    let old = (0..25).map(|order| run(order, 100.0 + wobble(order as usize), "old"));
    let value = |order: u64| 130.0 + wobble(order as usize);
    let new = (25..30).map(|order| machine_slower(order, value(order), "new"));
    let history = History { runs: old.chain(new).collect() };
    let baseline = selected(&history);
    assert_eq!(baseline.runs.len(), 5);
    assert!(baseline.centers.iter().all(|center| center.value > 129.0));
    // Pairs cleared this code, so neither this noisy level nor the machine's recovery leaves it open.
    let same = baseline.run_that_clears(&code("new"));
    assert_eq!(same.map(|run| run.revision.commit.as_str()), Some("c29"));
}

#[test]
fn on_a_slower_machine_as_many_runs_of_one_code_count_as_a_verdict_needs() {
    let rule = BaselineRule::default();
    let mut history = History { runs: (0..25).map(|it| run(it, 100.0, "old")).collect() };
    let may_count_for_baseline = |history: &History, run: &Run| {
        let baseline = selected(history);
        rule.why_not_counted(history, &baseline, None, &Lineage::default(), run).is_none()
    };
    for order in 25..30 {
        let run = machine_slower(order, 130.0, "new");
        assert!(may_count_for_baseline(&history, &run), "{order}");
        history.runs.push(run);
    }
    assert!(!may_count_for_baseline(&history, &machine_slower(30, 130.0, "new")));
}
