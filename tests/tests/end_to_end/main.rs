//! Tiny real projects under real `cargo test` and real `cargo nextest`.

mod acceptance;
mod benches;
mod bodies;
mod cases;
mod ci_job;
mod counters;
mod curve;
mod drift;
mod front_end;
mod internal_modes;
mod learning;
mod lineage;
mod machine;
mod measuring_lock;
mod methods;
mod modes;
mod odd_histories;
mod other_speed;
mod paired_check;
mod pools;
mod programs;
mod ratchet;
mod registration;
mod retries;
mod runners;
mod series;
mod settings;
mod store_trouble;
mod threads;
mod timeouts;
mod unjudged;
mod versus;
mod workers;

use perftest_tests::{Invocation, Outcome, StoreFiles, TempStore, TinyProjects, patiently};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

static PROJECTS: LazyLock<TinyProjects> = LazyLock::new(|| {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/projects");
    TinyProjects::new(&sources, Path::new(env!("CARGO_TARGET_TMPDIR")))
});

/// Stores with the baseline runs of a command, as [`learn`] has left them.
static BASELINES: Mutex<BTreeMap<String, StoreFiles>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The commands whose baseline runs this story has had. A story has a thread of its own.
    static BEGUN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// So much more work that no noise hides it, and no spread of five noisy runs excuses it.
const SLOW: (&str, &str) = ("SLOW", "20");

/// So much more work for every build, as on a machine that is as much slower.
const BURDEN: (&str, &str) = ("BURDEN", "20");

/// Runs that count for the baseline, as many as a verdict needs.
const NEEDED: usize = 5;
/// Runs within which a quiet machine has enough baseline runs for a verdict.
const IN_ONE_GO: usize = 12;

/// Gives the store the baseline runs that a verdict needs, and nothing else.
///
/// A story begins with those that another one has left of the same command. When it asks again, it has
/// come to nothing with them, and the test runs as often as needed.
fn learn(test: &str, binary: impl Fn() -> Invocation, store: &TempStore) {
    let function = test.rsplit("::").next().unwrap_or(test);
    learn_as_much_as(test, binary, store, || store.baseline_runs(function).len() >= NEEDED);
}

/// The same until as much was learned as the last argument asks for.
fn learn_as_much_as(
    test: &str,
    binary: impl Fn() -> Invocation,
    store: &TempStore,
    has_learned: impl Fn() -> bool,
) {
    let run = || binary().args(&[test, "--exact", "--test-threads=1"]);
    let command = format!("{:?}", run());
    let is_first = BEGUN.with_borrow_mut(|begun| begun.insert(command.clone()));
    if let Some(files) = baselines().get(&command).filter(|_| is_first) {
        return store.fill(files);
    }
    learn_until(|| run().store(store), store, has_learned);
    let files = store.files();
    baselines().insert(command, files);
}

fn baselines() -> MutexGuard<'static, BTreeMap<String, StoreFiles>> {
    BASELINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Empties the store and runs until enough was learned in one go, at one speed of the machine.
fn learn_until(run: impl Fn() -> Invocation, store: &TempStore, has_learned: impl Fn() -> bool) {
    let in_one_go = || {
        store.clear();
        let learn = |_| {
            run().run().ended_with(0);
            has_learned()
        };
        (0..IN_ONE_GO).any(learn) && store.is_of_one_speed()
    };
    assert!(patiently(in_one_go, |has_learned| *has_learned), "nothing was learned");
}

/// What is recorded where neither green nor red could be proved.
const OPEN: [&str; 5] = ["unclear", "unstable", "untrusted", "no_baseline", "not_alone"];

/// A green that detects only slowdowns from so much on says itself that it proves little: other work took more time than
/// the slowed code.
const DETECTS_LITTLE: f64 = 0.5;

/// Whether a recorded verdict leaves it open whether the code became slower.
fn is_open(record: &Value) -> bool {
    let detects_little = || record["smallest_detectable"].as_f64() >= Some(DETECTS_LITTLE);
    match record["verdict"].as_str() {
        Some("green") => detects_little(),
        verdict => verdict.is_some_and(|it| OPEN.contains(&it)),
    }
}

/// Runs the tests of a slowed build, each time after they have learned again, until they are red.
fn red(run: impl Fn() -> Invocation, store: &TempStore) -> Outcome {
    red_and(run, store, |_| true)
}

/// The same until the red is such.
fn red_and(
    run: impl Fn() -> Invocation,
    store: &TempStore,
    is_such: impl Fn(&Outcome) -> bool,
) -> Outcome {
    slowed(run, store, |outcome| outcome.code != Some(0) && is_such(outcome))
}

/// The same until it is reported for this reason that the last good build cannot run. Its own fresh processes have run
/// then. Beside a busy machine's history they may prove nothing, whatever they take.
fn without_the_last_good_build(run: impl Fn() -> Invocation, store: &TempStore, reason: &str) {
    let parts = ["the last good build cannot run", reason];
    let outcome = slowed(run, store, |outcome| outcome.has(&parts)).prints(&parts);
    assert!(!outcome.stdout.contains("\n  last good "), "{outcome}");
}

/// Runs the tests of a slowed build, each time after they have learned again, until the outcome is such.
///
/// A machine too busy for a proof leaves a degradation undecided, and a last good build unavailable, but nothing makes
/// it a green that means something. The record has it: a runner may show nothing of a test that passes.
fn slowed(
    run: impl Fn() -> Invocation,
    store: &TempStore,
    is_such: impl Fn(&Outcome) -> bool,
) -> Outcome {
    let attempt = || {
        let outcome = run().env(SLOW.0, SLOW.1).run();
        let judged = store.newest_judged();
        let verdicts: Vec<&Value> = judged.iter().map(|record| &record["verdict"]).collect();
        let is_open = judged.iter().any(is_open);
        assert!(is_open || outcome.code != Some(0), "{verdicts:?}: {outcome}");
        outcome
    };
    patiently(attempt, is_such)
}

/// The test of the package `measured` whose work the environment decides.
fn grows() -> Invocation {
    PROJECTS.binary("measured", "perf").args(&["--exact", "grows"])
}

/// The same of the code that can be slowed.
fn slow_grows() -> Invocation {
    PROJECTS.slowed("measured", "perf").args(&["--exact", "grows"])
}
