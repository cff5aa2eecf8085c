//! `drift`: over a written history.

use crate::bench::{Bench, green, line_with};
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Evidence, Probes, Reason, Run,
};
use perftest_store::AcceptanceFile;
use perftest_store::conformance::example_run;
use serde_json::Value;
use std::fs;

/// A green of so many nanoseconds.
fn run(ordinal: u64, value: f64) -> Run {
    let mut run = example_run(ordinal);
    for measurement in &mut run.measurements {
        measurement.value = value;
        measurement.probes = Probes::default();
    }
    run.on_processor_time.clear();
    run.flags.clear();
    run.revision.commit = format!("{ordinal:040}");
    // Else it would be a run that was slow for no known reason.
    green(run)
}

/// With `count` runs, each 0.5% slower than the one before.
fn drifting(name: &str, count: u64) -> Bench {
    drifting_by(name, 1.005, count)
}

/// With `count` runs, each so many times as slow as the one before.
fn drifting_by(name: &str, growth: f64, count: u64) -> Bench {
    let bench = Bench::new(name);
    (0..count).for_each(|nth| bench.append(&run(nth, 1_000.0 * growth.powi(nth as i32))));
    bench
}

fn report(bench: &Bench) -> Value {
    let [drift] = bench.run(&["drift", "--json"]).json().try_into().unwrap();
    drift
}

#[test]
fn a_slow_drift_is_reported_with_its_anchor_and_an_exit_code() {
    let bench = drifting("drifted", 40);
    let text = bench.run(&["drift", "encode"]).ended_with(1).stdout;
    let line = line_with(&text, "codec::frame::encode");
    for part in
        ["1.023 us", "000000000 2026-01-01 00:09", "1.203 us", "1.18x [", "1.05x", "drifted"]
    {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert_eq!(report(&bench)["drifted"], true);
    let other = BenchmarkId::from_recorded("codec::frame::decode");
    bench.append(&Run { benchmark: other, ..run(0, 1_000.0) });
    fs::write(bench.history_file("codec-frame-decode"), "name,value\n").unwrap();
    // A drift is graver than an unreadable file.
    bench.run(&["drift"]).ended_with(1).warns(&["codec-frame-decode"]);
}

#[test]
fn what_drifted_comes_first_and_a_long_rest_is_counted() {
    let bench = drifting("drift-many", 40);
    for nth in 0..30 {
        let benchmark = BenchmarkId::from_recorded(format!("codec::a::test{nth:02}"));
        bench.append(&Run { benchmark, ..run(0, 1_000.0) });
    }
    let text = |args: &[&str]| bench.run(args).stdout;
    let folded = text(&["drift"]);
    assert!(folded.lines().nth(1).unwrap().contains("codec::frame::encode"), "{folded}");
    assert!(folded.ends_with("and 11 more, none of which drifted: --all lists them\n"), "{folded}");
    assert_eq!(text(&["drift", "--all"]).lines().count(), 32);
}

#[test]
fn a_test_that_stands_and_one_with_few_runs_are_no_drift() {
    let bench = Bench::new("stands");
    (0..14).for_each(|nth| bench.append(&run(nth, 1_000.0 + nth as f64)));
    assert!(bench.answer(&["drift"]).contains("14 of 15 comparable runs"));
    assert_eq!(report(&bench)["drifted"], Value::Null);
    bench.append(&run(14, 1_014.0));
    assert!(bench.answer(&["drift"]).contains("stands"));
    assert_eq!(report(&bench)["drifted"], false);
    assert!(Bench::new("no-drift").answer(&["drift"]).contains("nothing is recorded"));
}

#[test]
fn a_doubtful_drift_and_a_red_at_the_end_are_no_standing_tests() {
    let bench = Bench::new("doubtful");
    let values = [900.0, 1_100.0].into_iter().cycle().take(15);
    let values = values.chain([1_150.0, 1_000.0, 1_150.0, 1_000.0, 1_150.0]);
    values.zip(0..).for_each(|(value, nth)| bench.append(&run(nth, value)));
    assert!(bench.answer(&["drift"]).contains("not proven"));
    let red = |evidence: Evidence| Evidence { reason: Reason::Red, ..evidence };
    let slow = run(20, 2_000.0);
    bench.append(&Run { evidence: slow.evidence.clone().map(red), ..slow });
    assert!(bench.answer(&["drift"]).contains("red now"));
    assert_eq!(
        (&report(&bench)["drifted"], &report(&bench)["red_now"]),
        (&false.into(), &true.into())
    );
    // A green of known code does not count for the baseline, and ends the red all the same.
    bench.append(&Run { counts_for_baseline: false, ..run(21, 1_000.0) });
    assert!(bench.answer(&["drift"]).contains("not proven"));
}

/// An acceptance that names the test, given at this time.
fn accept(bench: &Bench, given_ms: u64) -> Acceptance {
    accept_all(bench, "codec::frame::encode", given_ms)
}

fn accept_all(bench: &Bench, pattern: &str, given_ms: u64) -> Acceptance {
    let entry = Acceptance {
        id: "A".into(),
        benchmark: BenchmarkPattern::new(pattern),
        testbed: "*".into(),
        max_ratio: 1.4,
        reason: "checksums".into(),
        given_ms,
        until_ms: None,
    };
    AcceptanceFile::in_root(&bench.root.join("project")).add(&entry).unwrap();
    entry
}

#[test]
fn a_red_that_was_accepted_is_no_red_now() {
    let bench = Bench::new("accepted-red");
    (0..15).for_each(|nth| bench.append(&run(nth, 1_000.0 + nth as f64)));
    let red = |evidence: Evidence| Evidence { reason: Reason::Red, ..evidence };
    let slow = run(15, 1_400.0);
    let slow = Run { evidence: slow.evidence.clone().map(red), ..slow };
    bench.append(&slow);
    assert_eq!(report(&bench)["red_now"], true);
    accept(&bench, slow.started_ms + 1);
    assert_eq!(report(&bench)["red_now"], false);
    assert!(!bench.answer(&["drift"]).contains("red now"));
}

#[test]
fn an_accepted_level_is_the_new_anchor() {
    let bench = drifting("anchored", 10);
    let entry = accept(&bench, 1);
    let under = |nth| Run { acceptance: Some(entry.id.clone()), ..run(nth, 1_400.0 + nth as f64) };
    (10..15).for_each(|nth| bench.append(&under(nth)));
    assert!(bench.answer(&["drift"]).contains("1.47x"), "the old anchor and what was accepted");
    (15..25).for_each(|nth| bench.append(&under(nth)));
    assert!(report(&bench)["anchor"].as_f64().unwrap() > 1_400.0, "an anchor of its own");
}

#[test]
fn an_acceptance_under_the_former_name_holds_under_the_new_one() {
    let bench = Bench::new("drift-renamed");
    let entry = accept(&bench, run(10, 1.0).started_ms);
    let under = |nth, value| Run { acceptance: Some(entry.id.clone()), ..run(nth, value) };
    (0..10).for_each(|nth| bench.append(&run(nth, 1_000.0)));
    (10..25).for_each(|nth| bench.append(&under(nth, 1_250.0)));
    assert_eq!(report(&bench)["drifted"], false);
    let name = BenchmarkId::from_recorded;
    let formerly = Some(name("codec::frame::encode"));
    bench.append(&Run { benchmark: name("other::pack"), formerly, ..under(25, 1_250.0) });
    assert_eq!(report(&bench)["drifted"], false);
    let checked = bench.run(&["accept", "--list"]).stdout;
    assert!(checked.contains("checksums") && !checked.contains("no such test"), "{checked}");
}

#[test]
fn the_anchor_under_the_former_name_is_that_of_a_test_as_long_as_it_has_the_key() {
    let bench = Bench::new("drift-key");
    let name = BenchmarkId::from_recorded;
    let renamed =
        |nth, formerly| Run { benchmark: name("codec::pack"), formerly, ..run(nth, 1_250.0) };
    (0..10).for_each(|nth| bench.append(&run(nth, 1_000.0)));
    let formerly = Some(name("codec::frame::encode"));
    (10..40).for_each(|nth| bench.append(&renamed(nth, formerly.clone())));
    let anchor = || {
        let lines = bench.run(&["drift", "pack", "--json"]).json();
        let [drift]: [Value; 1] = lines.try_into().unwrap();
        (drift["anchor"].as_f64().unwrap().round(), drift["drifted"] == true)
    };
    assert_eq!(anchor(), (1_000.0, true));
    bench.append(&renamed(40, None));
    assert_eq!(anchor(), (1_250.0, false));
}

#[test]
fn an_acceptance_is_used_as_long_as_a_drift_would_come_back_without_it() {
    let standing = |name, growth: f64, pattern: &str| {
        let bench = drifting_by(name, growth, 40);
        let entry = accept_all(&bench, pattern, 1);
        let value = 1_000.0 * growth.powi(40);
        let under = |nth| Run { acceptance: Some(entry.id.clone()), ..run(nth, value) };
        (40..52).for_each(|nth| bench.append(&under(nth)));
        let [line] = bench.json(&["accept", "--list", "--json"]).try_into().unwrap();
        line["standing"].as_str().unwrap().to_owned()
    };
    assert_eq!(standing("drift-used", 1.005, "codec::frame::encode"), "used");
    assert_eq!(standing("flat-unused", 1.0, "codec::frame::encode"), "unused");
    assert_eq!(standing("drift-of-many", 1.005, "codec::*"), "unused");
}
