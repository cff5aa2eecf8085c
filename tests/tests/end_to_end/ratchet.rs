//! A better level fails until it is accepted, and is then the level.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::acceptance::repository;
use crate::front_end::json_lines;
use crate::{BURDEN, PROJECTS, learn, persist, red};
use perftest_tests::{Invocation, Outcome, TempStore};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// A ratchet whose history was learned while its work was twenty times as much.
struct Ratchet {
    store: TempStore,
    root: TempDir,
}

impl Ratchet {
    fn learned() -> Self {
        let it = Self { store: TempStore::new(), root: repository("ratcheted") };
        learn("held", || it.binary().env(BURDEN.0, BURDEN.1), &it.store);
        it
    }

    fn binary(&self) -> Invocation {
        self.here(PROJECTS.binary("ratcheted", "perf"))
    }

    fn slow_binary(&self) -> Invocation {
        self.here(PROJECTS.slowed("ratcheted", "perf"))
    }

    fn here(&self, binary: Invocation) -> Invocation {
        binary.env("CARGO_MANIFEST_DIR", self.root.path().join("ratcheted"))
    }

    /// Runs the better code, in a format.
    fn better(&self, format: &str) -> Outcome {
        let run = || self.binary().args(&["--exact", "held", format]).store(&self.store);
        // A machine too busy for a proof leaves an improvement undecided, now and then.
        persist(run, |outcome| outcome.stdout.contains("improved") || outcome.code != Some(0))
    }

    fn accept(&self) {
        let entry = r#"{"v":101,"k":"accept","id":"A","bench":"ratcheted::*","max_ratio":1.05,"reason":"faster","t":1}"#;
        fs::write(self.root.path().join("perf-accept.jsonl"), format!("{entry}\n")).unwrap();
    }

    fn newest_verdict(&self) -> Value {
        let records = self.store.records_of_all_series("held");
        records.into_iter().rev().find(|record| record.get("verdict").is_some()).unwrap()
    }
}

#[test]
fn a_better_level_fails_however_often_it_is_run_until_it_is_accepted() {
    let _alone = PROJECTS.alone();
    let ratchet = Ratchet::learned();
    for _ in 0..7 {
        let held = ratchet.better("--format=pretty").ended_with(3);
        assert!(held.line_of("held").starts_with("FAILED "), "{held}");
        held.says(&[
            " and not accepted yet",
            "cargo perftest accept held --max-ratio 1.05 --reason",
            "test result: FAILED. 0 passed; 1 failed",
        ]);
        assert_eq!(ratchet.newest_verdict()["teach"], false);
    }
    let events = json_lines(&ratchet.better("--format=json").ended_with(3));
    let ended = events.iter().find(|event| event.get("perftest").is_some()).unwrap();
    assert_eq!(
        (&ended["event"], &ended["perftest"]["reason"]),
        (&"failed".into(), &"unaccepted".into())
    );

    ratchet.accept();
    let accepted = ratchet.better("--format=pretty").ended_with(0);
    assert!(accepted.line_of("held").contains("improved"), "{accepted}");
}

#[test]
fn an_accepted_better_level_cannot_be_lost_again() {
    let _alone = PROJECTS.alone();
    let ratchet = Ratchet::learned();
    ratchet.accept();
    let held = || ratchet.binary().args(&["--exact", "held"]).store(&ratchet.store);
    let lost = || ratchet.slow_binary().args(&["--exact", "held"]).store(&ratchet.store);
    for _ in 0..30 {
        held().run().ended_with(0);
        if ratchet.newest_verdict().get("acc").is_none() {
            red(lost).ended_with(3).says(&["slower than its baseline"]);
            return;
        }
    }
    panic!("the better level taught nothing in thirty runs");
}

#[test]
fn without_the_key_an_improvement_passes() {
    let _alone = PROJECTS.alone();
    let store = TempStore::new();
    let free = || PROJECTS.binary("ratcheted", "perf").args(&["--exact", "free"]);
    learn("free", || PROJECTS.binary("ratcheted", "perf").env(BURDEN.0, BURDEN.1), &store);
    let improved = persist(|| free().store(&store), |outcome| outcome.stdout.contains("improved"));
    improved.ended_with(0).says(&["improved"]);
}
