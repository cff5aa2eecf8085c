//! `check`: rules of `perftest.toml` over written histories.

mod in_markdown;
mod kept;
mod life;
mod page;
mod refused;
mod watched;

use crate::bench::Bench;
use perftest_core::model::Run;
use perftest_store::conformance::example_run;
use serde_json::Value;
use std::fs;

/// Ten per cent from the median of the runs before.
const CHANGE: &str =
    "[[threshold]]\nname = \"latency\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";

/// Run of commit number `nth` on main, of so many nanoseconds.
fn run(nth: u64, value: f64) -> Run {
    let mut run = example_run(nth);
    run.measurements.iter_mut().for_each(|it| it.value = value);
    run.on_processor_time.clear();
    run.flags.clear();
    run.revision.commit = commit(nth);
    run.revision.base.clear();
    run.revision.branch = "main".into();
    run.revision.dirty = false;
    // Rules judge it all the same, and `gc` makes it part of a summary when it is old.
    run.counts_for_baseline = false;
    run
}

fn commit(nth: u64) -> String {
    format!("{nth:040x}")
}

/// The printed form: nine digits of commits.
fn of_commit(nth: u64, value: f64, commit: &str) -> Run {
    let mut run = run(nth, value);
    run.revision.commit = format!("{commit:0<40}");
    run.code.text = format!("text of {commit}");
    run
}

fn rules(bench: &Bench, text: &str) {
    fs::write(bench.root.join("project/perftest.toml"), text).unwrap();
}

/// A history of these values, and rules.
fn filled(name: &str, text: &str, values_ns: &[f64]) -> Bench {
    let bench = Bench::new(name);
    rules(&bench, text);
    (0..).zip(values_ns).for_each(|(nth, value)| bench.append(&run(nth, *value)));
    bench
}

/// Exit code and JSON lines: those of the alerts, and the last one.
fn checked(bench: &Bench, args: &[&str]) -> (i32, Vec<Value>, Value) {
    let output = bench.run(&[&["check", "--json"], args].concat());
    let mut lines = output.json();
    let last = lines.pop().unwrap_or_else(|| panic!("{output}"));
    (output.code.unwrap(), lines, last)
}

/// Exit code and state where one threshold watches one history.
fn state(bench: &Bench) -> (i32, String) {
    let (code, alerts, _) = checked(bench, &[]);
    let [alert] = alerts.try_into().unwrap();
    (code, alert["state"].as_str().unwrap().to_owned())
}

fn table(bench: &Bench, args: &[&str]) -> String {
    let output = bench.run(&[&["check"], args].concat());
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    output.stdout
}

fn is(expected: (i32, &str), answer: (i32, String)) {
    assert_eq!((answer.0, answer.1.as_str()), expected);
}
