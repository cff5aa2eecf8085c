//! Tests that start a program of their package: each build starts its own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::{NEEDED, PROJECTS, learn, learn_until, red_and, slowed, without_the_last_good_build};
use perftest_process::UnpackedExecutable;
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

const TEST: &str = "runs_its_program";
/// What the tests start before it has changed.
const FIRST: &str = "first_walker";
/// As fast, with other code.
const OTHER: &str = "other_walker";
const SLOWER: &str = "slow_walker";

/// So much more work for every program, as on a machine that is as much slower.
const BURDEN: (&str, &str) = ("BURDEN", "5");

fn methods() -> Invocation {
    PROJECTS.binary("methods", "perf")
}

fn walks(store: &TempStore) -> Invocation {
    methods().args(&["--exact", TEST]).store(store)
}

/// The file of a program of the package.
fn program(name: &str) -> PathBuf {
    PROJECTS.directory_of_binaries().with_file_name(format!("{name}{EXE_SUFFIX}"))
}

/// The program that the tests start is one file: stories that replace it take turns.
fn take_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a program in the place of the one that the tests start.
fn install(name: &str) {
    let walker = program("walker");
    // Cargo has a second name for the file.
    let copy = walker.with_extension("copy");
    fs::copy(program(name), &copy).unwrap();
    fs::rename(&copy, &walker).unwrap();
}

/// Learns, and starts the slower program then.
fn walks_slower(store: &TempStore) -> Invocation {
    install(FIRST);
    learn(TEST, methods, store);
    install(SLOWER);
    walks(store)
}

fn was_paired(store: &TempStore) -> bool {
    store.newest(TEST)["pairs"].as_u64() >= Some(5)
}

/// Learns on a machine whose speed changes from run to run: then the history alone proves nothing.
fn learn_on_an_unsteady_machine(store: &TempStore) {
    install(FIRST);
    let is_slow = Cell::new(false);
    let run = || {
        let burden = if is_slow.replace(!is_slow.get()) { BURDEN.1 } else { "1" };
        walks(store).env(BURDEN.0, burden)
    };
    learn_until(run, store, || store.baseline_runs(TEST).len() >= NEEDED);
}

#[test]
fn a_program_that_became_slower_is_red_by_pairs_where_its_test_has_the_same_code() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run = || walks_slower(&store);
    let red = red_and(run, &store, |_| was_paired(&store)).ended_with(3);
    assert!(was_paired(&store), "{red}");
    red.prints(&["\n  last good ", "; this is the build, not the machine"]);
    let runs = store.records_of_all_series(TEST);
    let of_verdict = |verdict: &str, key: &str| -> BTreeSet<String> {
        let of_verdict = runs.iter().filter(|run| run["verdict"] == verdict);
        of_verdict.map(|run| run[key].to_string()).collect()
    };
    let executables = ["no_baseline", "red"].map(|it| of_verdict(it, "executable"));
    assert_eq!(executables[0], executables[1]);
    let [learned, red] = ["no_baseline", "red"].map(|it| of_verdict(it, "machine_code"));
    assert!(!red.is_empty() && learned.is_disjoint(&red), "{learned:?} {red:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_instructions_of_the_test_are_none_of_the_program_that_became_slower() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run = || walks_slower(&store).env("PERFTEST_INSTRUCTIONS", "valgrind");
    let parts = ["\n  last good ", "the instructions were not counted: ", "with `b.command(..)`"];
    let paired = slowed(run, &store, |outcome| outcome.has(&parts)).prints(&parts);
    assert!(!paired.has(&["\n  also      instructions "]), "{paired}");
    assert!(store.newest(TEST)["instructions"].is_null(), "{paired}");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn on_a_machine_that_became_slower_a_slower_program_is_red_and_one_as_fast_is_not() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run_of = |name| {
        install(FIRST);
        learn(TEST, methods, &store);
        install(name);
        walks(&store).env(BURDEN.0, BURDEN.1)
    };
    let red = red_and(|| run_of(SLOWER), &store, |_| was_paired(&store)).ended_with(3);
    assert!(was_paired(&store), "{red}");
    let run = || run_of(OTHER).run().ended_with(0);
    let is_machine = |_: &Outcome| store.newest(TEST)["verdict"] == "machine_slower";
    let other = patiently(run, is_machine);
    assert!(is_machine(&other), "{other}");
}

#[test]
fn where_the_history_proves_nothing_pairs_tell_a_slower_program_from_one_as_fast() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run_of = |name| {
        learn_on_an_unsteady_machine(&store);
        install(name);
        // A busy machine needs time for the fewest pairs.
        walks(&store).env("PERFTEST_BUDGET", "10s")
    };
    let red = red_and(|| run_of(SLOWER), &store, |_| was_paired(&store)).ended_with(3);
    assert!(was_paired(&store), "{red}");
    let run = || run_of(OTHER).run().ended_with(0);
    let is_green = |_: &Outcome| store.newest(TEST)["verdict"] == "green" && was_paired(&store);
    let green = patiently(run, is_green);
    assert!(is_green(&green), "{green}");
}

/// Learns the test, and starts the slower program then, without the last good build for this reason.
fn runs_without_the_last_good_build(test: &str, reason: &str) {
    let store = TempStore::new();
    let run = || {
        install(FIRST);
        learn(test, methods, &store);
        install(SLOWER);
        // A busy machine needs time for fresh processes.
        methods().args(&["--exact", test]).store(&store).env("PERFTEST_BUDGET", "10s")
    };
    without_the_last_good_build(run, &store, reason);
}

#[test]
fn a_last_good_build_that_would_start_the_new_program_does_not_run_and_says_why() {
    // Once for both: this thread keeps its turn with the projects, for which the next one waits.
    let _turn = take_turn();
    let reason = "of the build directory, which is not kept";
    runs_without_the_last_good_build("runs_its_program_in_a_shell", reason);
    let reason = "is not given to `b.command(..)`, so today's program would run";
    runs_without_the_last_good_build("runs_its_program_by_itself", reason);
}

#[test]
fn a_program_that_a_helper_starts_is_a_failure_because_its_changes_would_be_none() {
    let store = TempStore::new();
    let failed = methods().args(&["--exact", "runs_its_program_in_a_helper"]).store(&store).run();
    failed.ended_with(101).prints(&["is started in a helper", "in the body of the test itself"]);
}

#[test]
fn a_program_that_a_helper_starts_is_a_failure_in_the_newer_layout_of_the_build_directory() {
    let binaries = PROJECTS.directory_of_binaries();
    let package = binaries.ancestors().nth(3).unwrap().join("methods");
    let place = binaries.with_file_name("build").join("methods/0804/out");
    fs::create_dir_all(&place).unwrap();
    let executable = place.join(format!("perf-1f{EXE_SUFFIX}"));
    fs::copy(methods().program(), &executable).unwrap();
    let failed = Invocation::new(&executable, &package).store(&TempStore::new());
    let failed = failed.args(&["--exact", "runs_its_program_in_a_helper"]).run();
    failed.ended_with(101).prints(&["is started in a helper", "in the body of the test itself"]);
}

#[test]
fn a_damaged_program_does_not_run() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run = || {
        install(FIRST);
        learn(TEST, methods, &store);
        let record = store.newest(TEST);
        let names: Vec<&str> = texts(&record["programs"]);
        let walker = names.iter().position(|name| *name == format!("walker{EXE_SUFFIX}")).unwrap();
        let hash = texts(&record["program_executables"])[walker];
        let packed = store.files().into_keys().find(|path| path.ends_with(format!("{hash}.lz4")));
        fs::write(store.path().join(packed.unwrap()), "damage").unwrap();
        install(SLOWER);
        walks(&store)
    };
    without_the_last_good_build(run, &store, "it is damaged");
}

fn texts(list: &serde_json::Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

#[test]
fn no_unpacked_program_is_left() {
    let _turn = take_turn();
    let store = TempStore::new();
    let run = || walks_slower(&store);
    red_and(run, &store, |_| was_paired(&store)).ended_with(3);
    let prefix = format!("{}programs", UnpackedExecutable::PREFIX);
    let entries = fs::read_dir(PROJECTS.directory_of_binaries()).unwrap().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    assert_eq!(names.find(|name| name.starts_with(&prefix)), None);
}
