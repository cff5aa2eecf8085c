//! The performance tests of perftest itself.
//!
//! `cargo test --release -p perftest-performance`. Those of the tool are ignored there: `ci/campaigns/performance.sh`
//! makes their stores.

use perftest::{Bencher, perf_test};
use perftest_analysis::detect::{change_points, settled_change_points};
use perftest_core::model::Evidence;
use perftest_performance::{
    baseline, copy_of_history, decide, flat_history, history, thousand_tests, tool_in_store,
};
use perftest_store::conformance::example_run;
use perftest_store::{Store, StoreError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static THOUSAND_TESTS: LazyLock<PathBuf> = LazyLock::new(thousand_tests);

/// Stores are kept here from process to process.
fn kept() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The newest 200 runs, whatever is before them.
#[perf_test]
fn load_history(b: &mut Bencher) {
    let (store, query) = history(kept(), 1_000);
    b.iter(|| store.load(&query));
}

#[perf_test(args = [10_000, 100_000])]
#[ignore = "making the stores takes half a minute"]
fn load_long_history(b: &mut Bencher, runs: u64) {
    let (store, query) = history(kept(), runs);
    b.iter(|| store.load(&query));
}

/// Most of it is the disk's, which is not steady.
#[perf_test(args = [100, 1_000], tolerance = "50%")]
fn append_run(b: &mut Bencher, runs: u64) -> Result<(), StoreError> {
    let (store, _directory) = copy_of_history(kept(), runs);
    let mut ordinal = runs;
    store.append(&example_run(ordinal))?;
    b.iter(|| {
        ordinal += 1;
        store.append(&example_run(ordinal))
    });
    Ok(())
}

/// A green from three measurements, beside a baseline of thirty runs.
#[perf_test]
fn decision(b: &mut Bencher) {
    let baseline = baseline();
    b.iter(|| -> Evidence { decide(baseline.clone()) });
}

#[perf_test(args = [1_000, 10_000])]
fn search_changes(b: &mut Bencher, values: u64) {
    let history = flat_history(values);
    b.iter(|| change_points(&history));
}

#[perf_test(args = [1_000, 10_000])]
fn search_settled_changes(b: &mut Bencher, values: u64) {
    let history = flat_history(values);
    b.iter(|| settled_change_points(&history));
}

/// From the start of a process with a thousand perf tests to the end of its list.
#[perf_test(tolerance = "20%")]
fn list_thousand_tests(b: &mut Bencher) {
    b.command(|| {
        let mut command = Command::new(&*THOUSAND_TESTS);
        command.arg("--list").env("PERFTEST_STORE", "off");
        command
    });
}

/// From the start of the same process to the end of one of its tests, which runs once.
#[perf_test(tolerance = "20%")]
fn run_one_of_thousand_tests_once(b: &mut Bencher) {
    b.command(|| {
        let mut command = Command::new(&*THOUSAND_TESTS);
        command.args(["--exact", "a9::b9::c9"]);
        command.env("PERFTEST_STORE", "off").env("PERFTEST_MODE", "smoke");
        command
    });
}

/// Commands beside stores of so many tests with 200 runs each.
macro_rules! commands {
    ($($name:ident: $command:literal,)*) => {$(
        #[perf_test(args = [200, 2_000], budget = "5s", tolerance = "25%")]
        #[ignore = "ci/campaigns/performance.sh makes its stores"]
        fn $name(b: &mut Bencher, tests: u64) {
            b.command(|| tool_in_store($command, tests));
        }
    )*};
}

commands! {
    tool_check: "check --all",
    tool_history: "history",
    tool_changepoints: "changepoints",
    tool_power: "power",
    tool_replay: "replay ../store --decisions 20",
    tool_report: "report --out -",
}

perftest::main!();
