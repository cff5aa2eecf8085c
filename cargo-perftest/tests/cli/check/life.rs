//! The life of an alert.

use super::{CHANGE, checked, commit, filled, is, of_commit, rules, run, state, table};
use crate::bench::{Bench, line_with};
use perftest_core::model::{BenchmarkId, Direction, Metric, Run};
use perftest_tests::Outcome;
use serde_json::Value;
use std::fs;

const DAY_MS: u64 = 86_400_000;

#[test]
fn an_alert_is_opened_with_its_suspects_and_resolves_itself() {
    let bench = Bench::new("check-opened");
    rules(&bench, CHANGE);
    for (nth, commit) in (0..).zip(["a0", "a1", "a2", "a3"]) {
        bench.append(&of_commit(nth, 100.0, commit));
    }
    is((0, "quiet"), state(&bench));
    assert!(table(&bench, &[]).contains("no alert on branch main\n1 quiet\n"));
    bench.append(&of_commit(4, 125.0, "b4"));
    bench.append(&of_commit(5, 126.0, "b5"));
    let text = table(&bench, &[]);
    let line = line_with(&text, "codec::frame::encode");
    for part in [
        "wall",
        "local/7f3a2b",
        "main",
        "a30000000..b40000000",
        "100.0 ns",
        "126.0 ns",
        "1.26x",
        "latency: change max=30",
        "open",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(text.contains("check --acknowledge codec::frame::encode --reason"), "{text}");
    let (code, alerts, all) = checked(&bench, &[]);
    let alert = &alerts[0];
    assert_eq!((code, &all["open"], &alert["state"]), (1, &1.into(), &"open".into()));
    assert_eq!(alert["after_commit"], format!("{:0<40}", "a3"));
    assert_eq!(alert["upto_commit"], format!("{:0<40}", "b4"));
    assert_eq!((&alert["may_be_code"], &alert["worse"]), (&true.into(), &true.into()));
    assert_eq!((&alert["before"], &alert["opened_by_value"]), (&100.0.into(), &125.0.into()));
    assert_eq!(alert["ratio"], 1.26);
    assert_eq!(alert["opened_by_run"], run(4, 0.0).id.as_str());

    (6..10).for_each(|nth| bench.append(&of_commit(nth, 101.0, &format!("c{nth}"))));
    is((1, "open"), state(&bench));
    assert!(table(&bench, &[]).contains("  open: 4 of 5 values back\n"));
    let (_, alerts, _) = checked(&bench, &[]);
    assert_eq!((&alerts[0]["returned"], &alerts[0]["resolve_after"]), (&4.into(), &5.into()));
    bench.append(&of_commit(10, 101.0, "d0"));
    is((0, "resolved"), state(&bench));
    assert!(!table(&bench, &[]).contains("c60000000"));
    let resolved = table(&bench, &["--all"]);
    assert!(resolved.contains("resolved since c60000000"), "{resolved}");
    bench.append(&of_commit(11, 130.0, "d1"));
    let another = line_with(&table(&bench, &[]), "codec::frame::encode").to_owned();
    assert!(another.contains("d00000000..d10000000") && another.ends_with("open"), "{another}");
}

#[test]
fn a_further_step_opens_the_alert_again_and_names_both() {
    let bench = Bench::new("check-further");
    rules(&bench, &format!("{CHANGE}max_sample_size = 3\nresolve_after = 2\n"));
    for (nth, value) in (0..).zip([100.0, 100.0, 100.0, 125.0, 125.0, 125.0, 125.0, 160.0]) {
        bench.append(&of_commit(nth, value, &format!("a{nth}")));
    }
    let line = line_with(&table(&bench, &[]), "codec::frame::encode").to_owned();
    for part in ["a20000000..a30000000, further a60000000..a70000000", "1.60x", "re-opened once"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let (_, alerts, _) = checked(&bench, &[]);
    assert_eq!(alerts[0]["before"], 100.0);
    assert_eq!(alerts[0]["further_upto_commit"], format!("{:0<40}", "a7"));
}

#[test]
fn a_load_of_the_weekend_opens_no_alert_and_a_step_beside_it_does() {
    // A Monday.
    const START_MS: u64 = 1_767_571_200_000;
    let bench = Bench::new("check-season");
    rules(&bench, &format!("{CHANGE}max_sample_size = 5\n"));
    let append = |nth: u64, level: f64| {
        let load = if nth % 7 >= 5 { 1.2 } else { 1.0 };
        let value = level * load * (100.0 + (nth * 7 % 11) as f64 / 10.0);
        let mut run = of_commit(nth, value, &format!("a{nth:02}"));
        run.started_ms = START_MS + nth * DAY_MS;
        bench.append(&run);
    };
    (0..70).for_each(|nth| append(nth, 1.0));
    let (code, alerts, _) = checked(&bench, &["--reevaluate", "--all"]);
    assert_eq!((code, &alerts[0]["state"]), (0, &"quiet".into()));
    assert!(alerts[0]["season"].as_str().unwrap().contains("weekly pattern"), "{}", alerts[0]);
    (70..74).for_each(|nth| append(nth, 1.3));
    let text = table(&bench, &["--reevaluate"]);
    let line = line_with(&text, "codec::frame::encode");
    assert!(line.contains("a69000000..a70000000"), "{line}");
    assert!(line.contains("open; without a weekly pattern of +20% (Saturday, Sunday)"), "{line}");
    assert!(text.contains("  judged without a weekly pattern of +20%"), "{text}");
}

#[test]
fn the_first_weekends_open_alerts_with_a_note_that_they_may_be_a_season() {
    // A Monday.
    const START_MS: u64 = 1_767_571_200_000;
    let bench = Bench::new("check-first-weekend");
    rules(&bench, &format!("{CHANGE}max_sample_size = 5\n"));
    for nth in 0..7 {
        let mut run = of_commit(nth, if nth < 5 { 100.0 } else { 120.0 }, &format!("a{nth}"));
        run.started_ms = START_MS + nth * DAY_MS;
        bench.append(&run);
    }
    is((1, "open"), state(&bench));
    let note = "note: 1 open alert on histories of less than three weeks";
    assert!(table(&bench, &[]).contains(note), "{}", table(&bench, &[]));
    assert_eq!(checked(&bench, &[]).1[0]["too_short_for_season"], true);
    let bench = filled("check-no-weekend", CHANGE, &[100.0, 100.0, 120.0]);
    is((1, "open"), state(&bench));
    assert!(!table(&bench, &[]).contains("three weeks"), "these are runs of minutes");
}

#[test]
fn a_far_run_alone_opens_no_alert_where_two_alarms_are_asked_for() {
    let rule = format!("{CHANGE}open_after = 2\n");
    let bench = filled("check-far", &rule, &[100.0, 100.0, 100.0, 150.0]);
    is((0, "waiting"), state(&bench));
    let folded = "no alert on branch main\n1 waiting\n  \
                  waiting: 2 alarms in a row open an alert, those of one commit count once (1)\n";
    assert!(table(&bench, &[]).contains(folded), "{}", table(&bench, &[]));
    let all = table(&bench, &["--all"]);
    assert!(all.contains("waiting: 1 of 2 alarms in a row"), "{all}");
    assert_eq!(checked(&bench, &[]).2["waiting"], 1);
    bench.append(&run(4, 100.0));
    is((0, "quiet"), state(&bench));
    bench.append(&run(5, 150.0));
    bench.append(&run(6, 151.0));
    is((1, "open"), state(&bench));
    let alert = &checked(&bench, &[]).1[0];
    assert_eq!((&alert["before"], &alert["opened_by_value"]), (&100.0.into(), &150.0.into()));
    assert!((5..=6).any(|nth| alert["upto_commit"] == commit(nth)), "{alert}");
}

#[test]
fn an_alert_on_the_newest_run_alone_is_noted_with_the_key_that_waits_for_another_run() {
    let note = "note: 1 open alert on the newest run alone: run the tests again, or write `open_after = 2`";
    let bench = filled("check-one-run", CHANGE, &[100.0, 100.0, 100.0, 150.0]);
    assert!(table(&bench, &[]).contains(note), "{}", table(&bench, &[]));
    bench.append(&run(4, 150.0));
    assert!(!table(&bench, &[]).contains("alone"), "{}", table(&bench, &[]));
    let twice = format!("{CHANGE}open_after = 2\n");
    let bench = filled("check-two-runs", &twice, &[100.0, 100.0, 100.0, 150.0, 150.0]);
    is((1, "open"), state(&bench));
    assert!(!table(&bench, &[]).contains("alone"), "{}", table(&bench, &[]));
}

#[test]
fn an_open_alert_of_a_test_that_has_not_run_for_long_is_noted() {
    let bench = filled("check-idle", CHANGE, &[100.0, 100.0, 150.0, 150.0]);
    let note = "note: 1 open alert of tests without a run in the last 30 days";
    assert!(!table(&bench, &[]).contains(note), "{}", table(&bench, &[]));
    let mut other = run(4, 100.0);
    other.benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    other.started_ms += 40 * DAY_MS;
    bench.append(&other);
    assert!(table(&bench, &[]).contains(note), "{}", table(&bench, &[]));
}

#[test]
fn as_many_values_as_asked_for_resolve_an_alert() {
    let rule = format!("{CHANGE}resolve_after = 2\n");
    let bench = filled("check-resolve", &rule, &[100.0, 100.0, 125.0, 100.0]);
    is((1, "open"), state(&bench));
    bench.append(&run(4, 100.0));
    is((0, "resolved"), state(&bench));
}

#[test]
fn an_acknowledged_alert_is_silent_until_it_is_half_as_large_again() {
    let rule = format!("{CHANGE}resolve_after = 1\n");
    let bench = filled("check-known", &rule, &[100.0, 100.0, 100.0, 120.0]);
    let (code, text) = bench.refusal(&["check", "--acknowledge", "encode"]);
    assert!(code == 2 && text.contains("--reason"), "{text}");
    let args = ["check", "--acknowledge", "encode", "--reason", "until the new format"];
    let text = bench.answer(&args);
    assert!(
        text.contains(
            "latency: wall of codec::frame::encode on local/7f3a2b, 100.0 ns -> 120.0 ns"
        )
    );
    assert!(text.contains("perf-accept.jsonl: commit it"), "{text}");
    is((0, "acknowledged"), state(&bench));
    assert!(table(&bench, &[]).contains("acknowledged: until the new format"));
    let (code, text) = bench.refusal(&args);
    assert!(code == 2 && text.contains("no alert of `encode` is open"), "{text}");

    bench.append(&run(4, 128.0));
    is((0, "acknowledged"), state(&bench));
    bench.append(&run(5, 150.0));
    is((1, "open"), state(&bench));
    let text = bench.answer(&args);
    is((0, "acknowledged"), state(&bench));

    let id = text.split("--revoke ").nth(1).unwrap().trim();
    assert!(bench.answer(&["check", "--revoke", id]).contains("commit that"));
    is((1, "open"), state(&bench));
    assert_eq!(bench.refusal(&["check", "--revoke", id]).0, 2);
    bench.answer(&args);
    assert!(!table(&bench, &["--all"]).contains(id));
    for (nth, value, expected) in [(6, 100.0, (0, "resolved")), (7, 150.0, (1, "open"))] {
        bench.append(&run(nth, value));
        is(expected, state(&bench));
    }
    let idle = "acknowledges no live alert (latency of codec::frame::encode)";
    assert_eq!(table(&bench, &["--all"]).matches(idle).count(), 2);
    assert!(!table(&bench, &[]).contains(idle));
}

#[test]
fn an_acknowledgement_before_a_further_step_is_idle_only_once_the_alert_is_over() {
    let rule = format!("{CHANGE}resolve_after = 1\n");
    let bench = filled("check-known-further", &rule, &[100.0, 100.0, 100.0, 120.0]);
    let acknowledge =
        || bench.answer(&["check", "--acknowledge", "encode", "--reason", "checksums"]);
    let idle = || table(&bench, &["--all"]).matches("acknowledges no live alert").count();
    acknowledge();
    bench.append(&run(4, 150.0));
    is((1, "open"), state(&bench));
    assert_eq!(idle(), 0, "the step from 120 is a further one because of it");
    acknowledge();
    is((0, "acknowledged"), state(&bench));
    assert_eq!(idle(), 0);
    bench.append(&run(5, 100.0));
    is((0, "resolved"), state(&bench));
    assert_eq!(idle(), 2);
}

#[test]
fn programs_are_reported_what_was_acknowledged_and_taken_back() {
    let bench = filled("check-known-json", CHANGE, &[100.0, 100.0, 100.0, 120.0]);
    let report = |args: &[&str]| -> Value {
        let text = bench.answer(&[&["check", "--json"], args].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let known = report(&["--acknowledge", "encode", "--reason", "checksums"]);
    assert_eq!(
        (&known["event"], &known["benchmark"], &known["reason"], &known["value"]),
        (
            &"acknowledged".into(),
            &"codec::frame::encode".into(),
            &"checksums".into(),
            &120.0.into()
        )
    );
    let revoked = report(&["--revoke", known["id"].as_str().unwrap()]);
    assert_eq!((&revoked["event"], &revoked["id"]), (&"revoked".into(), &known["id"]));
}

#[test]
fn a_value_on_its_way_back_below_a_level_that_broke_the_limit_reduces_no_acknowledgement() {
    let rule = "[[threshold]]\nname = \"latency\"\ntest = \"static\"\nupper = 100\n";
    let bench = filled("check-known-limit", rule, &[120.0, 120.0, 105.0]);
    is((1, "open"), state(&bench));
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "known"]);
    for (nth, value) in (3..).zip([105.0, 120.0, 129.0]) {
        bench.append(&run(nth, value));
        is((0, "acknowledged"), state(&bench));
    }
    bench.append(&run(6, 131.0));
    is((1, "open"), state(&bench));
}

#[test]
fn an_acknowledgement_is_of_one_threshold_metric_testbed_and_branch() {
    let two = format!("{CHANGE}metric = \"*\"\n{}", CHANGE.replace("latency", "other"));
    let bench = filled("check-known-one", &two, &[]);
    for (nth, value) in (0..).zip([100.0, 100.0, 120.0]) {
        bench.append(&run(nth, value));
        bench.append(&Run { metric: Metric::allocations(), ..run(nth, value) });
    }
    assert_eq!(checked(&bench, &[]).2["open"], 3);
    let args = ["check", "--acknowledge", "encode", "--reason", "x", "--threshold", "latency"];
    bench.answer(&[&args[..], &["--metric", "allocs"]].concat());
    let (_, alerts, _) = checked(&bench, &[]);
    let known: Vec<&Value> = alerts.iter().filter(|it| it["state"] == "acknowledged").collect();
    assert_eq!(known.len(), 1);
    assert_eq!(
        (&known[0]["metric"], &known[0]["threshold"]),
        (&"allocs".into(), &"latency".into())
    );
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "x"]);
    assert_eq!(checked(&bench, &[]).2["acknowledged"], 3);
}

#[test]
fn an_improvement_is_reported_and_fails_nothing_unless_that_is_asked_for() {
    let bench = filled("check-better", CHANGE, &[100.0, 100.0, 80.0]);
    is((0, "improved"), state(&bench));
    assert!(line_with(&table(&bench, &[]), "encode").contains("0.80x"));
    (3..8).for_each(|nth| bench.append(&run(nth, 80.0)));
    assert!(table(&bench, &[]).contains("no alert on branch main\n1 improved"), "no news any more");
    rules(&bench, &format!("{CHANGE}fail_on = \"both\"\n"));
    is((1, "open"), state(&bench));
    assert!(table(&bench, &[]).contains("open: better, and fail_on"));

    let bench = Bench::new("check-throughput");
    rules(&bench, &format!("{CHANGE}metric = \"rate\"\n"));
    let metric =
        Metric { name: "rate".into(), unit: "items/s".into(), direction: Direction::Higher };
    for (nth, value) in (0..).zip([100.0, 100.0, 80.0]) {
        bench.append(&Run { metric: metric.clone(), ..run(nth, value) });
    }
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["side"]), (1, &"lower".into()));
    assert_eq!(alerts[0]["ratio"], 1.25);
}

#[test]
fn neither_an_improvement_nor_half_a_repair_hides_what_is_worse() {
    let short = format!("{CHANGE}max_sample_size = 3\n");
    let bench = filled("check-back", &short, &[100.0, 100.0, 100.0, 50.0, 50.0, 65.0]);
    is((1, "open"), state(&bench));
    assert!(line_with(&table(&bench, &[]), "encode").contains("1.30x"));
    let half = [100.0, 100.0, 100.0, 200.0, 200.0, 200.0, 200.0, 170.0];
    let bench = filled("check-half", &short, &half);
    is((1, "open"), state(&bench));
    assert!(line_with(&table(&bench, &[]), "encode").contains("1.70x"));
    (8..13).for_each(|nth| bench.append(&run(nth, 100.0)));
    is((0, "resolved"), state(&bench));
}

#[test]
fn a_reason_breaks_no_row_whatever_it_contains() {
    let bench = filled("check-reason", CHANGE, &[100.0, 100.0, 120.0]);
    let reason = "until the\n\tnew format";
    bench.answer(&["check", "--acknowledge", "encode", "--reason", reason]);
    let report = "acknowledged: until the new format\n1 acknowledged\n";
    assert!(table(&bench, &[]).contains(report));
    let file = bench.root.join("project/perf-accept.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("until the new format", "until the\\n\\tnew format")).unwrap();
    assert!(table(&bench, &[]).contains(report));
}

#[test]
fn the_exit_code_is_that_of_the_verdict_when_the_output_is_closed() {
    let bench = filled("check-unread", CHANGE, &[100.0, 100.0, 100.0, 120.0]);
    for (arguments, code) in [(&["check"][..], 1), (&["check", "--json"], 1), (&["history"], 0)] {
        let (reader, writer) = std::io::pipe().expect("the system has pipes");
        drop(reader);
        let output = Outcome::of(bench.command().args(arguments).stdout(writer));
        assert_eq!((output.code, &*output.stderr), (Some(code), ""), "{arguments:?}");
    }
}
