//! The answers of `cargo perftest push`, `pull` and `sync`; `tests/remote` has the rest.

use crate::bench::Bench;
use crate::export::formats::assert_events;
use perftest_tests::Outcome;

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
fn a_place_that_is_not_there_is_named_by_json_as_by_the_table() {
    let bench = Bench::filled("remote-missing");
    let remote = format!("dir:{}", bench.root.join("nowhere").display());
    let table = bench.answer(&["pull", &remote]);
    let events = bench.json(&["pull", &remote, "--json"]);
    assert_eq!(events[0]["note"], table.trim_end());
    assert!(table.contains("has no history of this project yet: "), "{table}");
    assert_events(&events[0].to_string());
    bench.answer(&["push", &remote]);
    let other = bench.json(&["pull", &remote, "--testbed", "ci/0123456789abcdef", "--json"]);
    assert!(other[0]["note"].as_str().unwrap().contains("of others it has"), "{other:?}");
    assert!(bench.json(&["pull", &remote, "--all", "--json"])[0].get("note").is_none());
}

#[test]
fn a_store_that_may_only_be_read_receives_nothing() {
    let bench = Bench::filled("remote-read-only");
    let remote = format!("dir:{}", bench.root.join("shared").display());
    let mut pull = bench.command();
    let pulled = Outcome::of(pull.args(["pull", &remote]).env("PERFTEST_STORE", "read-only"));
    pulled.ended_with(2).warns(&["`read-only`"]);
}
