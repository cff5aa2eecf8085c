//! Histories of machines whose clocks differ: runs from the future, and runs out of order.

use crate::bench::{Bench, line_with, red};
use crate::export::all_formats_are_valid;
use perftest_core::model::Run;
use perftest_store::conformance::example_run;

/// The first day of 2100.
const FUTURE_MS: u64 = 4_102_444_800_000;

/// A run of the test `encode` that a machine whose clock is ahead recorded.
fn from_the_future(ordinal: u64) -> Run {
    let session = "ahead".to_owned();
    Run { started_ms: FUTURE_MS + 60_000 * ordinal, session, ..example_run(ordinal) }
}

/// Runs out of order, one from the future among them; the last one is red, of the session `now`.
fn skewed(name: &str) -> Bench {
    let bench = Bench::new(name);
    for ordinal in [7, 3, 9, 1, 8, 2, 6, 4] {
        bench.append(&example_run(ordinal));
    }
    bench.append(&from_the_future(10));
    bench.append(&red(Run { session: "now".into(), ..example_run(11) }));
    bench
}

#[test]
fn the_newest_session_is_none_of_the_future() {
    let bench = skewed("clocks-session");
    let session = |args: &[&str]| {
        let lines = bench.json(&[&["export", "jsonl"], args].concat());
        (lines[0]["session"].as_str().unwrap().to_owned(), lines.len())
    };
    assert_eq!(session(&[]), ("now".to_owned(), 2));
    assert_eq!(session(&["--session", "ahead"]), ("ahead".to_owned(), 2));
    let review = bench.answer(&["accept", "--session", "last", "--dry-run"]);
    line_with(&review, "codec::frame::encode");
    let alone = Bench::new("clocks-alone");
    alone.append(&from_the_future(0));
    assert_eq!(alone.json(&["export", "jsonl"])[0]["session"], "ahead");
}

#[test]
fn every_answer_about_runs_out_of_order_is_valid_and_has_all_of_them() {
    let bench = skewed("clocks-all");
    for arguments in [
        &["history"][..],
        &["history", "--errors"],
        &["show", "encode"],
        &["changepoints", "--branch", "*"],
        &["rank"],
        &["rank", "--by", "trend"],
        &["power"],
    ] {
        assert!(!bench.answer(arguments).is_empty(), "{arguments:?}");
    }
    for arguments in [&["drift", "--all"][..], &["check"]] {
        let code = bench.run(arguments).code;
        assert!(code.is_some_and(|code| code < 5), "{arguments:?}: {code:?}");
    }
    assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 10);
    all_formats_are_valid(&bench, 1);
}
