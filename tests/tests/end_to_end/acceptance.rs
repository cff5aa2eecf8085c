//! Acceptances that travel with the code.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::{PROJECTS, SLOW, grows, learn, persist, slow_grows};
use perftest_tests::{Invocation, Outcome, TempStore};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A repository of its own around the package: what is accepted in its root holds.
pub(crate) fn repository(package: &str) -> TempDir {
    let root = TempDir::new().unwrap();
    fs::create_dir_all(root.path().join(".git")).unwrap();
    fs::create_dir_all(root.path().join(package)).unwrap();
    fs::write(root.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    root
}

/// Accepts that `grows` is thirty times as slow, up to and with this day.
fn accept_until(root: &Path, last_day: &str) {
    let entry = format!(
        r#"{{"v":101,"k":"accept","id":"A","bench":"measured::*","max_ratio":30,"reason":"a cache is on its way","t":1,"until":"{last_day}"}}"#
    );
    fs::write(root.join("perf-accept.jsonl"), format!("not ours\n{entry}\n")).unwrap();
}

#[test]
fn an_accepted_ratio_passes_more_fails_and_so_does_the_same_after_the_last_day() {
    let (store, root) = (TempStore::new(), repository("measured"));
    let _alone = PROJECTS.alone();
    let package = root.path().join("measured");
    let in_repository = || -> Invocation { grows().env("CARGO_MANIFEST_DIR", &package) };
    let slowed = |times: &str| {
        slow_grows().env("CARGO_MANIFEST_DIR", &package).store(&store).env(SLOW.0, times)
    };
    let until_red = |times: &str| -> Outcome {
        persist(|| slowed(times), |outcome| outcome.code != Some(0)).ended_with(3)
    };
    learn("grows", in_repository, &store);

    accept_until(root.path(), "2999-12-31");
    let accepted = slowed("20").run().ended_with(0);
    let accepted = accepted.warns(&["perf-accept.jsonl:1"]);
    let records = store.records("grows");
    let last = records.last().unwrap();
    for part in [r#""acc":30"#, r#""accepted:A""#, r#""teach":false"#] {
        assert!(last.contains(part), "{part} in {last}\n{accepted}");
    }
    until_red("400").says(&["accepted  up to 30.00x the old level"]);

    accept_until(root.path(), "2020-01-01");
    until_red("20");
}
