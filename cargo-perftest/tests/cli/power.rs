//! `power`: what the tests of a written history can see.

use crate::bench::{Bench, green, line_with, measured, red};
use perftest_core::model::{BenchmarkId, CodeState, Environment, Measurement, Reason, Run};
use serde_json::Value;

/// Deterministic, between -1 and 1, without any pattern that matters.
fn noise(index: u64) -> f64 {
    2.0 * (index as f64 * 0.618_033_988_75).fract() - 1.0
}

/// A green of fifteen measurements, of code of its own; its center is off by at most `spread`.
fn run(test: &str, ordinal: u64, spread: f64) -> Run {
    let center_ns = 400_000.0 * (1.0 + spread * noise(ordinal));
    let value = |index| center_ns * (1.0 + 0.003 * noise(31 * ordinal + index));
    let text = format!("{ordinal:016x}");
    green(Run {
        benchmark: BenchmarkId::from_recorded(format!("codec::{test}")),
        code: CodeState { executable: text.clone(), text, programs: Vec::new() },
        environment: Environment::default(),
        ..measured(ordinal, (0..15).map(|it| Measurement::of_value(value(it))).collect())
    })
}

/// With thirty runs each of a steady and of a restless test.
fn recorded(name: &str) -> Bench {
    let bench = Bench::new(name);
    for ordinal in 0..30 {
        bench.append(&run("steady", ordinal, 0.005));
        bench.append(&run("restless", ordinal, 0.08));
    }
    bench
}

fn of<'a>(lines: &'a [Value], test: &str) -> &'a Value {
    lines.iter().find(|line| line["benchmark"] == format!("codec::{test}")).unwrap()
}

fn found(line: &Value, slowdown: f64) -> f64 {
    let found = line["found"].as_array().unwrap();
    let found = found.iter().find(|found| found["slowdown"] == slowdown).unwrap();
    found["rate"]["estimate"].as_f64().unwrap()
}

#[test]
fn a_steady_test_sees_what_a_restless_one_does_not() {
    let bench = recorded("power-json");
    let lines = bench.json(&["power", "--replay", "--decisions", "40", "--json"]);
    assert_eq!(lines.len(), 3);
    let (steady, restless) = (of(&lines, "steady"), of(&lines, "restless"));
    assert_eq!(steady["detects_twice_its_tolerance"], true);
    assert_eq!((&steady["runs"], &steady["replay_runs"]), (&30.into(), &30.into()));
    assert_eq!(restless["detects_twice_its_tolerance"], false);
    let number = |line: &Value, key: &str| line[key].as_f64().unwrap();
    for key in ["noise", "smallest_detectable"] {
        assert!(number(restless, key) > 2.0 * number(steady, key), "{key}: {lines:?}");
    }
    // What is computed is what the replays show.
    assert!(number(steady, "false_alarm_rate") < 1e-3);
    assert_eq!(steady["red_rate"]["estimate"], 0.0);
    assert!(steady["red_rate"]["upper"].as_f64().unwrap() > 0.05, "of forty decisions");
    assert_eq!((found(steady, 1.05), found(steady, 1.20), found(steady, 1.50)), (0.0, 1.0, 1.0));
    assert!(found(restless, 1.10) < 0.5, "{restless}");
    assert_eq!(steady["measurements"]["median"], 3.0);
}

#[test]
fn the_blindest_test_comes_first_with_what_would_help_it() {
    let bench = recorded("power-table");
    for ordinal in 0..4 {
        bench.append(&run("young", ordinal, 0.005));
    }
    let text = bench.answer(&["power"]);
    assert!(!text.contains("x1.05") && text.contains("--replay"), "{text}");
    let table = text.lines().take_while(|line| !line.is_empty());
    let tests: Vec<&str> = table.filter_map(|line| line.split("  ").next()).collect();
    let order = ["test", "codec::young", "codec::restless", "codec::steady", "all together"];
    assert_eq!(tests, order, "{text}");
    assert!(line_with(&text, "young").ends_with("4 of 5 comparable runs"), "{text}");
    let restless = line_with(&text, "restless");
    for part in ["x less noise between runs or tolerance = \"", "5%"] {
        assert!(restless.contains(part), "{part} in {restless}");
    }
    assert!(line_with(&text, "codec::steady").ends_with("nothing is missing"), "{text}");
    assert!(line_with(&text, "all together").ends_with("1 of 3 detect twice their tolerance"));
}

#[test]
fn the_advised_tolerance_is_one_of_which_the_test_sees_twice() {
    let bench = recorded("power-advice");
    let advised = |bench: &Bench| {
        let line =
            bench.json(&["power", "restless", "--replay", "--decisions", "1", "--json"]).remove(0);
        let words = line["helped_by"].as_str().unwrap_or_default().to_owned();
        let share = words.split_once("tolerance = \"").map(|(_, rest)| rest.to_owned());
        share.map(|rest| rest.split('%').next().unwrap().parse::<f64>().unwrap() / 100.0)
    };
    let share = advised(&bench).unwrap();
    let mut next = run("restless", 30, 0.08);
    next.evidence.as_mut().unwrap().tolerance =
        perftest_core::model::Tolerance::new(share).unwrap();
    bench.append(&next);
    assert_eq!(advised(&bench), None, "{share}");
}

#[test]
fn too_few_runs_are_reported_with_what_is_needed() {
    let bench = Bench::new("power-few");
    assert!(bench.answer(&["power"]).contains("nothing is recorded"));
    assert_eq!(bench.answer(&["power", "--json"]), "");
    for ordinal in 0..6 {
        bench.append(&run("young", ordinal, 0.002));
    }
    let lines = bench.json(&["power", "young", "--json"]);
    assert!(lines[0]["smallest_detectable"].as_f64().unwrap() > 0.05, "its baseline suffices");
    assert_eq!((&lines[0]["red_rate"], &lines[0]["found"]), (&Value::Null, &Value::Null));
    let text = bench.answer(&["power", "young", "--replay"]);
    assert!(text.contains("x1.05"), "{text}");
    assert!(text.contains("a replay needs 9 runs, here are 6"), "{text}");
    let (code, text) = bench.refusal(&["power", "odl"]);
    assert_eq!(code, 2, "{text}");
    assert_eq!(bench.refusal(&["power", "--replay", "--decisions", "0"]).0, 2);
    assert_eq!(bench.refusal(&["power", "--decisions", "9"]).0, 2, "decisions are replayed ones");
}

#[test]
fn a_true_red_is_no_unchanged_code() {
    let bench = recorded("power-reds");
    let slow = |ordinal| {
        let mut run = red(run("steady", ordinal, 0.005));
        run.measurements.iter_mut().for_each(|it| it.value *= 1.25);
        run
    };
    (30..33).for_each(|ordinal| bench.append(&slow(ordinal)));
    let lines = bench.json(&["power", "steady", "--replay", "--decisions", "20", "--json"]);
    assert_eq!(lines[0]["replay_runs"], 30);
    assert_eq!(lines[0]["red_rate"]["estimate"], 0.0);
}

#[test]
fn improved_runs_and_the_level_before_them_are_not_one_level() {
    let bench = Bench::new("power-improved");
    let improved = |ordinal| {
        let mut run = run("steady", ordinal, 0.005);
        run.measurements.iter_mut().for_each(|it| it.value *= 0.7);
        run.evidence.as_mut().unwrap().reason = Reason::Improved;
        run
    };
    let power = || bench.json(&["power", "--replay", "--decisions", "20", "--json"]).remove(0);
    (0..12).for_each(|ordinal| bench.append(&run("steady", ordinal, 0.005)));
    (12..14).for_each(|ordinal| bench.append(&improved(ordinal)));
    let before = power();
    assert_eq!((&before["runs"], &before["replay_runs"]), (&12.into(), &12.into()));
    (14..24).for_each(|ordinal| bench.append(&improved(ordinal)));
    let present = power();
    assert_eq!(present["runs"], present["replay_runs"]);
    // Three begin the level. Of the others those count that lie among its runs.
    assert!((5..=12).contains(&present["runs"].as_u64().unwrap()), "{present}");
    for power in [before, present] {
        assert!(power["noise"].as_f64().unwrap() < 0.05, "{power}");
        assert_eq!(power["red_rate"]["estimate"], 0.0, "{power}");
    }
}

#[test]
fn the_curve_of_the_author_is_the_one_that_counts() {
    let bench = recorded("power-curve");
    let curve = vec![(9, 2.0), (30, 1.4)];
    bench.append(&Run { curve, ..run("steady", 30, 0.005) });
    let lines = bench.json(&["power", "steady", "--replay", "--decisions", "20", "--json"]);
    assert!((lines[0]["smallest_detectable"].as_f64().unwrap() - 0.4).abs() < 1e-9, "{}", lines[0]);
    assert_eq!((found(&lines[0], 1.20), found(&lines[0], 1.50)), (0.0, 1.0));
    let helped_by = lines[0]["helped_by"].as_str().unwrap();
    assert!(helped_by.starts_with("a lower end of its curve"), "{helped_by}");
}

#[test]
fn runs_that_count_are_found_before_many_that_do_not() {
    let bench = Bench::new("power-uncounted");
    (0..12).for_each(|ordinal| bench.append(&run("steady", ordinal, 0.005)));
    for ordinal in 12..220 {
        bench.append(&Run { counts_for_baseline: false, ..run("steady", ordinal, 0.005) });
    }
    let lines = bench.json(&["power", "--json"]);
    assert_eq!(of(&lines, "steady")["runs"], 12);
}
