//! A run is what its user made, whatever it has recorded: several metrics, and fresh processes.

use crate::bench::{Bench, green, line_with, measured};
use perftest_core::model::{Measurement, Metric, Revision, Run, RunId};
use serde_json::Value;
use std::fs;

/// Runs of two metrics: one with four fresh processes beside it, and one that two others confirmed.
fn three_runs(name: &str) -> Bench {
    let bench = Bench::new(name);
    for (ordinal, mark, processes) in
        [(0, Some(Run::PROVISIONAL), 4), (1, Some(Run::CONFIRMING), 2), (2, None, 0)]
    {
        for (metric, value) in [(Metric::wall(), 57.0), (Metric::allocations(), 12.0)] {
            let run = Run { metric, ..run(ordinal, value) };
            for process in 0..processes {
                let id = RunId::new(run.started_ms, 100 + process);
                let flags = mark.map(str::to_owned).into_iter().collect();
                let counts_for_baseline = mark == Some(Run::PROVISIONAL);
                let evidence = None;
                bench.append(&Run { id, flags, counts_for_baseline, evidence, ..run.clone() });
            }
            bench.append(&run);
        }
    }
    bench
}

fn run(ordinal: u64, value: f64) -> Run {
    let revision = Revision { commit: format!("{ordinal:040}"), ..Revision::default() };
    green(Run { revision, ..measured(ordinal, vec![Measurement::of_value(value); 4]) })
}

#[test]
fn every_command_counts_the_runs_that_were_made() {
    let bench = three_runs("counts");
    for command in [
        &["history", "--json"][..],
        &["power", "--json"],
        &["rank", "--by", "dispersion", "--json"],
        &["testbeds", "--json"],
        &["gc", "--dry-run", "--json"],
    ] {
        let lines = bench.json(command);
        // The sum of all histories is of all.
        let is_one = |line: &&Value| line["benchmark"] != Value::Null || command[0] != "power";
        let counts: Vec<&Value> = lines
            .iter()
            .filter(is_one)
            .map(|line| &line["runs"])
            .filter(|runs| !runs.is_null())
            .collect();
        assert!(
            !counts.is_empty() && counts.iter().all(|runs| **runs == 3),
            "{command:?} {lines:?}"
        );
    }
}

#[test]
fn power_advises_more_runs_by_the_number_that_it_counts() {
    let bench = Bench::new("counts-advised");
    let first = run(0, 57.0);
    for process in 0..4 {
        let id = RunId::new(first.started_ms, 100 + process);
        let values = [Measurement::of_value(57.0 * (1.0 + 0.1 * process as f64)); 4];
        let flags = vec![Run::PROVISIONAL.to_owned()];
        let beside = Run { id, flags, measurements: values.into(), ..first.clone() };
        bench.append(&Run { counts_for_baseline: true, evidence: None, ..beside });
    }
    bench.append(&first);
    let line = bench.json(&["power", "--json"]).remove(0);
    assert_eq!(line["runs"], 1, "{line}");
    let helped_by = line["helped_by"].as_str().unwrap();
    assert!(helped_by.starts_with("more runs of other commits (1 of 30 runs)"), "{helped_by}");
}

#[test]
fn a_rule_judges_the_runs_that_were_made() {
    let bench = three_runs("counts-checked");
    let rule = "[[threshold]]\nname = \"latency\"\nmetric = \"*\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";
    fs::write(bench.root.join("project/perftest.toml"), rule).unwrap();
    let lines = bench.json(&["check", "--json"]);
    let counts: Vec<&Value> =
        lines.iter().map(|line| &line["runs"]).filter(|runs| !runs.is_null()).collect();
    assert!(counts.len() == 2 && counts.iter().all(|runs| **runs == 3), "{lines:?}");
}

#[test]
fn what_a_history_lacks_is_told_in_runs() {
    let bench = three_runs("counts-lacking");
    let drift = bench.answer(&["drift", "--all"]);
    assert!(
        line_with(&drift, "codec::frame::encode").ends_with("3 of 15 comparable runs"),
        "{drift}"
    );
    assert!(bench.answer(&["gc"]).starts_with("nothing to do: 3 runs of 1 history"));
}

#[test]
fn older_runs_than_the_limit_are_noted() {
    let bench = Bench::new("counts-older");
    bench.add("encode", 70, |_| 1_000.0);
    bench.add("decode", 40, |_| 1_000.0);
    let page = bench.root.join("report.html");
    let report = ["report", "--out", page.to_str().unwrap()];
    for command in [&["changepoints"][..], &["rank"], &["rank", "--by", "dispersion"], &report] {
        let answer = |limit| bench.answer(&[command, &["--limit", limit]].concat());
        let note = |histories| {
            format!("note: {histories} with older runs that were not looked at: --limit takes more")
        };
        assert!(answer("30").contains(&note("2 histories")), "{command:?}");
        assert!(answer("40").contains(&note("1 history")), "{command:?}");
        assert!(!answer("70").contains("older runs"), "{command:?}");
    }
    let has_older = |command: &str| -> Vec<Value> {
        let lines = bench.json(&[command, "--limit", "40", "--json"]);
        lines.iter().map(|line| line["left_out"]["older"].clone()).collect()
    };
    for command in ["changepoints", "rank"] {
        assert_eq!(has_older(command), [false, true], "{command}");
    }
    let table = bench.answer(&["history", "--limit", "40"]);
    assert!(line_with(&table, "codec::decode").contains(" 40 "), "{table}");
    assert!(line_with(&table, "codec::encode").contains(" 40+ "), "{table}");
}

#[test]
fn rank_and_changepoints_find_the_same_old_change() {
    let bench = Bench::new("counts-old-change");
    bench.add("encode", 250, |nth| if nth < 30 { 1_000.0 } else { 1_200.0 });
    for command in ["changepoints", "rank"] {
        let text = bench.answer(&[command]);
        assert!(line_with(&text, "codec::encode").contains("000000029..000000030"), "{text}");
    }
}

#[test]
fn a_limit_of_history_is_a_number_of_runs_that_were_made() {
    let bench = three_runs("limits");
    for (limit, runs) in [(1, 1), (2, 2), (3, 3), (9, 3)] {
        let limit = limit.to_string();
        let lines = bench.json(&["history", "--limit", &limit, "--json"]);
        assert!(lines.iter().all(|line| line["runs"] == runs), "{limit}: {lines:?}");
        let lines = bench.json(&["history", "--errors", "--limit", &limit, "--json"]);
        let of_tests = lines.iter().filter(|line| line["event"] == "errors");
        assert!(of_tests.clone().count() == 2, "{lines:?}");
        assert!(of_tests.clone().all(|line| line["decisions"] == runs), "{limit}: {lines:?}");
    }
}
