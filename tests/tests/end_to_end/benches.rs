//! Bench targets: measured when a runner asks for benchmarks, else run once.

use crate::PROJECTS;
use perftest_tests::{Invocation, Outcome, TempStore, patiently};

fn cargo(store: &TempStore) -> impl Fn(&[&str]) -> Invocation + use<> {
    let store = store.path().to_owned();
    move |arguments| PROJECTS.cargo("judged").env("PERFTEST_STORE", &store).args(arguments)
}

#[test]
fn cargo_bench_measures_and_cargo_test_runs_once() {
    let store = TempStore::new();
    let cargo = cargo(&store);
    cargo(&["test", "--release", "--bench", "speed"])
        .run()
        .ended_with(0)
        .prints(&["without --bench"]);
    assert_eq!(store.histories().len(), 0);
    let first = || {
        store.clear();
        let first = cargo(&["bench", "--bench", "speed"]).run().ended_with(0);
        assert_eq!(store.records("sum").len(), 1, "{first}");
        assert_eq!(store.newest("sum")["benchmark"], "judged::bench::speed::sum");
        first
    };
    let is_counted = |first: &Outcome| first.has(&["recorded 1 of 5"]);
    patiently(first, is_counted).prints(&["recorded 1 of 5"]);
    let listed = cargo(&["bench", "--bench", "speed", "--", "--list"]).run().ended_with(0);
    listed.prints(&["sum: benchmark", "0 tests, 1 benchmark"]);
}

#[test]
fn a_bench_target_does_not_end_in_the_main_of_a_test_target() {
    let store = TempStore::new();
    let bench = cargo(&store)(&["bench", "--bench", "unmarked"]).run().ended_with(101);
    bench.warns(&[
        "benches/unmarked.rs is in a directory of bench targets",
        "perftest::bench_main!()",
    ]);
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn nextest_bench_measures() {
    let store = TempStore::new();
    let bench = cargo(&store)(&["nextest", "bench", "--bench", "speed"]);
    let benched = bench.env("NEXTEST_EXPERIMENTAL_BENCHMARKS", "1").run().ended_with(0);
    benched.warns(&["judged::bench/speed sum", "1 passed"]);
    assert_eq!(store.records("sum").len(), 1);
}

/// The fragment that the page offers, under the real runner.
#[test]
fn the_nextest_configuration_of_the_docs_puts_perf_tests_into_their_group() {
    let page = include_str!("../../../docs/guide/4-ci.md");
    let fragment = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let store = TempStore::new();
    let file = store.path().join("nextest.toml");
    std::fs::create_dir_all(store.path()).expect("a directory");
    std::fs::write(&file, fragment.expect("a fragment")).expect("a configuration");
    let file = file.to_string_lossy().into_owned();
    let nextest = |arguments: &[&str]| {
        let common = ["--release", "--test", "perf", "--config-file", &file];
        cargo(&store)(&[&["nextest"], arguments, &common].concat())
    };
    let groups = nextest(&["show-config", "test-groups"]).run().ended_with(0);
    groups.prints(&["group: perf", "max threads = 1", "db::scan"]);
    let run = nextest(&["run"]).smoke().run().ended_with(0);
    run.warns(&["6 tests run: 6 passed"]);
}
