//! What is no file, in every place where a file is looked for.
#![cfg(unix)]

use crate::bench::{Bench, open};
use perftest_core::model::{Acceptance, Run};
use perftest_store::conformance::{example_judgement, example_run};
use perftest_store::{
    AcceptanceFile, Annotation, Listing, Query, Store, StoreError, change_file, testbeds_of,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Puts a pipe in the place of a file.
fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The only file below a directory.
fn only_file(mut path: PathBuf) -> PathBuf {
    while path.is_dir() {
        path = fs::read_dir(&path).unwrap().next().unwrap().unwrap().path();
    }
    path
}

/// The errors name the file and what it is. Who waits for the other end of the pipe fails by its time.
fn are_refused<const N: usize>(path: &Path, errors: [Option<StoreError>; N]) {
    for error in errors {
        let text = error.expect("refused").to_string();
        assert!(text.contains(&path.display().to_string()), "{text}");
        assert!(text.contains("it is a named pipe (FIFO), not a regular file"), "{text}");
    }
}

#[test]
fn a_pipe_in_the_place_of_any_file_of_the_store_is_refused_and_never_waited_for() {
    let bench = Bench::new("pipes");
    let (store, run) = (bench.store(), example_run(0));
    let Run { benchmark, testbed, .. } = run.clone();
    let judgement = example_judgement(0, perftest_core::model::RuleResult::Quiet, None);
    store.append(&run).unwrap();
    let revocation = Annotation::Revocation { of: "X", at_ms: 1 };
    let judgements = Annotation::Judgements(std::slice::from_ref(&judgement));
    let context = Annotation::Context { hash: "0123456789abcdef", json: "{}" };
    for annotation in [revocation, judgements, context] {
        store.annotate(annotation).unwrap();
    }
    let project = bench.root.join("v1/codec.0");

    let history = bench.history_file();
    pipe(&history);
    are_refused(
        &history,
        [
            store.load(&Query::like(&run)).err(),
            store.append(&run).err(),
            store.list(None).and_then(Listing::whole).err(),
            testbeds_of(&store, &benchmark).err(),
        ],
    );
    let events = project.join("events.jsonl");
    pipe(&events);
    // Nobody knows then which testbeds share a history.
    let load = || store.load(&Query::like(&run)).err();
    are_refused(&events, [store.decisions().err(), store.annotate(revocation).err(), load()]);
    fs::remove_file(&events).unwrap();
    let judged = only_file(project.join("judgements"));
    pipe(&judged);
    are_refused(
        &judged,
        [store.judgements(&benchmark, &testbed).err(), store.annotate(judgements).err()],
    );
    let context = only_file(project.join("contexts"));
    pipe(&context);
    are_refused(&context, [store.context("0123456789abcdef").err()]);
}

#[test]
fn a_pipe_in_the_place_of_a_file_beside_the_store_is_refused_and_never_waited_for() {
    let bench = Bench::new("pipes-beside");
    let file = AcceptanceFile::in_root(&bench.root);
    pipe(file.path());
    let entry = Acceptance {
        id: "A".into(),
        benchmark: perftest_core::model::BenchmarkPattern::new("a"),
        testbed: String::new(),
        max_ratio: 1.1,
        reason: String::new(),
        given_ms: 0,
        until_ms: None,
    };
    are_refused(
        file.path(),
        [file.load().err(), file.add(&entry).err(), file.revoke("A", 7).err()],
    );
    let settings = bench.root.join("perftest.toml");
    pipe(&settings);
    let refused = change_file(&settings, |_| Ok(None)).unwrap_err().to_string();
    assert_eq!(refused, "it is a named pipe (FIFO), not a regular file");
}

#[test]
fn a_link_in_the_place_of_a_history_is_refused_and_what_it_leads_to_stays_as_it_was() {
    let (bench, history) = Bench::with_one_run("linked");
    let elsewhere = bench.root.join("elsewhere");
    fs::rename(&history, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &history).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    let error = open(&bench.root).append(&example_run(1)).unwrap_err().to_string();
    assert!(error.contains("it is a symbolic link, not a regular file"), "{error}");
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
}

#[test]
fn decisions_that_cannot_be_opened_are_an_error_not_a_store_without_decisions() {
    let (bench, _) = Bench::with_one_run("looped");
    let run = example_run(0);
    bench.store().annotate(Annotation::Revocation { of: "X", at_ms: 1 }).unwrap();
    let events = bench.root.join("v1/codec.0/events.jsonl");
    fs::remove_file(&events).unwrap();
    std::os::unix::fs::symlink("events.jsonl", &events).unwrap();
    let store = open(&bench.root);
    for error in [store.load(&Query::like(&run)).err(), store.decisions().err()] {
        assert!(matches!(error, Some(StoreError::Unreadable { .. })), "{error:?}");
    }
}
