//! Checks for every implementation of [`Store`].
//!
//! They need the feature `conformance`, which a new backend enables in its `[dev-dependencies]`.
//! Its test is one call of [`all`] with a function that opens an empty store:
//!
//! ```
//! use perftest_store::{MemoryStore, conformance};
//! conformance::all(|| Box::new(MemoryStore::new()));
//! ```
//!
//! Each check panics, like any test, with a message about the failed property.

use crate::{
    Annotation, Decisions, Listing, Query, Series, Store, TestbedChange, TestbedDecision, Which,
    WithDamage, testbeds_of,
};
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Direction, Judgement, LimitSide, Limits, Metric,
    Model, RuleResult, Run, RunId, Tag,
};
use std::thread;

pub use crate::example_run::example_run;
pub use crate::format::resealed;
pub use crate::local::{ScratchDirectory, scratch};

/// A check of one property on an empty store.
type ConformanceCheck = fn(&dyn Store);

/// Runs every check, each on a new empty store.
///
/// # Panics
/// When a property does not hold.
pub fn all(open: impl Fn() -> Box<dyn Store>) {
    let checks: [ConformanceCheck; 26] = [
        an_empty_store_is_no_error,
        a_run_reads_back_as_it_was,
        order_is_the_order_of_appending_even_when_the_clock_steps_back,
        the_limit_keeps_the_newest,
        a_run_appended_twice_is_there_once,
        baseline_runs_are_found_behind_other_ones,
        the_first_baseline_runs_are_found_before_newer_ones,
        runs_under_an_acceptance_are_distinguished_from_the_others,
        only_what_matches_is_loaded,
        names_of_any_script_are_kept,
        runs_from_many_threads_are_all_there,
        a_value_that_is_no_number_is_refused_and_changes_nothing,
        acceptances_stand_until_they_are_revoked,
        judgements_are_kept_in_their_order,
        models_are_kept_in_their_order,
        a_context_is_kept_once,
        the_series_of_a_store_are_listed,
        the_metrics_of_a_run_are_found_whatever_ran_after_it,
        the_metrics_of_a_test_are_found_whichever_run_has_them,
        the_testbeds_of_a_test_are_listed,
        runs_of_a_former_name_are_those_of_the_new_one,
        runs_of_both_names_are_in_the_order_of_time,
        a_former_name_is_listed_until_the_new_one_has_run,
        a_former_name_that_runs_again_is_listed_again,
        testbeds_that_share_a_history_are_read_as_one,
        a_retired_testbed_is_read_nowhere_until_it_is_taken_back,
    ];
    for check in checks {
        check(open().as_ref());
    }
}

fn append(store: &dyn Store, run: &Run) {
    store.append(run).unwrap_or_else(|error| panic!("a run is appended: {error}"));
}

fn load(store: &dyn Store, query: &Query) -> Vec<Run> {
    let loaded = store.load(query).unwrap_or_else(|error| panic!("a history is loaded: {error}"));
    assert_eq!(loaded.damaged, [], "nothing was damaged");
    loaded.value.runs
}

fn loaded_ids(store: &dyn Store, query: &Query) -> Vec<RunId> {
    load(store, query).into_iter().map(|run| run.id).collect()
}

fn annotate(store: &dyn Store, annotation: Annotation<'_>) {
    store.annotate(annotation).unwrap_or_else(|error| panic!("{annotation:?} is kept: {error}"));
}

/// Lists the series of this name, or all.
fn listed(store: &dyn Store, benchmark: Option<&BenchmarkId>) -> Vec<Series> {
    let whole = store.list(benchmark).and_then(Listing::whole);
    let WithDamage { value, damaged } =
        whole.unwrap_or_else(|error| panic!("histories are listed: {error}"));
    assert_eq!(damaged, [], "nothing was damaged");
    value
}

fn decisions(store: &dyn Store) -> Decisions {
    let loaded = store.decisions().unwrap_or_else(|error| panic!("decisions: {error}"));
    assert_eq!(loaded.damaged, [], "nothing was damaged");
    loaded.value
}

fn accepted_ids(store: &dyn Store) -> Vec<String> {
    decisions(store).acceptances.into_iter().map(|entry| entry.id).collect()
}

/// An empty store gives an empty answer.
pub fn an_empty_store_is_no_error(store: &dyn Store) {
    assert_eq!(load(store, &Query::like(&example_run(0))), []);
    assert_eq!(accepted_ids(store), [""; 0]);
    assert_eq!(listed(store, None), []);
    assert_eq!(listed(store, Some(&example_run(0).benchmark)), []);
    assert!(store.models().is_ok_and(|models| models.value.is_empty()));
    assert!(store.context("00112233445566ff").is_ok_and(|context| context.is_none()));
}

/// A run comes back with everything that the format keeps.
pub fn a_run_reads_back_as_it_was(store: &dyn Store) {
    let run = example_run(7);
    let mut distrusted = example_run(8);
    distrusted.environment.distrust(Tag::Steal);
    append(store, &run);
    append(store, &distrusted);
    assert_eq!(load(store, &Query::like(&run)), [run, distrusted]);
}

/// Runs come back in the order of appending, even when the clock stepped back.
pub fn order_is_the_order_of_appending_even_when_the_clock_steps_back(store: &dyn Store) {
    let runs = [5, 9, 1, 7].map(example_run);
    for run in &runs {
        append(store, run);
    }
    assert_eq!(load(store, &Query::like(&runs[0])), runs);
}

/// The limit keeps the newest runs, oldest of them first.
pub fn the_limit_keeps_the_newest(store: &dyn Store) {
    let runs: Vec<Run> = (0..300).map(example_run).collect();
    for run in &runs {
        append(store, run);
    }
    for limit in [0, 1, 200, 300, 1000] {
        let loaded = load(store, &Query { limit, ..Query::like(&runs[0]) });
        assert_eq!(loaded, runs[300 - limit.min(300)..], "limit {limit}");
    }
}

/// Identity is `(id, metric)`: a repeated append does not count twice.
pub fn a_run_appended_twice_is_there_once(store: &dyn Store) {
    for ordinal in [0, 1, 1, 2, 0] {
        append(store, &example_run(ordinal));
    }
    let query = Query::like(&example_run(0));
    assert_eq!(load(store, &query), [1, 2, 0].map(example_run));
    let of_two = Query { limit: 2, ..query };
    assert_eq!(load(store, &of_two), [2, 0].map(example_run));
}

/// The baseline runs are found behind any number of other runs.
pub fn baseline_runs_are_found_behind_other_ones(store: &dyn Store) {
    let of = |ordinal, counts_for_baseline| Run { counts_for_baseline, ..example_run(ordinal) };
    let counted: Vec<Run> = (0..5).map(|ordinal| of(ordinal, true)).collect();
    for run in counted.iter().cloned().chain((5..600).map(|ordinal| of(ordinal, false))) {
        append(store, &run);
    }
    let query = Query { which: Which::CountedForBaseline, limit: 100, ..Query::like(&counted[0]) };
    assert_eq!(load(store, &query), counted);
    let newest = Query { limit: 2, ..query };
    assert_eq!(load(store, &newest), counted[3..]);
}

/// The first baseline runs are found before any number of newer runs, oldest first.
pub fn the_first_baseline_runs_are_found_before_newer_ones(store: &dyn Store) {
    let of = |ordinal: u64| Run { counts_for_baseline: ordinal % 3 == 1, ..example_run(ordinal) };
    for ordinal in (0..300).chain([1]) {
        append(store, &of(ordinal));
    }
    let first =
        |limit| Query { which: Which::FirstCountedForBaseline, limit, ..Query::like(&of(0)) };
    assert_eq!(load(store, &first(4)), [1, 4, 7, 10].map(of));
    assert_eq!(load(store, &first(1_000)).len(), 100);
    assert_eq!(load(store, &first(0)), []);
    let elsewhere = Query { config: Some("other".into()), ..first(4) };
    assert_eq!(load(store, &elsewhere), []);
}

/// An acceptance selects the runs that it covered, from both ends.
pub fn runs_under_an_acceptance_are_distinguished_from_the_others(store: &dyn Store) {
    let of = |ordinal: u64| match ordinal {
        10..20 => Run { acceptance: Some("A".into()), ..example_run(ordinal) },
        20..25 => Run { acceptance: Some("AB".into()), ..example_run(ordinal) },
        _ => example_run(ordinal),
    };
    for ordinal in 0..30 {
        append(store, &of(ordinal));
    }
    let covered = |which| {
        let acceptance = Some("A".into());
        load(store, &Query { which, acceptance, limit: 2, ..Query::like(&of(0)) })
    };
    assert_eq!(covered(Which::FirstCountedForBaseline), [10, 11].map(of));
    assert_eq!(covered(Which::CountedForBaseline), [18, 19].map(of));
    assert_eq!(covered(Which::All), [18, 19].map(of));
}

/// Benchmark, testbed, metric with its unit, and configuration each keep histories apart.
pub fn only_what_matches_is_loaded(store: &dyn Store) {
    let run = example_run(0);
    let variants = [
        Run { benchmark: BenchmarkId::from_recorded("codec::frame::decode"), ..example_run(1) },
        Run { testbed: "local/000000".into(), ..example_run(2) },
        Run { metric: Metric { name: "cpu".into(), ..Metric::wall() }, ..example_run(0) },
        Run { config: "other".into(), ..example_run(4) },
        Run { metric: Metric { unit: "us".into(), ..Metric::wall() }, ..example_run(5) },
        Run { metric: Metric { direction: Direction::Higher, ..Metric::wall() }, ..example_run(6) },
    ];
    append(store, &run);
    for variant in &variants {
        append(store, variant);
    }
    for one in variants.iter().chain([&run]) {
        assert_eq!(load(store, &Query::like(one)), std::slice::from_ref(one));
    }
    let any_config = Query { config: None, ..Query::like(&run) };
    assert_eq!(load(store, &any_config), [run, variants[3].clone()]);
}

/// Names may contain any script, quote or path.
pub fn names_of_any_script_are_kept(store: &dyn Store) {
    let names = ["größe::Ωmega", "数::測る", "a\"b\\c\nd", "../../up", "x::X", "x::x", "x:X", "🦀"];
    let runs = names.map(|name| Run {
        benchmark: BenchmarkId::from_recorded(name),
        testbed: format!("{name}/fp"),
        ..example_run(0)
    });
    for run in &runs {
        append(store, run);
    }
    for run in &runs {
        assert_eq!(load(store, &Query::like(run)), std::slice::from_ref(run));
    }
}

/// Appends at the same time lose nothing and keep each thread's order.
pub fn runs_from_many_threads_are_all_there(store: &dyn Store) {
    const THREADS: u64 = 4;
    const RUNS: u64 = 25;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                (0..RUNS).for_each(|run| append(store, &example_run(thread * 1000 + run)));
            });
        }
    });
    let ids = loaded_ids(store, &Query::like(&example_run(0)));
    assert_eq!(ids.len() as u64, THREADS * RUNS);
    for thread in 0..THREADS {
        let own: Vec<RunId> = (0..RUNS).map(|run| example_run(thread * 1000 + run).id).collect();
        let kept: Vec<RunId> = ids.iter().filter(|id| own.contains(id)).cloned().collect();
        assert_eq!(kept, own, "the order of thread {thread}");
    }
}

/// A NaN is refused, because no statistic can use it.
pub fn a_value_that_is_no_number_is_refused_and_changes_nothing(store: &dyn Store) {
    append(store, &example_run(0));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut run = example_run(1);
        run.measurements[1].value = value;
        let error = store.append(&run).expect_err("a value that is no number is refused");
        assert!(error.to_string().contains("samples"), "{error} names the key");
    }
    assert_eq!(load(store, &Query::like(&example_run(0))), [example_run(0)]);
}

/// An acceptance is valid until it is revoked, and an acceptance with the same id replaces it.
pub fn acceptances_stand_until_they_are_revoked(store: &dyn Store) {
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
pub fn judgements_are_kept_in_their_order(store: &dyn Store) {
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

/// The result of the threshold `latency` for an [`example_run`].
pub fn example_judgement(ordinal: u64, finding: RuleResult, limits: Option<Limits>) -> Judgement {
    let run = example_run(ordinal);
    Judgement {
        run: run.id,
        benchmark: run.benchmark,
        testbed: run.testbed,
        metric: run.metric.name,
        threshold: "latency".into(),
        model: "00112233445566ff".into(),
        value: 71.25,
        limits,
        finding,
        judged_ms: 1_767_225_700_000,
    }
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
pub fn models_are_kept_in_their_order(store: &dyn Store) {
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
pub fn testbeds_that_share_a_history_are_read_as_one(store: &dyn Store) {
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
pub fn a_retired_testbed_is_read_nowhere_until_it_is_taken_back(store: &dyn Store) {
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
pub fn a_context_is_kept_once(store: &dyn Store) {
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

/// Every benchmark and testbed is listed, with the metrics of its newest execution.
pub fn the_series_of_a_store_are_listed(store: &dyn Store) {
    let metric = |name: &str| Metric { name: name.into(), ..Metric::wall() };
    append(store, &Run { metric: metric("given up"), ..example_run(1) });
    append(store, &Run { metric: metric("wall"), ..example_run(2) });
    // A further metric was confirmed in a fresh process.
    let flags = vec![Run::CONFIRMING.to_owned()];
    append(store, &Run { metric: metric("cpu"), evidence: None, flags, ..example_run(4) });
    append(store, &Run { metric: metric("cpu"), ..example_run(2) });
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(3) });
    let series = |testbed: &str, name: &str| Series {
        benchmark: example_run(0).benchmark,
        formerly: None,
        testbed: testbed.into(),
        metric: metric(name),
    };
    let local = &example_run(0).testbed;
    let expected = [series("ci/000000", "wall"), series(local, "cpu"), series(local, "wall")];
    assert_eq!(listed(store, None), expected);
    assert_eq!(listed(store, Some(&example_run(0).benchmark)), expected);
    assert_eq!(listed(store, Some(&BenchmarkId::from_recorded("other"))), []);
}

/// The metrics of a run are found, also if a newer run has fewer, and if another process has
/// written between them.
pub fn the_metrics_of_a_run_are_found_whatever_ran_after_it(store: &dyn Store) {
    let metric = |name: &str| Metric { name: name.into(), ..Metric::wall() };
    append(store, &Run { metric: metric("bytes_out"), ..example_run(0) });
    append(store, &example_run(1));
    append(store, &example_run(2));
    append(store, &Run { metric: metric("bytes_out"), ..example_run(1) });
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(1) });
    append(store, &example_run(3));
    let Run { id, benchmark, testbed, .. } = example_run(1);
    let metrics = |benchmark: &BenchmarkId, testbed: &str, id: &RunId| {
        let metrics = store.metrics(benchmark, testbed, Some(id));
        metrics.unwrap_or_else(|error| panic!("they are found: {error}"))
    };
    assert_eq!(metrics(&benchmark, &testbed, &id), [metric("wall"), metric("bytes_out")]);
    assert_eq!(metrics(&benchmark, &testbed, &example_run(3).id), [metric("wall")]);
    assert_eq!(metrics(&benchmark, &testbed, &example_run(9).id), []);
    assert_eq!(metrics(&BenchmarkId::from_recorded("other"), &testbed, &id), []);
}

/// All metrics of a test are found, in every unit and direction.
pub fn the_metrics_of_a_test_are_found_whichever_run_has_them(store: &dyn Store) {
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    let more = Metric { direction: Direction::Higher, ..Metric::wall() };
    for (ordinal, metric) in [&in_us, &Metric::wall(), &more, &Metric::wall()].iter().enumerate() {
        append(store, &Run { metric: (*metric).clone(), ..example_run(ordinal as u64) });
    }
    append(store, &Run { testbed: "ci/000000".into(), metric: in_us.clone(), ..example_run(9) });
    let Run { benchmark, testbed, .. } = example_run(0);
    let metrics = store.metrics(&benchmark, &testbed, None);
    let metrics = metrics.unwrap_or_else(|error| panic!("they are found: {error}"));
    assert_eq!(metrics, [in_us, more, Metric::wall()]);
}

/// Each testbed with a history of the test is listed once, and no other.
pub fn the_testbeds_of_a_test_are_listed(store: &dyn Store) {
    let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    append(store, &Run { testbed: "other/000000".into(), benchmark, ..example_run(0) });
    append(store, &example_run(1));
    append(store, &example_run(2));
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(3) });
    let testbeds = testbeds_of(store, &example_run(0).benchmark);
    let testbeds = testbeds.unwrap_or_else(|error| panic!("they are listed: {error}"));
    assert_eq!(testbeds, ["ci/000000".to_owned(), example_run(0).testbed]);
}

/// A renamed test keeps its runs, up to the limit of the query.
pub fn runs_of_a_former_name_are_those_of_the_new_one(store: &dyn Store) {
    let renamed = renamed();
    [1, 2].into_iter().for_each(|order| append(store, &example_run(order)));
    append(store, &Run { counts_for_baseline: true, ..renamed.clone() });
    let both = Query { formerly: Some(example_run(0).benchmark), ..Query::like(&renamed) };
    let loaded = load(store, &both);
    let ids: Vec<RunId> = [1, 2].map(|order| example_run(order).id).into();
    assert_eq!(loaded.iter().map(|run| run.id.clone()).take(2).collect::<Vec<_>>(), ids);
    assert_eq!(loaded.len(), 3);
    assert!(loaded.iter().all(|run| run.benchmark == renamed.benchmark), "all have the new name");
    let newest = loaded_ids(store, &Query { limit: 1, ..both.clone() });
    let of_one_name = loaded_ids(store, &Query { formerly: None, ..both });
    assert_eq!((newest, of_one_name), (vec![renamed.id.clone()], vec![renamed.id]));
}

/// A test has its new name on one branch, and still the former one on another.
pub fn runs_of_both_names_are_in_the_order_of_time(store: &dyn Store) {
    let run =
        |order: u64| if order.is_multiple_of(2) { example_run(order) } else { renamed_run(order) };
    (1..=6).for_each(|order| append(store, &run(order)));
    let both = Query { formerly: Some(example_run(0).benchmark), ..Query::like(&renamed()) };
    let orders = |which, limit| loaded_ids(store, &Query { which, limit, ..both.clone() });
    let ids = |orders: &[u64]| orders.iter().map(|order| run(*order).id).collect::<Vec<_>>();
    assert_eq!(orders(Which::All, 200), ids(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(orders(Which::All, 3), ids(&[4, 5, 6]));
    assert_eq!(orders(Which::FirstCountedForBaseline, 3), ids(&[1, 2, 3]));
}

/// Two names of one test are listed as one.
pub fn a_former_name_is_listed_until_the_new_one_has_run(store: &dyn Store) {
    let old = example_run(1).benchmark;
    append(store, &example_run(1));
    assert_eq!(listed_names(store), [(old.clone(), None)]);
    append(store, &renamed());
    assert_eq!(listed_names(store), [(renamed().benchmark, Some(old.clone()))]);
    let asked_for: Vec<_> = listed(store, Some(&old)).into_iter().map(|it| it.benchmark).collect();
    assert_eq!(asked_for, [old], "who asks for it by its name gets it");
}

/// A former name that runs again is listed, whether or not the test still declares it.
pub fn a_former_name_that_runs_again_is_listed_again(store: &dyn Store) {
    let (old, new) = (example_run(1).benchmark, renamed().benchmark);
    append(store, &example_run(1));
    append(store, &renamed());
    append(store, &example_run(5));
    assert_eq!(listed_names(store), [(old.clone(), None), (new.clone(), Some(old.clone()))]);
    append(store, &Run { formerly: Some(new.clone()), ..example_run(6) });
    assert_eq!(listed_names(store), [(old, Some(new))]);
}

fn listed_names(store: &dyn Store) -> Vec<(BenchmarkId, Option<BenchmarkId>)> {
    listed(store, None).into_iter().map(|it| (it.benchmark, it.formerly)).collect()
}

/// A run of the example under a new name.
fn renamed() -> Run {
    renamed_run(3)
}

fn renamed_run(order: u64) -> Run {
    let old = example_run(order);
    let benchmark = BenchmarkId::from_recorded("codec::frame::renamed");
    Run { formerly: Some(old.benchmark), benchmark, flags: Vec::new(), ..old }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonlStore, MemoryStore, Project};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_store_in_memory_conforms() {
        all(|| Box::new(MemoryStore::new()));
    }

    #[test]
    fn the_store_in_files_conforms() {
        let root = crate::local::scratch("conformance");
        let opened = AtomicU32::new(0);
        let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
        all(|| {
            let nth = opened.fetch_add(1, Ordering::Relaxed).to_string();
            Box::new(JsonlStore::open(&root.join(nth), &project))
        });
    }
}
