//! The answers of `cargo perftest push`, `pull` and `sync`; `tests/remote` has the rest.

use crate::bench::Bench;
use crate::export::formats::assert_events;

#[test]
fn both_directions_answer_with_events_of_the_schema() {
    let bench = Bench::filled("remote");
    let remote = format!("dir:{}", bench.root.join("shared").display());
    let events = bench.json(&["sync", &remote, "--testbed", "local/7f3a2b", "--json"]);
    let text: Vec<String> = events.iter().map(ToString::to_string).collect();
    assert_events(&text.join("\n"));
    let counts = events.iter().map(|it| (it["event"].as_str(), it["added"].as_u64()));
    assert_eq!(counts.collect::<Vec<_>>(), [(Some("push"), Some(12)), (Some("pull"), Some(0))]);
}

#[test]
fn a_store_that_may_only_be_read_receives_nothing() {
    let bench = Bench::filled("remote-read-only");
    let remote = format!("dir:{}", bench.root.join("shared").display());
    let mut pull = bench.command();
    let output = pull.args(["pull", &remote]).env("PERFTEST_STORE", "read-only").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("`read-only`"), "{error}");
}
