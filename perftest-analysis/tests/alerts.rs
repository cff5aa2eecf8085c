//! Alerts over histories of runs: what a branch is judged by, and what becomes of its alert.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/growth.rs"]
mod growth;
#[path = "../../perftest-core/tests/support/mod.rs"]
mod support;

use growth::grows_with_what_there_is;
use perftest_analysis::thresholds::{
    AlertLife, AlertReplay, AlertState, Boundaries, Criterion, ExclusionReason, Rule, RunValue,
    Threshold, ThresholdTest, Timeline,
};
use perftest_analysis::verdicts::RunCode;
use perftest_core::model::{
    Acknowledgement, Evidence, History, LimitSide, NotCounted, Note, Reason, Revision, RuleResult,
    Run, RunId, Tag, Tolerance,
};
use std::collections::{BTreeMap, HashMap};

/// A run of commit `c<nth>` on main.
fn run(nth: u64, value: f64) -> Run {
    let commit = format!("c{nth}");
    let revision = Revision { commit, branch: "main".into(), ..Revision::default() };
    Run { revision, ..support::run(nth, value, "text") }
}

/// The same on a branch that left main at this commit.
fn on_topic(nth: u64, value: f64, base: &str) -> Run {
    let mut run = run(nth, value);
    run.revision.branch = "topic".into();
    run.revision.base = base.into();
    run
}

fn timeline(runs: &[Run], branch: &str) -> Timeline {
    Timeline::of(&History { runs: runs.to_vec() }, branch, "main")
}

fn values(runs: &[RunValue]) -> Vec<f64> {
    runs.iter().map(|run| run.value).collect()
}

fn ten_percent() -> Rule {
    Rule::One {
        criterion: Criterion::Change { newest: 30 },
        minimum_effect: Some(Tolerance::new(0.1).unwrap()),
    }
}

fn course(timeline: &Timeline, acknowledgements: &[&Acknowledgement]) -> AlertReplay {
    AlertReplay::of(
        timeline,
        &ten_percent(),
        AlertLife::resolved_after(1),
        &HashMap::new(),
        acknowledgements,
    )
}

fn on_main(values: &[f64]) -> Timeline {
    let runs: Vec<Run> = (0..).zip(values).map(|(nth, value)| run(nth, *value)).collect();
    timeline(&runs, "main")
}

/// The level before the alert, and between which commits it began.
fn blamed(course: &AlertReplay) -> (f64, Option<String>, String) {
    let suspects = course.suspects.as_ref().unwrap();
    let after = suspects.after.as_ref().map(RunCode::label);
    (course.life.alert().unwrap().baseline, after, suspects.upto.label())
}

fn state(course: &AlertReplay) -> AlertState {
    course.life.alert().unwrap().state.clone()
}

#[test]
fn a_branch_begins_with_what_the_default_branch_had_where_it_left_it() {
    let runs = [
        run(1, 100.0),
        run(2, 101.0),
        run(3, 150.0),
        on_topic(4, 102.0, "c2"),
        run(5, 160.0),
        on_topic(6, 103.0, "c2"),
    ];
    let topic = timeline(&runs, "topic");
    assert_eq!(values(&topic.start_point), [100.0, 101.0]);
    assert_eq!(values(&topic.own), [102.0, 103.0]);
    let nobody_knows = timeline(&[&runs[..3], &[on_topic(4, 102.0, "gone")]].concat(), "topic");
    assert_eq!(values(&nobody_knows.start_point), [100.0, 101.0, 150.0]);
    let main = timeline(&runs, "main");
    assert_eq!((values(&main.own).len(), main.start_point.len()), (4, 0));
    let unknown = Timeline::of(&History { runs: runs.to_vec() }, "topic", "");
    assert_eq!(unknown.start_point, [], "nobody knows the default branch");
    assert_eq!(timeline(&runs, "other"), Timeline::default());
}

#[test]
fn nobody_on_a_branch_is_blamed_for_an_alert_of_its_start_point() {
    let main = [run(1, 100.0), run(2, 100.0), run(3, 150.0)];
    assert!(course(&timeline(&main, "main"), &[]).life.alert().is_some());
    let alert = |value| {
        let runs = [&main[..], &[on_topic(4, value, "c3")]].concat();
        course(&timeline(&runs, "topic"), &[])
    };
    assert_eq!(alert(150.0).life.alert(), None);
    assert_eq!(blamed(&alert(170.0)), (150.0, Some("c3".into()), "c4".into()));
}

#[test]
fn a_rebased_branch_is_not_blamed_for_a_step_of_the_default_branch() {
    let main = [run(1, 100.0), run(2, 100.0), on_topic(3, 101.0, "c2"), run(4, 150.0)];
    let rebased = |value| {
        timeline(&[&main[..], &[run(5, 150.0), on_topic(6, value, "c5")]].concat(), "topic")
    };
    let topic = rebased(151.0);
    assert_eq!(values(&topic.start_point), [100.0, 100.0, 150.0, 150.0]);
    assert_eq!(
        (values(&topic.own), topic.set_aside[&ExclusionReason::EarlierBase]),
        (vec![151.0], 1)
    );
    assert_eq!(course(&topic, &[]).life.alert(), None);
    let slower = course(&rebased(180.0), &[]);
    assert_eq!(blamed(&slower), (150.0, Some("c5".into()), "c6".into()));
}

#[test]
fn a_branch_goes_on_at_a_new_base_before_which_the_default_branch_was_not_run() {
    let own = [on_topic(3, 101.0, "c2"), on_topic(4, 102.0, "b7"), on_topic(5, 103.0, "")];
    let topic = timeline(&[&[run(1, 100.0), run(2, 100.0)], &own[..]].concat(), "topic");
    assert_eq!((topic.start_point.len(), values(&topic.own)), (2, vec![101.0, 102.0, 103.0]));
    let alone = timeline(&own, "topic");
    assert_eq!((alone.start_point.len(), values(&alone.own).len()), (0, 3));
}

#[test]
fn runs_that_take_no_part_are_counted_with_the_reason() {
    let mut retry = run(2, 300.0);
    retry.attempt = 2;
    let mut untrusted = run(3, 300.0);
    untrusted.environment.distrust(Tag::Steal);
    let mut empty = run(4, 0.0);
    empty.measurements.clear();
    let fresh = |mark: &str| Run { flags: vec![mark.to_owned()], ..run(5, 300.0) };
    let [confirming, provisional] = [Run::CONFIRMING, Run::PROVISIONAL].map(fresh);
    let other = Run { config: "other".into(), ..run(6, 300.0) };
    let mut runs = vec![other, run(1, 100.0), retry, untrusted.clone(), empty];
    runs.extend([confirming, provisional, run(7, 100.0)]);
    let main = timeline(&runs, "main");
    assert_eq!(values(&main.own), [100.0, 100.0]);
    let all = [
        ExclusionReason::OtherConfiguration,
        ExclusionReason::Untrusted,
        ExclusionReason::Retry,
        ExclusionReason::NoValue,
    ];
    assert_eq!(main.set_aside.into_iter().collect::<Vec<_>>(), all.map(|why| (why, 1)));
    let alone = timeline(&[untrusted], "main");
    assert_eq!((alone.own.len(), alone.set_aside[&ExclusionReason::Untrusted]), (0, 1));
}

/// A run whose times may be those of the machine, with this verdict.
fn on_a_busy_machine(reason: Reason, run: Run) -> Run {
    let notes = vec![Note::NotCountedDisturbed];
    Run { evidence: Some(Evidence { notes, ..support::evidence(reason) }), ..run }
}

fn with_two_alarms_and_five_back(runs: &[Run]) -> AlertReplay {
    let life = AlertLife::resolved_after(5).opened_after(2);
    AlertReplay::of(&timeline(runs, "main"), &ten_percent(), life, &HashMap::new(), &[])
}

/// Of a branch in CI, or beyond the limit of runs of one code.
#[test]
fn a_run_that_would_count_by_its_ratio_is_set_aside_also_where_it_does_not_count() {
    let notes = vec![Note::NotCounted { because: NotCounted::OtherBranch }];
    let flags = vec![Run::BY_RATIO.to_owned()];
    let of = |reason| {
        let evidence = Some(Evidence { notes: notes.clone(), ..support::evidence(reason) });
        Run { evidence, flags: flags.clone(), ..run(10, 120.0) }
    };
    let set_aside = |reason| timeline(&[run(9, 100.0), of(reason)], "main").set_aside;
    let aside = BTreeMap::from([(ExclusionReason::TimesOfMachine, 1)]);
    assert_eq!([Reason::Green, Reason::Improved].map(set_aside), [aside.clone(), aside]);
    assert_eq!(set_aside(Reason::Red), BTreeMap::new());
}

#[test]
fn the_times_of_a_machine_open_no_alert_and_are_no_past() {
    let level = || (0..10).map(|nth| run(nth, 100.0));
    let disturbed = |nth| on_a_busy_machine(Reason::Green, run(nth, 120.0));
    let mut slower = run(12, 120.0);
    slower.evidence = Some(support::evidence(Reason::MachineSlower));
    let runs: Vec<Run> = level().chain([disturbed(10), disturbed(11), slower]).collect();
    assert_eq!(with_two_alarms_and_five_back(&runs).life.alert(), None);
    let main = timeline(&runs, "main");
    assert_eq!(main.set_aside, BTreeMap::from([(ExclusionReason::TimesOfMachine, 3)]));
    let in_line = on_a_busy_machine(Reason::Green, run(14, 101.0));
    let split = [run(13, 120.0), in_line, run(15, 120.0)];
    let split: Vec<Run> = runs.iter().cloned().chain(split).collect();
    let course = with_two_alarms_and_five_back(&split);
    assert_eq!((course.life.alert(), course.life.waiting_alarms()), (None, 1), "not in a row");
    let red = |nth| on_a_busy_machine(Reason::Red, run(nth, 120.0));
    let runs: Vec<Run> = runs.into_iter().chain([red(13), red(14)]).collect();
    let course = with_two_alarms_and_five_back(&runs);
    assert_eq!(course.life.alert().unwrap().baseline, 100.0);
    let kept = HashMap::from([(runs[10].id.clone(), RuleResult::Quiet)]);
    let life = AlertLife::resolved_after(5);
    let course = AlertReplay::of(&main, &ten_percent(), life, &kept, &[]);
    assert_eq!(course.judged.len(), 10, "not even a stored result counts");
}

#[test]
fn an_alert_ends_on_a_busy_machine_with_the_values_that_are_back_all_the_same() {
    let slower = |rest: &[f64], is_disturbed: fn(f64) -> bool| {
        let rest = (12..).zip(rest).map(|(nth, value)| match is_disturbed(*value) {
            true => on_a_busy_machine(Reason::Green, run(nth, *value)),
            false => run(nth, *value),
        });
        let slow = [run(10, 115.0), run(11, 116.0)];
        let runs: Vec<Run> = (0..10).map(|nth| run(nth, 100.0)).chain(slow).chain(rest).collect();
        with_two_alarms_and_five_back(&runs).life.alert().unwrap().is_live()
    };
    let values = [101.0, 101.0, 101.0, 108.0, 101.0, 101.0];
    assert!(slower(&values, |_| false), "108 is not back");
    assert!(!slower(&values, |value| value == 108.0));
    assert!(!slower(&values, |_| true));
    assert!(slower(&values[..5], |_| true), "four are back");
}

fn with_slow_runs(slow_commits: &[&str]) -> AlertReplay {
    let level = (0..20).map(|nth| run(nth, 100.0 + (nth % 3) as f64));
    let slow = (20..).zip(slow_commits).map(|(nth, commit)| {
        let mut run = run(nth, 150.0);
        run.revision.commit = (*commit).into();
        run
    });
    let runs: Vec<Run> = level.chain(slow).collect();
    let upper = Boundaries { lower: None, upper: Some(0.99) };
    let t_test = Threshold::new(ThresholdTest::TTest, upper).unwrap();
    let rule = Rule::One { criterion: Criterion::Threshold(t_test), minimum_effect: None };
    let life = AlertLife::resolved_after(5).opened_after(2);
    AlertReplay::of(&timeline(&runs, "main"), &rule, life, &HashMap::new(), &[])
}

#[test]
fn alarms_of_one_commit_count_once_however_often_it_is_run() {
    for runs in [2, 20] {
        let one = vec!["slow"; runs];
        let waiting = with_slow_runs(&one).life;
        assert_eq!((waiting.alert(), waiting.waiting_alarms()), (None, 1));
        let course = with_slow_runs(&[&one[..], &["next"]].concat());
        let (_, after, upto) = blamed(&course);
        assert_eq!((after.as_deref(), upto.as_str()), (Some("c19"), "slow"), "{runs} runs");
    }
    let unknown = with_slow_runs(&["", ""]);
    assert!(unknown.life.alert().is_some(), "nobody knows whether these are one commit");
}

#[test]
fn what_is_not_committed_is_judged_and_judges_nothing() {
    let dirty = |nth, value| {
        let mut run = run(nth, value);
        run.revision.dirty = true;
        run.code.text = "uncommitted".into();
        run
    };
    let runs = [run(1, 100.0), run(2, 100.0), dirty(2, 150.0), dirty(2, 150.0), run(3, 150.0)];
    let course = course(&timeline(&runs, "main"), &[]);
    let is_alarm = |finding: &RuleResult| matches!(finding, RuleResult::Alarm { .. });
    let alarms: Vec<usize> =
        course.judged.iter().filter(|it| is_alarm(&it.finding)).map(|it| it.place).collect();
    assert_eq!(alarms, [2, 3, 4], "the dirty ones have not raised the level");
    assert_eq!(blamed(&course), (100.0, Some("c2".into()), "c2+".into()));
    assert_eq!(course.suspects.unwrap().acquittal, None);
}

#[test]
fn the_first_run_is_not_judged_and_a_step_is() {
    let course = course(&on_main(&[100.0, 101.0, 120.0, 121.0]), &[]);
    assert!(matches!(course.judged[0].finding, RuleResult::Unjudged(_)));
    assert_eq!(course.judged[1].finding, RuleResult::Quiet);
    assert_eq!(course.opened_by, Some(2));
    let limits = course.judged[2].limits.unwrap();
    assert_eq!((limits.baseline, limits.upper), (Some(100.5), Some(110.55)));
    assert_eq!(course.life.alert().unwrap().side, LimitSide::Upper);
}

#[test]
fn a_finding_of_an_earlier_day_stands() {
    let main = on_main(&[100.0, 100.0, 120.0]);
    let kept = HashMap::from([(main.own[2].run.clone(), RuleResult::Quiet)]);
    let course = AlertReplay::of(&main, &ten_percent(), AlertLife::resolved_after(1), &kept, &[]);
    assert_eq!(course.life.alert(), None);
    assert_eq!(course.judged.iter().map(|it| it.is_kept).collect::<Vec<_>>(), [false, false, true]);
}

/// Of the alert that the run at `opened` opened on a timeline, given after the run at `seen`.
fn acknowledgement(timeline: &Timeline, opened: usize, seen: usize) -> Acknowledgement {
    let (opened, seen) = (&timeline.own[opened], &timeline.own[seen]);
    Acknowledgement {
        id: "A".into(),
        threshold: "latency".into(),
        benchmark: support::run(0, 1.0, "text").benchmark,
        metric: "wall".into(),
        testbed: "local/7f3a2b".into(),
        branch: "main".into(),
        opened_by: opened.run.clone(),
        opened_at: opened.code.label(),
        given_after: seen.run.clone(),
        value: seen.value,
        reason: "known".into(),
        by: String::new(),
        given_ms: 1,
    }
}

#[test]
fn an_acknowledgement_holds_from_where_it_was_given_until_the_value_is_far_beyond_it() {
    let main = on_main(&[100.0, 100.0, 120.0, 125.0, 128.0]);
    let known = acknowledgement(&main, 2, 3);
    let covered = course(&main, &[&known]);
    assert!(matches!(state(&covered), AlertState::Acknowledged(_)));
    assert_eq!(covered.acknowledged_by.as_deref(), Some("A"));

    let further = on_main(&[100.0, 100.0, 120.0, 125.0, 160.0]);
    let beyond = course(&further, &[&known]);
    assert_eq!((state(&beyond), beyond.opened_by), (AlertState::Open, Some(4)));
    assert_eq!((beyond.life.alert().unwrap().reopened, beyond.acknowledged_by), (1, None));

    let before = on_main(&[100.0, 100.0, 120.0, 200.0, 125.0]);
    let later = acknowledgement(&before, 2, 4);
    assert!(matches!(state(&course(&before, &[&later])), AlertState::Acknowledged(_)));
}

#[test]
fn the_acknowledgements_before_a_further_step_are_those_of_the_same_alert_until_another_opens() {
    let of_step = |main: &Timeline, at: usize| {
        let id = format!("A{at}");
        Acknowledgement { id, ..acknowledgement(main, at, at) }
    };
    let of = |values: &[f64]| {
        let main = on_main(values);
        let [first, second] = [2, 3].map(|at| of_step(&main, at));
        course(&main, &[&first, &second])
    };
    let further = of(&[100.0, 100.0, 120.0, 160.0]);
    assert!(matches!(state(&further), AlertState::Acknowledged(_)));
    assert_eq!(further.acknowledged_by.as_deref(), Some("A3"));
    assert_eq!(further.ever_acknowledged_by, ["A2", "A3"]);
    let another = of(&[100.0, 100.0, 120.0, 160.0, 100.0, 120.0]);
    assert_eq!(state(&another), AlertState::Open);
    assert!(another.ever_acknowledged_by.is_empty(), "{another:?}");
}

#[test]
fn an_acknowledged_alert_of_a_limit_that_the_level_itself_breaks_lasts_until_the_value_is_far_beyond_it()
 {
    let boundaries = |lower, upper| Boundaries { lower, upper };
    let five_percent = Some("5%".parse().unwrap());
    for (boundaries, minimum_effect, level, opened_by, stays, reopens) in [
        (boundaries(None, Some(100.0)), None, 120.0, 120.0, [119.0, 101.0, 130.0], 131.0),
        (boundaries(Some(100.0), None), None, 80.0, 80.0, [81.0, 99.0, 70.0], 69.0),
        (boundaries(None, Some(100.0)), five_percent, 120.0, 110.0, [112.0, 105.0, 113.0], 126.0),
        (boundaries(Some(100.0), None), five_percent, 80.0, 90.0, [88.0, 95.0, 87.0], 75.0),
    ] {
        let criterion =
            Criterion::Threshold(Threshold::new(ThresholdTest::Static, boundaries).unwrap());
        let rule = Rule::One { criterion, minimum_effect };
        let state_after = |value: f64| {
            let main = on_main(&[level, level, opened_by, value]);
            let opened = if minimum_effect.is_some() { 2 } else { 1 };
            let known = acknowledgement(&main, opened, 2);
            let life = AlertLife::resolved_after(1);
            state(&AlertReplay::of(&main, &rule, life, &HashMap::new(), &[&known]))
        };
        for value in stays {
            let state = state_after(value);
            assert!(matches!(state, AlertState::Acknowledged(_)), "{level}, then {value}");
        }
        assert_eq!(state_after(reopens), AlertState::Open, "{level}, then {reopens}");
    }
}

/// The side to which a history of this level and this value after it alarms.
fn alarm_of_step(rule: &Rule, level: f64, value: f64) -> Option<LimitSide> {
    let judged = on_main(&[level, level, value]);
    let course = AlertReplay::of(&judged, rule, AlertLife::resolved_after(1), &HashMap::new(), &[]);
    course.life.alert().map(|alert| alert.side)
}

#[test]
fn a_step_of_exactly_the_minimum_effect_alarms_however_the_effect_is_written() {
    for (level, piece) in [(100.0, 1.0), (1_000.0, 10.0)] {
        for effect in 1..=60_u32 {
            for text in [format!("{effect}%"), format!("0.{effect:02}"), format!("1.{effect:02}")] {
                let criterion = Criterion::Change { newest: 30 };
                let rule = Rule::One { criterion, minimum_effect: Some(text.parse().unwrap()) };
                let alarm = |step| alarm_of_step(&rule, level, level + step);
                let step = f64::from(effect) * piece;
                assert_eq!(alarm(step), Some(LimitSide::Upper), "{text} of {level}");
                assert_eq!(alarm(-step), Some(LimitSide::Lower), "{text} of {level}");
                assert_eq!(alarm(step - 1.0), None, "{text} of {level}");
                assert_eq!(alarm(1.0 - step), None, "{text} of {level}");
            }
        }
    }
}

#[test]
fn an_acknowledgement_ends_with_its_alert() {
    let main = on_main(&[100.0, 100.0, 120.0, 100.0, 120.0]);
    let known = acknowledgement(&main, 2, 2);
    let again = course(&main, &[&known]);
    assert_eq!((state(&again), again.opened_by), (AlertState::Open, Some(4)));
}

#[test]
fn the_commit_tells_an_alert_in_another_clones_history() {
    let main = on_main(&[100.0, 100.0, 120.0]);
    let foreign = |value| Acknowledgement {
        opened_by: RunId::from_recorded("another"),
        given_after: RunId::from_recorded("yet another"),
        value,
        ..acknowledgement(&main, 2, 2)
    };
    assert!(matches!(state(&course(&main, &[&foreign(119.0)])), AlertState::Acknowledged(_)));
    assert_eq!(state(&course(&main, &[&foreign(105.0)])), AlertState::Open, "it is further here");
    let of_another_commit = Acknowledgement { opened_at: "c9".into(), ..foreign(119.0) };
    assert_eq!(state(&course(&main, &[&of_another_commit])), AlertState::Open);
}

#[test]
fn an_acknowledgement_is_of_one_alert_however_many_the_commit_has() {
    let acknowledged = |dirty: bool| {
        let of_one_commit = |nth, value| {
            let mut run = run(nth, value);
            run.revision.commit = "c2".into();
            run.revision.dirty = dirty;
            run
        };
        let again = [of_one_commit(3, 130.0), of_one_commit(4, 100.0), of_one_commit(5, 135.0)];
        let main = timeline(&[&[run(1, 100.0), run(2, 100.0)], &again[..]].concat(), "main");
        let known = acknowledgement(&main, 2, 2);
        let elsewhere = RunId::from_recorded("another");
        let foreign = Acknowledgement { opened_by: elsewhere, ..known.clone() };
        [known, foreign].map(|it| {
            let course = course(&main, &[&it]);
            assert_eq!(course.opened_by, Some(4));
            course.acknowledged_by.is_some()
        })
    };
    assert_eq!(acknowledged(false), [false, true], "another clone has the commit alone");
    assert_eq!(
        acknowledged(true),
        [false, false],
        "what is not committed is another code each time"
    );
}

#[test]
fn eight_times_as_many_runs_are_judged_in_far_less_than_64_times_as_long() {
    let timeline_of = |runs: u64| {
        let own = (0..runs).map(|nth| RunValue {
            run: RunId::from_recorded(nth.to_string()),
            code: RunCode { commit: "c".into(), started_ms: nth, ..RunCode::default() },
            value: 100.0 + (nth * 7919 % 101) as f64,
            recorded: 100.0 + (nth * 7919 % 101) as f64,
            moved_to: None,
        });
        Timeline { own: own.collect(), ..Timeline::default() }
    };
    let both = [1_000, 8_000].map(timeline_of);
    for (test, boundary) in [
        (ThresholdTest::Static, 300.0),
        (ThresholdTest::TTest, 0.999),
        (ThresholdTest::LogNormal, 0.999),
        (ThresholdTest::Iqr, 9.0),
        (ThresholdTest::DeltaIqr, 9.0),
    ] {
        let boundaries = Boundaries { lower: None, upper: Some(boundary) };
        let criterion = Criterion::Threshold(Threshold::new(test, boundaries).unwrap());
        let rule = Rule::One { criterion, minimum_effect: None };
        grows_with_what_there_is(test.name(), 8, &both, |timeline: &Timeline| {
            let life = AlertLife::resolved_after(1);
            let course = AlertReplay::of(timeline, &rule, life, &HashMap::new(), &[]);
            assert_eq!(course.judged.len(), timeline.own.len());
        });
    }
}

/// On the default branch every run has a base of its own, and so has one that is rebased before each run.
#[test]
fn sixteen_times_as_many_bases_become_a_timeline_in_far_less_than_256_times_as_long() {
    let history_of = |branch: &str, runs: u64| {
        // A retry costs no look at its values.
        let own = |nth: u64| {
            let mut own = on_topic(nth, 100.0, &format!("b{nth}"));
            own.revision.branch = branch.into();
            Run { attempt: if nth < runs { 2 } else { 1 }, ..own }
        };
        History { runs: [run(0, 100.0)].into_iter().chain((1..=runs).map(own)).collect() }
    };
    for branch in ["main", "topic"] {
        let both = [1_000, 16_000].map(|runs| history_of(branch, runs));
        grows_with_what_there_is(branch, 16, &both, |history: &History| {
            let timeline = Timeline::of(history, branch, "main");
            assert_eq!(timeline.set_aside[&ExclusionReason::Retry], history.runs.len() - 2);
        });
    }
}
