//! Commands over many histories, which are read at once.

use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
use std::fs;

/// Histories of 3 runs each, every other one with a damaged line.
const HISTORIES: usize = 40;

fn name(history: usize) -> String {
    format!("codec::case_{history:02}")
}

fn damaged(bench_name: &str) -> Bench {
    let bench = Bench::new(bench_name);
    let rule = "[[threshold]]\nname = \"latency\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";
    fs::write(bench.root.join("project/perftest.toml"), rule).unwrap();
    for history in 0..HISTORIES {
        for ordinal in 0..3 {
            let benchmark = BenchmarkId::from_recorded(name(history));
            bench.append(&Run { benchmark, ..example_run(ordinal) });
        }
        if history % 2 == 0 {
            let file = bench.history_file(&format!("codec-case_{history:02}"));
            let lines = fs::read_to_string(&file).unwrap();
            fs::write(file, lines.replacen("\"samples\":", "\"simples\":", 1)).unwrap();
        }
    }
    bench
}

#[test]
fn answers_and_damage_come_in_the_order_of_the_histories() {
    let bench = damaged("many");
    for args in [
        &["check", "--all", "--branch", "*", "--json"][..],
        &["changepoints", "--json"],
        &["rank", "--json"],
        &["drift", "--json"],
        &["power", "--json"],
        &["report", "--out", "-"],
    ] {
        let Outcome { stdout: out, stderr: err, .. } = bench.run(args);
        let warnings: Vec<&str> = err.lines().filter(|it| it.contains("damaged")).collect();
        // The names have the order of the histories.
        assert!(warnings.is_sorted() && warnings.len() == HISTORIES / 2, "{args:?}: {err}");
        let first = |history: usize| out.find(&name(history)).unwrap_or_else(|| panic!("{out}"));
        assert!((0..HISTORIES).map(first).is_sorted(), "{args:?}: {out}");
    }
}
