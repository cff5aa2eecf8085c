//! The same code is never red, and the last good build separates the code from the machine.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::{BURDEN, PROJECTS, SLOW, grows, learn, red, red_and, slow_grows};
use perftest_process::UnpackedExecutable;
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use std::fs;
use std::path::{Path, PathBuf};

fn prints(outcome: &Outcome, words: &str) -> bool {
    outcome.line_of("grows").contains(words)
}

/// The compressed executables of the only project.
fn kept(store: &TempStore) -> Vec<PathBuf> {
    let project = fs::read_dir(store.path().join("v1")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(project.join("executables")).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    paths.filter(|path| path.extension().is_some_and(|it| it == "lz4")).collect()
}

/// Slower code on a machine that became slower, or on one that did not.
fn burdened(run: impl Fn() -> Invocation, store: &TempStore) -> Invocation {
    run().store(store).env(BURDEN.0, BURDEN.1)
}

#[test]
fn the_same_code_is_never_red_however_slow_it_runs() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        burdened(grows, &store).run().ended_with(0)
    };
    // Nothing has to be confirmed, unless the machine disturbs what there is.
    let is_told_at_once = |outcome: &Outcome| {
        prints(outcome, "machine: the machine code is unchanged")
            && store.newest("grows")["processes"] == 1
    };
    patiently(run, is_told_at_once);
    let record = store.newest("grows");
    assert_eq!((&record["verdict"], &record["processes"]), (&"same_code".into(), &1.into()));
}

/// The variable is not in the machine code, so all three runs are of the same code.
#[test]
fn a_red_that_a_wider_tolerance_let_pass_is_red_again_without_it() {
    let store = TempStore::new();
    let slower = || slow_grows().store(&store).env(SLOW.0, "3");
    let narrow_wide_narrow = || {
        learn("grows", grows, &store);
        let first = slower().run();
        slower().env("PERFTEST_TOLERANCE", "900%").run().ended_with(0);
        let was_green = store.newest("grows")["verdict"] == "green";
        let last = slower().run();
        assert_ne!(store.newest("grows")["verdict"], "same_code", "{last}");
        (first.code == Some(3) && was_green && last.code == Some(3), last)
    };
    let (is_told, last) = patiently(narrow_wide_narrow, |(is_told, _)| *is_told);
    assert!(is_told, "{last}");
}

#[test]
fn an_executable_is_kept_once_after_a_good_run() {
    let store = TempStore::new();
    learn("grows", grows, &store);
    let first = kept(&store);
    assert_eq!(first.len(), 1);
    let written = fs::metadata(&first[0]).unwrap().modified().unwrap();
    grows().store(&store).run().ended_with(0);
    assert_eq!(kept(&store), first);
    assert_eq!(fs::metadata(&first[0]).unwrap().modified().unwrap(), written);
}

#[test]
fn other_code_on_a_machine_that_became_slower_is_not_red_and_counts() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        let slower = burdened(slow_grows, &store).run().ended_with(0);
        let is_reported = prints(&slower, "x its level now too: the machine or its input");
        let record = store.newest("grows");
        assert_eq!(record["verdict"] == "machine_slower", is_reported, "{slower}");
        // A run that was disturbed from start to end does not count for the baseline.
        (is_reported && record["counts_for_baseline"] == true, slower)
    };
    let (has_taught, slower) = patiently(run, |(has_taught, _)| *has_taught);
    assert!(has_taught, "{slower}");
}

#[test]
fn slower_code_on_a_machine_that_became_slower_is_red() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        burdened(slow_grows, &store)
    };
    let was_paired = |_: &Outcome| store.newest("grows")["pairs"].as_u64() >= Some(5);
    let red = red_and(run, &store, was_paired).ended_with(3);
    assert!(was_paired(&red), "{red}");
    red.prints(&["\n  last good ", "; this is the build, not the machine"]);
}

#[test]
fn a_red_by_pairs_names_what_else_changed_beyond_doubt() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        slow_grows().store(&store)
    };
    let parts = ["\n  cause     ", "x time, ", "x processor time"];
    let red = red_and(run, &store, |outcome| outcome.has(&parts)).ended_with(3).prints(&parts);
    assert!(!red.stdout.contains("it waits"), "{red}");
    let record = store.newest("grows");
    let names: Vec<&str> =
        record["changes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let cpu = names.iter().position(|name| *name == "cpu").unwrap();
    let number = |key: &str| record[key][cpu].as_f64().unwrap();
    assert!(number("changes_by_lower") > 0.0, "{record}");
    assert!(number("changes_now") > 10.0 * number("changes_before"), "{record}");
}

#[test]
fn a_red_of_a_body_that_sleeps_longer_is_one_of_waiting() {
    let store = TempStore::new();
    let waits = |binary: Invocation| binary.args(&["--exact", "waits"]);
    let run = || {
        learn("waits", || PROJECTS.binary("retried", "perf"), &store);
        waits(PROJECTS.slowed("retried", "perf")).store(&store)
    };
    let parts =
        ["\n  cause     ", " time, +", " blocked per iteration", ": it waits, for a lock, a timer"];
    red_and(run, &store, |outcome| outcome.has(&parts)).ended_with(3).prints(&parts);
}

#[test]
#[cfg(target_os = "linux")]
fn a_red_names_the_instructions_that_valgrind_counted_in_both_executables() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        slow_grows().store(&store).env("PERFTEST_INSTRUCTIONS", "valgrind")
    };
    let parts = ["\n  also      instructions ", ": the code does more work"];
    let red = red_and(run, &store, |outcome| outcome.has(&parts)).ended_with(3).prints(&parts);
    let record = store.newest("grows");
    assert_eq!(record["instructions_by"], "valgrind", "{red}");
    let count = |key: &str| record[key].as_f64().unwrap();
    // All that an iteration does is twenty times as much.
    let ratio = count("instructions") / count("last_good_instructions");
    assert!(
        (19.0..21.0).contains(&ratio) && count("instructions_variation") < 0.01,
        "{ratio} {record}"
    );
}

#[test]
fn a_last_good_build_that_cannot_run_is_reported_and_the_code_is_red_all_the_same() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        fs::write(kept(&store).remove(0), "damage").unwrap();
        slow_grows().store(&store)
    };
    let parts = ["the last good build cannot run", "it is damaged"];
    let red = red_and(run, &store, |outcome| outcome.has(&parts)).ended_with(3).prints(&parts);
    assert!(!red.stdout.contains("\n  last good "), "{red}");
}

#[test]
fn the_last_good_build_of_a_test_with_a_method_called_command_runs() {
    let store = TempStore::new();
    let commands = |binary: Invocation| binary.args(&["--exact", "commands"]);
    let run = || {
        learn("commands", || PROJECTS.binary("retried", "perf"), &store);
        commands(PROJECTS.slowed("retried", "perf")).store(&store)
    };
    let was_paired = |outcome: &Outcome| outcome.has(&["\n  last good "]);
    let red = red_and(run, &store, was_paired).ended_with(3);
    assert!(was_paired(&red) && !red.has(&["cannot run"]), "{red}");
}

#[test]
fn the_last_good_build_of_a_renamed_test_runs_under_the_former_name() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        PROJECTS.slowed("measured", "renamed").args(&["--exact", "grew"]).store(&store)
    };
    let was_paired = |_: &Outcome| store.newest("grew")["pairs"].as_u64() >= Some(5);
    let red = red_and(run, &store, was_paired).ended_with(3);
    assert!(was_paired(&red), "{red}");
    red.prints(&["\n  last good ", "x slower, at least "]);
}

#[test]
fn nothing_unpacked_is_left_beside_the_executable() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        slow_grows().store(&store)
    };
    red(run, &store).ended_with(3);
    let place = PROJECTS.directory_of_binaries();
    let files = fs::read_dir(place).unwrap().flatten().map(|file| file.path());
    // Other stories build here too: what a process that runs has unpacked is in use.
    let is_left = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        let process =
            name.strip_prefix(UnpackedExecutable::PREFIX).and_then(|it| it.rsplit('-').nth(1));
        process.is_some_and(|it| !Path::new("/proc").join(it).exists()) && path.exists()
    };
    let left: Vec<PathBuf> = files.filter(is_left).collect();
    assert!(left.is_empty(), "{left:?}");
}
