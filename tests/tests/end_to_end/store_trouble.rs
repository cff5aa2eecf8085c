//! A history that cannot be read or written, and the ways to do without one.

use crate::series::{has_line, recorded_runs, runs};
use crate::{NEEDED, PROJECTS, grows, learn, learn_until};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use std::fs;

fn has_verdict(outcome: &Outcome) -> bool {
    outcome.line_of("grows").contains("x [")
}

#[test]
fn without_a_store_a_test_runs_and_leaves_nothing() {
    let state = TempStore::new();
    let run = || {
        let run = grows().env("XDG_STATE_HOME", state.path()).env("PERFTEST_STORE", "off");
        let run = run.run().ended_with(0);
        assert!(!has_verdict(&run), "{run}");
        let rest = run.stdout.replace("nothing is recorded", "");
        assert!(rest.len() < run.stdout.len() && !rest.contains("recorded"), "{run}");
        run
    };
    for _ in 0..6 {
        let run = patiently(run, |outcome| !outcome.stderr.contains("!!"));
        assert!(!run.stderr.contains("!!"), "{run}");
    }
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn a_read_only_store_judges_and_stays_as_it_was() {
    let state = TempStore::new();
    // An empty variable is an unset one: the history is where the platform keeps such things.
    let run = |store| grows().env("XDG_STATE_HOME", state.path()).env("PERFTEST_STORE", store);
    let judge = || {
        learn_until(|| run(""), &state, || state.baseline_runs("grows").len() >= NEEDED);
        let before = state.records("grows");
        let judged = run("read-only").run().ended_with(0);
        assert_eq!(state.records("grows"), before);
        judged
    };
    let judged = patiently(judge, has_verdict);
    assert!(has_verdict(&judged), "{judged}");
}

#[test]
fn a_store_that_cannot_be_written_is_warned_of_and_fails_no_test() {
    let directory = TempStore::new();
    let file = directory.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    let run = grows().env("PERFTEST_STORE", file.join("store")).run().ended_with(0);
    run.warns(&[file.to_str().unwrap(), "PERFTEST_STORE"]);
    assert_eq!(fs::read_to_string(file).unwrap(), "not a directory");
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_a_history_fails_the_test_at_once() {
    let store = TempStore::new();
    grows().store(&store).run().ended_with(0);
    let history = store.history("grows");
    fs::remove_file(&history).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&history).status().unwrap().success());
    let run = grows().store(&store).run().ended_with(4);
    run.prints(&[&history.display().to_string(), "it is a named pipe (FIFO), not a regular file"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_store_whose_name_is_no_text_is_the_one_that_is_written() {
    use std::os::unix::ffi::OsStrExt;
    let directory = TempStore::new();
    let store = directory.path().join(std::ffi::OsStr::from_bytes(b"st\xffre"));
    grows().env("PERFTEST_STORE", &store).run().ended_with(0);
    assert!(store.join("v1").is_dir());
    let mode = std::ffi::OsStr::from_bytes(b"sm\xffke");
    grows().env("PERFTEST_MODE", mode).run().ended_with(101).warns(&["PERFTEST_MODE is no text"]);
}

#[test]
fn lines_that_cannot_be_read_are_named_and_passed_over() {
    let store = TempStore::new();
    let judge = || {
        learn("grows", grows, &store);
        let history = store.history("grows");
        let mut lines = store.records("grows");
        lines.insert(2, "\u{0}\u{0}\u{0}".to_owned());
        lines.insert(4, "{\"v\":1,\"torn\":".to_owned());
        fs::write(&history, lines.join("\n") + "\n").unwrap();
        let place = |line: u32| format!("{}:{line}", history.display());
        let judged = grows().store(&store).run().ended_with(0).warns(&[&place(3), &place(5)]);
        let after = store.records("grows");
        assert_eq!(after[..lines.len()], lines, "what was there stays there");
        judged
    };
    let judged = patiently(judge, has_verdict);
    assert!(has_verdict(&judged), "{judged}");
}

/// A history with this text fails the test with `parts`, and is not touched.
#[track_caller]
fn assert_refused(text: &str, parts: &[&str]) {
    let store = TempStore::new();
    grows().store(&store).run().ended_with(0);
    let history = store.history("grows");
    fs::write(&history, text).expect("the history can be written");
    let refused = grows().store(&store).run().ended_with(4);
    assert!(refused.line_of("grows").starts_with("FAILED"), "{refused}");
    refused.prints(&[&history.display().to_string()]).prints(parts);
    assert_eq!(fs::read_to_string(&history).ok().as_deref(), Some(text));
}

#[test]
fn a_history_of_which_nothing_can_be_read_fails_the_test_and_is_left_alone() {
    assert_refused("this is\nno history\n", &["none of its lines can be read", "move it away"]);
}

#[test]
fn a_history_of_a_newer_format_fails_the_test_and_is_left_alone() {
    assert_refused(
        "{\"v\":200}\n",
        &["another version of perftest", "start a new store: PERFTEST_STORE="],
    );
}

/// The history of the stage `link` is of a newer format, and the stage `lex` makes the whole twice as slow.
#[test]
fn a_red_stands_beside_a_stage_whose_history_cannot_be_read() {
    let store = TempStore::new();
    let compiles = |binary: Invocation| binary.args(&["compiles", "--exact"]).store(&store);
    let recorded = || runs(&store, "compiles", "wall");
    let run = || {
        let learned = || recorded_runs(&store, "compiles", "wall") >= NEEDED;
        learn_until(|| compiles(PROJECTS.binary("series", "perf")), &store, learned);
        fs::write(store.history("compiles-link"), "{\"v\":200}\n").unwrap();
        compiles(PROJECTS.slowed("series", "perf")).env("SLOW", "200").run()
    };
    let is_red = |_: &Outcome| recorded().last().is_some_and(|it| it["verdict"] == "red");
    let red = patiently(run, is_red).ended_with(3);
    assert!(is_red(&red), "{red}");
    assert!(has_line(&red, "link ", "no verdict: "), "{red}");
    red.prints(&["another version of perftest", "slower than the last good build"]);
    let marks = recorded().pop().unwrap()["marks"].to_string();
    assert!(marks.contains("series-not-cleared"), "{marks}");
}

#[test]
fn two_processes_at_once_are_both_recorded() {
    let store = TempStore::new();
    std::thread::scope(|scope| {
        let both = [grows(), grows()].map(|it| scope.spawn(|| it.store(&store).run()));
        for run in both {
            run.join().unwrap().ended_with(0);
        }
    });
    let records = store.records("grows");
    let id = |line: &String| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<String> = records.iter().map(id).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}
