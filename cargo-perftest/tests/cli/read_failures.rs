//! Commands over histories of which one cannot be read.

use crate::bench::{Bench, line_with};
use perftest_core::model::{Acceptance, BenchmarkPattern};
use perftest_store::AcceptanceFile;
use std::fs;

/// Part of the name of the file that cannot be read.
const FILE: &str = "codec-index-insert";

/// With `encode`, `decode` and an `index::insert` whose file is none.
fn damaged(name: &str) -> Bench {
    let bench = Bench::filled(name);
    fs::write(bench.history_file(FILE), "name,value\n").unwrap();
    bench
}

/// Exit code, standard output and standard error.
fn text(bench: &Bench, args: &[&str]) -> (i32, String, String) {
    let output = bench.run(args);
    (output.code.unwrap(), output.stdout, output.stderr)
}

#[test]
fn a_file_that_cannot_be_read_hides_no_other_test_from_any_command() {
    let bench = damaged("unread-all");
    for args in [
        &["history"][..],
        &["history", "--json"],
        &["history", "--errors"],
        &["drift"],
        &["power"],
        &["accept", "codec::*", "--max-ratio", "1.3", "--reason", "x", "--dry-run"],
        &["accept", "--session", "last", "--dry-run"],
    ] {
        let (code, out, err) = text(&bench, args);
        assert!(code == 5 && err.contains(FILE), "{args:?}: {code} {err}");
        assert!(out.contains("codec::frame::encode"), "{args:?}: {out}");
    }
}

#[test]
fn for_a_named_test_only_its_own_files_are_reported() {
    let bench = damaged("unread-one");
    for args in [
        &["history"][..],
        &["history", "--errors"],
        &["show"],
        &["drift"],
        &["power"],
        &["accept", "--max-ratio", "1.3", "--reason", "x"],
    ] {
        let readable = bench.answer(&[args, &["encode"]].concat());
        assert!(readable.contains("codec::frame::encode"), "{args:?}: {readable}");
        for meant in ["codec::index::insert", "insert"] {
            let (code, err) = bench.refusal(&[args, &[meant]].concat());
            assert!(code == 5 && err.contains(FILE), "{args:?} {meant}: {code} {err}");
        }
    }
    let (code, err) = bench.refusal(&["relink", "insert"]);
    assert!(code == 5 && err.contains(FILE), "{err}");
    let (code, err) = bench.refusal(&["relink", "encode"]);
    assert!(code == 2 && !err.contains(FILE), "it fails by something else: {err}");
}

#[test]
fn an_acceptance_that_an_unreadable_file_may_need_is_not_stale() {
    let bench = damaged("unread-accepted");
    let accept = |id: &str, pattern: &str| {
        let entry = Acceptance {
            id: id.into(),
            benchmark: BenchmarkPattern::new(pattern),
            testbed: String::new(),
            max_ratio: 1.3,
            reason: "known".into(),
            given_ms: 1,
            until_ms: None,
        };
        AcceptanceFile::in_root(&bench.root.join("project")).add(&entry).unwrap();
    };
    accept("HIDDEN", "codec::index::insert");
    accept("SEVERAL", "codec::index::*");
    let (code, out, err) = text(&bench, &["accept", "--list"]);
    assert!(code == 5 && err.contains(FILE), "{err}");
    for id in ["HIDDEN", "SEVERAL"] {
        assert!(line_with(&out, id).contains("not known"), "{out}");
    }
    let (code, out, _) = text(&bench, &["accept", "--check"]);
    assert_eq!((code, out.as_str()), (5, "no acceptance is stale\n"));
    accept("GONE", "codec::frame::gone");
    let (code, out, err) = text(&bench, &["accept", "--check"]);
    assert!(code == 1 && err.contains(FILE), "what is stale is the graver answer: {err}");
    assert!(line_with(&out, "GONE").contains("no such test") && !out.contains("HIDDEN"), "{out}");
}
