//! Tiny real projects under real `cargo test` and real `cargo nextest`.

mod acceptance;
mod benches;
mod bodies;
mod cases;
mod curve;
mod drift;
mod front_end;
mod learning;
mod lineage;
mod machine;
mod methods;
mod modes;
mod odd_histories;
mod other_speed;
mod ratchet;
mod registration;
mod retries;
mod runners;
mod series;
mod settings;
mod store_trouble;
mod threads;
mod versus;
mod witness;

use perftest_tests::{Invocation, Outcome, TempStore, TinyProjects};
use std::path::Path;
use std::sync::LazyLock;

static PROJECTS: LazyLock<TinyProjects> = LazyLock::new(|| {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/projects");
    TinyProjects::new(&sources, Path::new(env!("CARGO_TARGET_TMPDIR")))
});

/// So much more work that no noise hides it, and no spread of five noisy runs excuses it.
const SLOW: (&str, &str) = ("SLOW", "20");

/// So much more work for every build, as on a machine that is as much slower.
const BURDEN: (&str, &str) = ("BURDEN", "20");

/// Runs a test as often as a verdict needs.
fn learn(test: &str, binary: impl Fn() -> Invocation, store: &TempStore) {
    for _ in 0..30 {
        let arguments = [test, "--exact", "--test-threads=1"];
        binary().args(&arguments).store(store).run().ended_with(0);
        // A run that was disturbed from start to end does not teach.
        let function = test.rsplit("::").next().unwrap_or(test);
        let records = store.records(function);
        if records.iter().filter(|record| record.contains("\"teach\":true")).count() >= 5 {
            return;
        }
    }
    panic!("`{test}` learned nothing in thirty runs");
}

/// Runs the tests of a slowed build until they are red. A machine too busy for a proof leaves a degradation
/// undecided, now and then, but nothing makes it green.
fn red(run: impl Fn() -> Invocation) -> Outcome {
    let slowed = || run().env(SLOW.0, SLOW.1);
    persist(slowed, |outcome| {
        let is_open = ["unclear: ", "unstable: ", "no verdict: ", "no baseline: "]
            .iter()
            .any(|answer| outcome.stdout.contains(answer));
        assert!(is_open || outcome.code != Some(0), "{outcome}");
        outcome.code != Some(0)
    })
}

/// Runs until `is_decided`, at most four times.
fn persist(run: impl Fn() -> Invocation, is_decided: impl Fn(&Outcome) -> bool) -> Outcome {
    let mut outcome = run().run();
    for _ in 0..3 {
        if is_decided(&outcome) {
            break;
        }
        outcome = run().run();
    }
    outcome
}

/// The test of the package `measured` whose work the environment decides.
fn grows() -> Invocation {
    PROJECTS.binary("measured", "perf").args(&["--exact", "grows"])
}

/// The same of the code that can be slowed.
fn slow_grows() -> Invocation {
    PROJECTS.slowed("measured", "perf").args(&["--exact", "grows"])
}
