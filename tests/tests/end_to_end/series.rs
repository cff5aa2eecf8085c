//! Several series of one test: stages, metrics, and numbers of the author's own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::acceptance::repository;
#[cfg(target_os = "linux")]
use crate::other_speed::{FASTER, pretend_speed};
use crate::{NEEDED, PROJECTS, learn_until, red_and};
use perftest_tests::{Invocation, Outcome, TempStore, patiently, until_it_prints};
use serde_json::{Value, json};
use std::fs;

fn series() -> Invocation {
    PROJECTS.binary("series", "perf")
}

fn slow_series() -> Invocation {
    PROJECTS.slowed("series", "perf")
}

fn plain() -> Invocation {
    PROJECTS.binary("series", "plain")
}

/// Runs of a series that count for the baseline.
pub(crate) fn recorded_runs(store: &TempStore, benchmark: &str, metric: &str) -> usize {
    let records = runs(store, benchmark, metric);
    records.iter().filter(|record| record["counts_for_baseline"] == true).count()
}

/// Judged runs of a series, oldest first.
pub(crate) fn runs(store: &TempStore, benchmark: &str, metric: &str) -> Vec<Value> {
    let mut records = store.records_of_all_series(&benchmark.replace('/', "-"));
    records.retain(|record| {
        let name = record["benchmark"].as_str().unwrap();
        name.ends_with(&format!("::{benchmark}"))
            && record["metric"] == metric
            && !record["verdict"].is_null()
    });
    records
}

/// Empties the store and runs a test as often as a verdict on this series of it needs.
fn learn(test: &str, series_of_test: (&str, &str), store: &TempStore) {
    let (benchmark, metric) = series_of_test;
    let run = || series().args(&[test, "--exact"]).store(store);
    learn_until(run, store, || recorded_runs(store, benchmark, metric) >= NEEDED);
}

/// The test with slower code, after it has learned again.
fn slowed(test: &str, series_of_test: (&str, &str), store: &TempStore) -> Invocation {
    learn(test, series_of_test, store);
    slow_series().args(&[test, "--exact"]).store(store)
}

/// The verdict of the newest run of a series.
fn newest_verdict(store: &TempStore, benchmark: &str, metric: &str) -> Value {
    runs(store, benchmark, metric).last().unwrap()["verdict"].clone()
}

/// The line of another series of the test, or of the only one that decides.
pub(crate) fn has_line(outcome: &Outcome, start: &str, words: &str) -> bool {
    outcome.stdout.lines().any(|line| line.trim_start().starts_with(start) && line.contains(words))
}

/// The first run of a test is the first of the series whose line starts so.
#[track_caller]
fn assert_counted(binary: impl Fn() -> Invocation, start: &str, store: &TempStore) {
    let first = || {
        store.clear();
        binary().store(store).run().ended_with(0)
    };
    let is_counted = |outcome: &Outcome| has_line(outcome, start, "recorded 1 of 5");
    let outcome = patiently(first, is_counted);
    assert!(is_counted(&outcome), "{outcome}");
}

#[test]
fn a_stage_that_becomes_slower_is_red_by_its_name_while_the_whole_is_within_its_tolerance() {
    let store = TempStore::new();
    let slow = || slowed("compiles", ("compiles/lex", "wall"), &store);
    let is_such = |outcome: &Outcome| {
        outcome.line_of("compiles").starts_with("FAILED  lex: ")
            && has_line(outcome, "the whole ", "measurements")
    };
    let outcome = red_and(slow, &store, is_such).ended_with(3);
    assert!(is_such(&outcome), "{outcome}");
    outcome.prints(&[
        "lex: slower than ",
        "cargo perftest accept series::perf::compiles/lex --max-ratio",
    ]);
    let whole = runs(&store, "compiles", "wall").pop().unwrap();
    assert_ne!(whole["verdict"], "red", "{whole}");
    let also: Vec<&str> =
        whole["explanatory"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(["/lex", "/link", "/parse", "cpu"].iter().all(|it| also.contains(it)), "{also:?}");
}

/// A build that lacks a series, which has judged before: its outcome, and its outcome once that is
/// accepted for this benchmark.
fn lost(test: &str, series_of_test: (&str, &str), accepted: &str) -> (Outcome, Outcome) {
    let (store, root) = (TempStore::new(), repository("series"));
    let package = root.path().join("series");
    let in_repository = || {
        let run = series().args(&[test, "--exact"]).store(&store);
        run.env("CARGO_MANIFEST_DIR", &package)
    };
    let (benchmark, metric) = series_of_test;
    let acceptances = root.path().join("perf-accept.jsonl");
    let entry = format!(
        r#"{{"v":1,"kind":"accept","id":"A","benchmark":"{accepted}","max_ratio":1.01,"reason":"no more of it","given_ms":1}}"#
    );
    let lacking = || in_repository().env("SKIP", "1").run();
    let lose = || {
        let _ = fs::remove_file(&acceptances);
        let has_learned = || recorded_runs(&store, benchmark, metric) >= NEEDED;
        learn_until(in_repository, &store, has_learned);
        let failed = lacking();
        let before = runs(&store, benchmark, metric).len();
        fs::write(&acceptances, format!("{entry}\n")).unwrap();
        let passed = lacking();
        assert_eq!(runs(&store, benchmark, metric).len(), before);
        (failed, passed)
    };
    // A whole with fewer baseline runs than its series is compared with fewer runs.
    let prints = |outcome: &Outcome| outcome.stdout.contains("and that is accepted");
    patiently(lose, |(failed, passed)| failed.code != Some(0) && prints(passed))
}

#[test]
fn a_stage_that_is_no_longer_reached_fails_until_that_is_accepted() {
    let link = "series::perf::compiles/link";
    let (failed, passed) = lost("compiles", ("compiles/link", "wall"), link);
    failed.ended_with(101).prints(&[
        "the stage `link` had a verdict in the baseline runs, but this run never reached it",
        "cargo perftest accept series::perf::compiles/link --max-ratio",
    ]);
    let line = "no verdict: never reached, and that is accepted: no more of it";
    assert!(has_line(&passed, "link ", line), "{passed}");
}

#[test]
fn a_number_of_the_authors_own_that_is_no_longer_given_fails_until_that_is_accepted() {
    let (failed, passed) = lost("packs", ("packs", "bytes_out"), "series::perf::packs");
    failed.ended_with(101).prints(&[
        "the metric `bytes_out` had a verdict in the baseline runs, but this run did not give it",
        "cargo perftest accept series::perf::packs --max-ratio",
    ]);
    let line = "no verdict: not given, and that is accepted: no more of it";
    assert!(has_line(&passed, "bytes_out ", line), "{passed}");
    assert!(!has_line(&passed, "hits ", ""), "without a tolerance it may come and go: {passed}");
}

#[test]
fn a_number_of_the_authors_own_that_fresh_processes_do_not_give_fails() {
    let store = TempStore::new();
    let test = "packs_at_first";
    let more = || slowed(test, (test, "bytes_out"), &store).env("SLOW", "10").run();
    let outcome = patiently(more, |outcome| outcome.code != Some(0)).ended_with(101);
    outcome.prints(&["a fresh process did not give the metric `bytes_out`"]);
}

#[test]
fn a_stage_that_the_clock_hardly_sees_fails_the_test() {
    let store = TempStore::new();
    let outcome = series().args(&["blinks", "--exact"]).store(&store).run().ended_with(101);
    outcome.prints(&[
        "the stage `blink` cannot be judged: ",
        "less than 100 steps of the clock",
        "make it one stage with the one beside it",
    ]);
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn the_work_of_a_stage_is_done_also_where_the_body_drops_its_output() {
    let store = TempStore::new();
    series().args(&["drops_what_its_stages_return"]).store(&store).run().ended_with(0);
}

#[test]
fn a_stage_that_is_reached_now_and_then_fails_the_test() {
    let store = TempStore::new();
    let outcome = series().args(&["now_and_then"]).store(&store).run().ended_with(101);
    outcome.prints(&["the stage `rare` was reached in ", "Reach it in every iteration"]);
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn more_allocations_are_red_while_the_time_is_the_same() {
    let store = TempStore::new();
    let slow = || slowed("allocates", ("allocates", "allocs"), &store);
    let parts = ["allocs: worse than the last good build: 20.00x"];
    let outcome = red_and(slow, &store, |it| it.has(&parts)).ended_with(3).prints(&parts);
    assert!(outcome.line_of("allocates").starts_with("FAILED  allocs: 200.0 allocs"), "{outcome}");
    assert!(has_line(&outcome, "alloc_peak ", "8.000 bytes "), "{outcome}");
    let counted = runs(&store, "allocates", "allocs");
    assert_eq!(counted[0]["samples"], serde_json::json!([10]));
    assert_eq!(newest_verdict(&store, "allocates", "allocs"), "red");
    assert_ne!(newest_verdict(&store, "allocates", "wall"), "red");
}

#[test]
#[cfg(target_os = "linux")]
fn a_count_that_is_what_it_always_was_is_green_where_no_time_can_be_judged() {
    let store = TempStore::new();
    let run = || {
        learn("allocates", ("allocates", "allocs"), &store);
        store.rewrite("allocates", |record| pretend_speed(record, FASTER));
        series().args(&["allocates", "--exact"]).store(&store).run().ended_with(0)
    };
    let untrusted = |_: &Outcome| newest_verdict(&store, "allocates", "wall") == "untrusted";
    let outcome = patiently(run, untrusted);
    assert!(untrusted(&outcome), "{outcome}");
    let newest = runs(&store, "allocates", "allocs").pop().unwrap();
    assert_eq!(newest["verdict"], "green", "{outcome}");
    assert!(has_line(&outcome, "allocs ", "10.00 allocs"), "{outcome}");
}

#[test]
fn a_metric_is_judged_by_the_tolerance_it_has_of_its_own() {
    let store = TempStore::new();
    // 102 allocations in the place of 100.
    let more = || slowed("keeps_count", ("keeps_count", "allocs"), &store).env("SLOW", "2").run();
    let parts = ["allocs: worse than the last good build: 1.02x", "tolerance 1%"];
    let outcome = until_it_prints(&parts, more).ended_with(3);
    assert!(
        outcome.line_of("keeps_count").starts_with("FAILED  allocs: 102.0 allocs"),
        "{outcome}"
    );
    assert_ne!(newest_verdict(&store, "keeps_count", "wall"), "red");
}

#[test]
fn a_number_of_the_authors_own_is_judged_by_its_tolerance() {
    let store = TempStore::new();
    // 4% more bytes at the same speed.
    let bigger = || slowed("packs", ("packs", "bytes_out"), &store).env("SLOW", "2").run();
    let parts = ["bytes_out: worse than the last good build: 1.04x", "tolerance 1%"];
    let outcome = until_it_prints(&parts, bigger).ended_with(3);
    assert!(outcome.line_of("packs").starts_with("FAILED  bytes_out: 1040 bytes"), "{outcome}");
    assert_eq!(runs(&store, "packs", "hits").len(), 0, "without a tolerance it only explains");
}

#[test]
fn what_cannot_be_judged_fails_with_the_way_out() {
    let names = ["counts_nothing", "names_a_stage_badly", "gives_a_metric_first", "has_no_process"];
    let store = TempStore::new();
    plain().args(&names).store(&store).run().ended_with(101).prints(&[
        "`allocs` cannot be judged because this test binary counts no allocations",
        "#[global_allocator] static ALLOCATOR: perftest::CountingAllocator",
        "\"lex/parse\" is no name of a stage",
        "the metric `size` was given before anything was measured",
        "`peak_rss` cannot be judged because only a whole process has it",
        "0 passed; 4 failed",
    ]);
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn a_call_as_long_as_the_budget_is_made_again_only_for_allocations_that_judge() {
    for (test, expected) in [("takes_long", 1), ("takes_long_and_counts", 2)] {
        let store = TempStore::new();
        let calls = store.path().join("calls");
        let run = series().args(&[test, "--exact"]).env("CALLS", &calls).store(&store);
        let outcome = run.run().ended_with(0);
        let called = fs::read_to_string(&calls).unwrap().lines().count();
        assert_eq!(called, expected, "{test}: {outcome}");
    }
}

#[test]
fn allocations_of_what_the_author_times_are_not_judged() {
    let store = TempStore::new();
    let outcome = series().args(&["times_itself", "--exact"]).store(&store).run().ended_with(101);
    outcome.prints(&[
        "`allocs` cannot be judged because allocations cannot be counted in a separate process",
    ]);
}

#[test]
#[cfg(unix)]
fn a_whole_process_is_judged_by_its_memory_as_well() {
    let store = TempStore::new();
    assert_counted(|| plain().args(&["starts_a_process"]), "peak_rss ", &store);
    assert_eq!(runs(&store, "starts_a_process", "peak_rss").len(), 1);
    let whole = runs(&store, "starts_a_process", "wall").pop().unwrap();
    let also: Vec<&str> =
        whole["explanatory"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(["user", "system", "peak_rss"].iter().all(|it| also.contains(it)), "{also:?}");
    let peak = runs(&store, "starts_a_process", "peak_rss").pop().unwrap();
    let bytes = peak["samples"][0].as_f64().unwrap();
    assert!((30e6..40e6).contains(&bytes), "{peak}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_process_smaller_than_its_test_is_not_judged_and_that_is_reported() {
    let store = TempStore::new();
    let run = || plain().args(&["has_more_than_its_process"]).store(&store).run();
    let outcome = run().ended_with(0);
    let words = "no verdict: smaller than the test process itself (1";
    assert!(has_line(&outcome, "peak_rss ", words), "{outcome}");
    assert_eq!(runs(&store, "has_more_than_its_process", "peak_rss").len(), 0);
}

#[test]
#[cfg(unix)]
fn a_process_that_used_no_time_of_a_kind_is_not_too_fast_for_the_clock() {
    let store = TempStore::new();
    let run = || {
        let outcome = plain().args(&["starts_next_to_nothing"]).store(&store).run().ended_with(0);
        assert!(!outcome.has(&["faster than the clock can tell"]), "{outcome}");
        outcome
    };
    let is_taken = |outcome: &Outcome| {
        has_line(outcome, "user ", "measurement") || has_line(outcome, "user ", "recorded")
    };
    let outcome = patiently(run, is_taken);
    assert!(is_taken(&outcome), "{outcome}");
}

#[test]
fn a_slash_in_the_name_of_a_case_is_no_stage() {
    let store = TempStore::new();
    let case = "has_cases::data_small";
    assert_counted(|| series().args(&[case, "--exact"]), "lex ", &store);
    let names = store.histories().iter().filter(|it| it.to_string_lossy().contains("lex")).count();
    assert_eq!(names, 1, "{:?}", store.histories());
}

#[test]
fn processor_time_has_a_history_beside_wall_time() {
    let store = TempStore::new();
    assert_counted(|| plain().args(&["judges_processor_time"]), "cpu ", &store);
    assert_eq!(runs(&store, "judges_processor_time", "cpu").len(), 1);
    assert_eq!(runs(&store, "judges_processor_time", "wall").len(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn what_other_tests_of_the_process_use_never_counts_for_the_baseline() {
    let store = TempStore::new();
    let usual = || PROJECTS.binary("series", "usual").store(&store);
    let runs_of = |metric| runs(&store, "counts_beside_others", metric);
    let beside = || {
        store.clear();
        usual().args(&["--test-threads=2"]).run().ended_with(0);
        let all = ["allocs", "alloc_bytes", "alloc_peak", "cpu"].map(|it| runs_of(it).remove(0));
        assert!(all.iter().all(|run| run["counts_for_baseline"] == false), "{all:?}");
        all
    };
    // Of a run that was disturbed nearly throughout that is the reason.
    let is_why = |all: &[Value; 4]| {
        all.iter().all(|run| run["notes"] == json!([["not_counted", "neighbours"]]))
    };
    let all = patiently(beside, is_why);
    assert!(is_why(&all), "{all:?}");
    let alone = || {
        store.clear();
        usual().args(&["--exact", "counts_beside_others"]).run().ended_with(0)
    };
    let counts = |_: &Outcome| runs_of("allocs")[0]["counts_for_baseline"] == true;
    let outcome = patiently(alone, counts);
    assert!(counts(&outcome), "{outcome}");
    assert_eq!(runs_of("allocs")[0]["samples"], json!([10]));
}
