//! What is stored beside the runs: acceptances, judgements, rules, testbeds and contexts.

use super::ContractCheck;
use super::answers::{accepted_ids, annotate, append, decisions, listed, load};
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Correction, Judgement, LimitSide, Limits, Model,
    RuleResult, Run,
};
use perftest_store::conformance::{example_judgement, example_run};
use perftest_store::{Annotation, Query, Store, TestbedChange, TestbedDecision};

pub(super) const CHECKS: &[ContractCheck] = &[
    acceptances_stand_until_they_are_revoked,
    judgements_are_kept_in_their_order,
    a_corrected_run_outdates_its_judgements_and_those_of_later_runs,
    models_are_kept_in_their_order,
    a_context_is_kept_once,
    testbeds_that_share_a_history_are_read_as_one,
    a_retired_testbed_is_read_nowhere_until_it_is_taken_back,
];

/// An acceptance is valid until it is revoked, and an acceptance with the same id replaces it.
fn acceptances_stand_until_they_are_revoked(store: &dyn Store) {
    let acceptance = |id: &str, until_ms| Acceptance {
        id: id.into(),
        benchmark: BenchmarkPattern::new("codec::*"),
        testbed: String::new(),
        max_ratio: 1.27,
        reason: "checksums are \"on\" now".into(),
        given_ms: 1_767_225_600_000,
        until_ms,
    };
    let (first, second) = (acceptance("A", None), acceptance("B", Some(1)));
    for entry in [&first, &second, &first] {
        annotate(store, Annotation::Acceptance(entry));
    }
    let standing = decisions(store).acceptances;
    assert_eq!(standing, [second, first], "the expired one is among them");
    for id in ["B", "never given"] {
        annotate(store, Annotation::Revocation { of: id, at_ms: 2 });
    }
    assert_eq!(accepted_ids(store), ["A"]);
}

/// The results of rules for one test on one testbed come back unchanged, without those of others.
fn judgements_are_kept_in_their_order(store: &dyn Store) {
    let alarm = RuleResult::Alarm {
        side: LimitSide::Upper,
        value: 71.25,
        baseline: 57.0,
        by: vec!["t_test upper=0.99".into(), "change \"max\"=30".into()],
    };
    let limits = Some(Limits { baseline: Some(57.0), lower: None, upper: Some(60.5) });
    let alarmed = example_judgement(1, alarm, limits);
    let quiet = example_judgement(2, RuleResult::Quiet, None);
    let unjudged = example_judgement(3, RuleResult::Unjudged("too few values before".into()), None);
    let elsewhere = Judgement { testbed: "ci/000000".into(), ..quiet.clone() };
    let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    let other = Judgement { benchmark, ..quiet.clone() };
    keep(store, &[alarmed.clone(), elsewhere.clone(), other, quiet.clone()]);
    keep(store, &[]);
    keep(store, std::slice::from_ref(&unjudged));
    assert_eq!(judgements(store, &quiet), [alarmed, quiet.clone(), unjudged]);
    assert_eq!(judgements(store, &elsewhere), [elsewhere]);
    assert_eq!(judgements(store, &Judgement { testbed: "none".into(), ..quiet.clone() }), []);
    let odd = Judgement { value: f64::NAN, ..quiet.clone() };
    let refused = [quiet.clone(), odd];
    assert!(store.annotate(Annotation::Judgements(&refused)).is_err(), "not a number");
    assert_eq!(judgements(store, &quiet).len(), 3, "nothing of what was refused is kept");
}

/// A judgement does not stand once its run was corrected, or one before it. What is judged afterwards stands.
fn a_corrected_run_outdates_its_judgements_and_those_of_later_runs(store: &dyn Store) {
    let judged = [1, 2, 3].map(|ordinal| example_judgement(ordinal, RuleResult::Quiet, None));
    let other = Judgement { metric: "cpu".into(), ..judged[1].clone() };
    keep(store, &judged);
    keep(store, std::slice::from_ref(&other));
    let corrected_ms = judged[0].judged_ms + 1;
    let Judgement { run, benchmark, testbed, metric, .. } = judged[1].clone();
    let correction = Correction { run, benchmark, testbed, metric, corrected_ms };
    annotate(store, Annotation::Correction(&correction));
    assert_eq!(judgements(store, &other), [judged[0].clone(), other.clone()]);
    let again = Judgement { judged_ms: corrected_ms + 1, value: 90.0, ..judged[1].clone() };
    keep(store, std::slice::from_ref(&again));
    assert_eq!(judgements(store, &other), [judged[0].clone(), other, again]);
}

fn keep(store: &dyn Store, judgements: &[Judgement]) {
    annotate(store, Annotation::Judgements(judgements));
}

fn judgements(store: &dyn Store, like: &Judgement) -> Vec<Judgement> {
    let loaded = store.judgements(&like.benchmark, &like.testbed);
    let loaded = loaded.unwrap_or_else(|error| panic!("they are loaded: {error}"));
    assert_eq!(loaded.damaged, [], "nothing was damaged");
    loaded.value
}

/// Every version of a rule comes back in the order of writing.
fn models_are_kept_in_their_order(store: &dyn Store) {
    let model = |version: &str| Model {
        threshold: "latency".into(),
        version: version.into(),
        rule: "all(t_test upper=0.99; change \"max\"=30)".into(),
        since_ms: 7,
    };
    let both = ["00112233445566ff", "ff66554433221100"].map(model);
    for model in &both {
        annotate(store, Annotation::Model(model));
    }
    let loaded = store.models().unwrap_or_else(|error| panic!("they are loaded: {error}"));
    assert_eq!(loaded.value, both);
}

/// A decision about a testbed of the example.
fn decide(store: &dyn Store, id: &str, testbed: &str, change: TestbedChange) {
    let (id, testbed) = (id.to_owned(), testbed.to_owned());
    let given_ms = example_run(5).started_ms;
    let decision = TestbedDecision { id, testbed, change, given_ms };
    annotate(store, Annotation::Testbed(&decision));
}

/// Runs of testbeds that share a history come in one, under its name.
fn testbeds_that_share_a_history_are_read_as_one(store: &dyn Store) {
    let on = |testbed: &str, ordinal| Run { testbed: testbed.into(), ..example_run(ordinal) };
    for (testbed, ordinal) in [("ci/a", 0), ("ci/b", 1), ("ci/a", 2), ("ci/b@3GHz", 3)] {
        append(store, &on(testbed, ordinal));
    }
    assert_eq!(load(store, &Query::like(&on("ci/a", 0))), [on("ci/a", 0), on("ci/a", 2)]);
    decide(store, "01KDVDNR000000000000000001", "ci/b", TestbedChange::ReadAs("ci/a".into()));
    let all = [0, 1, 2].map(|ordinal| on("ci/a", ordinal));
    assert_eq!(load(store, &Query::like(&on("ci/a", 0))), all);
    assert_eq!(load(store, &Query::like(&on("ci/b", 0))), all);
    assert_eq!(load(store, &Query::like(&on("ci/a@3GHz", 0))), [on("ci/a@3GHz", 3)]);
    let testbeds: Vec<String> = listed(store, None).into_iter().map(|it| it.testbed).collect();
    assert_eq!(testbeds, ["ci/a", "ci/a@3GHz"]);
    assert_eq!(decisions(store).testbeds.name_of("ci/b"), "ci/a");
}

/// Runs of a retired testbed up to that time are neither loaded nor listed.
fn a_retired_testbed_is_read_nowhere_until_it_is_taken_back(store: &dyn Store) {
    for ordinal in 0..6 {
        append(store, &example_run(ordinal));
    }
    let of = "01KDVDNR000000000000000001";
    decide(store, of, &example_run(0).testbed, TestbedChange::Retired);
    let query = Query::like(&example_run(0));
    assert_eq!((load(store, &query), listed(store, None)), (Vec::new(), Vec::new()));
    append(store, &example_run(6));
    assert_eq!(load(store, &query), [example_run(6)]);
    assert_eq!(listed(store, None).len(), 1);
    annotate(store, Annotation::Revocation { of, at_ms: 1 });
    assert_eq!(load(store, &query).len(), 7);
}

/// A context is stored under its hash: the first one stays.
fn a_context_is_kept_once(store: &dyn Store) {
    let hash = "00112233445566ff";
    for json in ["{\"rustc\":\"1.89.0\"}", "{}"] {
        annotate(store, Annotation::Context { hash, json });
    }
    let kept = store.context(hash).unwrap_or_else(|error| panic!("it is read: {error}"));
    assert_eq!(kept.as_deref(), Some("{\"rustc\":\"1.89.0\"}"));
    let name = Annotation::Context { hash: "../../etc/passwd", json: "{}" };
    assert!(store.annotate(name).is_err(), "a name is no hash");
    assert!(store.context("").is_err(), "nothing is no hash");
}
