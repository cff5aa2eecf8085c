//! A better level fails until it is accepted, and is then the level.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::acceptance::repository;
use crate::front_end::json_lines;
use crate::{BURDEN, IN_ONE_GO, PROJECTS, SLOW, learn, red};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently};
use std::fs;
use std::path::PathBuf;

/// A ratchet whose history is learned with slower code: the same machine code is never improved.
struct Ratchet {
    store: TempStore,
    root: TempRepository,
}

impl Ratchet {
    fn new() -> Self {
        Self { store: TempStore::new(), root: repository("ratcheted") }
    }

    /// Learns again, with nothing accepted.
    fn learn(&self) {
        let _ = fs::remove_file(self.acceptances());
        learn("held", || self.slow_binary().env(SLOW.0, BURDEN.1), &self.store);
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
        self.binary().args(&["--exact", "held", format]).store(&self.store).run()
    }

    fn accept(&self) {
        let entry = r#"{"v":1,"kind":"accept","id":"A","benchmark":"ratcheted::*","max_ratio":1.05,"reason":"faster","given_ms":1}"#;
        fs::write(self.acceptances(), format!("{entry}\n")).unwrap();
    }

    fn acceptances(&self) -> PathBuf {
        self.root.path().join("perf-accept.jsonl")
    }

    /// Runs the better code while it is not accepted. A machine too busy for a proof leaves an
    /// improvement undecided, but nothing lets it pass, and as a failure it does not count for the baseline.
    fn held(&self) -> Outcome {
        let held = self.better("--format=pretty");
        let is_failure = held.code != Some(0);
        assert!(is_failure || !held.has(&["improved"]), "{held}");
        assert!(!is_failure || self.store.newest("held")["counts_for_baseline"] == false, "{held}");
        held
    }

    /// Runs the better code, accepted, until its level is the one that is compared with.
    fn learn_better_level(&self) {
        let has_learned = || {
            self.learn();
            self.accept();
            (0..IN_ONE_GO).any(|_| {
                self.better("--format=pretty").ended_with(0);
                let newest = self.store.newest("held");
                newest.get("accepted_ratio").is_none() && newest["verdict"] == "green"
            })
        };
        assert!(patiently(has_learned, |it| *it), "the better level did not become the baseline");
    }
}

#[test]
fn a_better_level_fails_however_often_it_is_run_until_it_is_accepted() {
    let ratchet = Ratchet::new();
    let better = || {
        ratchet.learn();
        let held = [(); 3].map(|()| ratchet.held());
        let output = ratchet.better("--format=json");
        ratchet.accept();
        (held, output, ratchet.better("--format=pretty"))
    };
    let (held, output, accepted) = patiently(better, |(held, output, accepted)| {
        held.iter().chain([output]).all(|it| it.code != Some(0)) && accepted.has(&["improved"])
    });
    for held in held {
        let held = held.ended_with(3);
        assert!(held.line_of("held").starts_with("FAILED "), "{held}");
        held.prints(&[
            " and not accepted yet",
            "cargo perftest accept ratcheted::perf::held --max-ratio 1.05 --reason",
            "test result: FAILED. 0 passed; 1 failed",
        ]);
    }
    let events = json_lines(&output.ended_with(3));
    let ended = events.iter().find(|event| event.get("perftest").is_some()).unwrap();
    assert_eq!(
        (&ended["event"], &ended["perftest"]["verdict"]),
        (&"failed".into(), &"unaccepted".into())
    );
    let accepted = accepted.ended_with(0);
    assert!(accepted.line_of("held").contains("improved"), "{accepted}");
}

#[test]
fn an_accepted_better_level_cannot_be_lost_again() {
    let ratchet = Ratchet::new();
    let lost = || {
        ratchet.learn_better_level();
        ratchet.slow_binary().args(&["--exact", "held"]).store(&ratchet.store)
    };
    red(lost, &ratchet.store).ended_with(3).prints(&["slower than "]);
}

#[test]
fn without_the_key_an_improvement_passes() {
    let store = TempStore::new();
    let binary = || PROJECTS.binary("ratcheted", "perf");
    let better = || {
        let slow = || PROJECTS.slowed("ratcheted", "perf").env(SLOW.0, BURDEN.1);
        learn("free", slow, &store);
        binary().args(&["--exact", "free"]).store(&store).run().ended_with(0)
    };
    patiently(better, |outcome| outcome.has(&["improved"])).prints(&["improved"]);
}
