//! Runs that are appended and loaded.

use super::answers::{append, load, loaded_ids};
use super::{ContractCheck, renamed, renamed_run};
use perftest_core::model::{BenchmarkId, Direction, Metric, Run, RunId, Tag};
use perftest_store::conformance::example_run;
use perftest_store::{Query, Store, Which};
use std::thread;

pub(super) const CHECKS: &[ContractCheck] = &[
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
    runs_of_a_former_name_are_those_of_the_new_one,
    runs_of_both_names_are_in_the_order_of_time,
];

/// A run comes back with everything that the format keeps.
fn a_run_reads_back_as_it_was(store: &dyn Store) {
    let run = example_run(7);
    let mut distrusted = example_run(8);
    distrusted.environment.distrust(Tag::Steal);
    append(store, &run);
    append(store, &distrusted);
    assert_eq!(load(store, &Query::like(&run)), [run, distrusted]);
}

/// Runs come back in the order of appending, even when the clock stepped back.
fn order_is_the_order_of_appending_even_when_the_clock_steps_back(store: &dyn Store) {
    let runs = [5, 9, 1, 7].map(example_run);
    for run in &runs {
        append(store, run);
    }
    assert_eq!(load(store, &Query::like(&runs[0])), runs);
}

/// The limit keeps the newest runs, oldest of them first.
fn the_limit_keeps_the_newest(store: &dyn Store) {
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
fn a_run_appended_twice_is_there_once(store: &dyn Store) {
    for ordinal in [0, 1, 1, 2, 0] {
        append(store, &example_run(ordinal));
    }
    let query = Query::like(&example_run(0));
    assert_eq!(load(store, &query), [1, 2, 0].map(example_run));
    let of_two = Query { limit: 2, ..query };
    assert_eq!(load(store, &of_two), [2, 0].map(example_run));
}

/// The baseline runs are found behind any number of other runs.
fn baseline_runs_are_found_behind_other_ones(store: &dyn Store) {
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
fn the_first_baseline_runs_are_found_before_newer_ones(store: &dyn Store) {
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
fn runs_under_an_acceptance_are_distinguished_from_the_others(store: &dyn Store) {
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
fn only_what_matches_is_loaded(store: &dyn Store) {
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
fn names_of_any_script_are_kept(store: &dyn Store) {
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
fn runs_from_many_threads_are_all_there(store: &dyn Store) {
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
fn a_value_that_is_no_number_is_refused_and_changes_nothing(store: &dyn Store) {
    append(store, &example_run(0));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut run = example_run(1);
        run.measurements[1].value = value;
        let error = store.append(&run).expect_err("a value that is no number is refused");
        assert!(error.to_string().contains("samples"), "{error} names the key");
    }
    assert_eq!(load(store, &Query::like(&example_run(0))), [example_run(0)]);
}

/// A renamed test keeps its runs, up to the limit of the query.
fn runs_of_a_former_name_are_those_of_the_new_one(store: &dyn Store) {
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
fn runs_of_both_names_are_in_the_order_of_time(store: &dyn Store) {
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
