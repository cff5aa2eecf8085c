//! `cargo perftest replay` over recordings that are made here, so that what is in them is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_core::model::{
    CodeState, Environment, InstructionCounter, Measurement, Metric, Probes, Run, RunId, Tag,
};
use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Project, Store};
use perftest_tests::{Outcome, clean_command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const COLUMNS: &str = "run,workload,i,wall_ns,cpu_ns,wait_ns,nivcsw,chain_ns,ref_ns\n";

/// Deterministic noise between -1 and 1 (the finaliser of SplitMix64).
fn noise(index: u64) -> f64 {
    let mut bits = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Time of a sample: processes differ by half a percent, samples of one by as much.
fn time_ns(run: u64, sample: u64) -> f64 {
    400_000.0 * (1.0 + 0.005 * noise(run) + 0.005 * noise(1_000 * (run + 1) + sample))
}

/// Lines of a workload that nothing disturbs; `name` gets `factor` times the time from the run
/// `slow_from` on.
fn lines(name: &str, runs: u64, slow_from: u64, factor: f64) -> String {
    let line = |run: u64, sample: u64| {
        let factor = if run < slow_from { 1.0 } else { factor };
        // The first samples are cold.
        let cold = if sample < 10 { 3.0 } else { 1.0 };
        let ns = (time_ns(run, sample) * factor * cold) as u64;
        format!("{run},{name},{sample},{ns},{ns},0,0,2048,19700\n")
    };
    (0..runs).flat_map(|run| (0..100).map(move |sample| line(run, sample))).collect()
}

struct Recordings {
    root: TempDir,
}

impl Recordings {
    fn new() -> Self {
        Self { root: TempDir::new().unwrap() }
    }

    /// With twenty runs of unchanged code.
    fn steady() -> Self {
        let recordings = Self::new();
        recordings.write("steady.csv", &[COLUMNS, &lines("sort", 20, 20, 1.0)].concat());
        recordings
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }
}

fn replay(place: &Path, options: &[&str]) -> Outcome {
    let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
    Outcome::of(command.args(["perftest", "replay"]).arg(place).args(options))
}

fn json(place: &Path, options: &[&str]) -> Value {
    let output = replay(place, &[options, &["--format", "json"]].concat()).ended_with(0);
    serde_json::from_str(&output.stdout).unwrap()
}

/// Code and text of a refusal; the answer has to be empty.
fn refusal(place: &Path, options: &[&str]) -> (i32, String) {
    replay(place, options).refusal()
}

fn count(figures: &Value, key: &str) -> u64 {
    figures[key].as_u64().unwrap_or_else(|| panic!("{key} in {figures}"))
}

#[test]
fn unchanged_code_is_green_after_a_few_measurements() {
    let recordings = Recordings::steady();
    let overall = &json(recordings.path(), &[])["overall"];
    assert_eq!(count(overall, "decisions"), 200);
    assert_eq!(count(overall, "green"), 200);
    assert_eq!((count(overall, "red"), count(overall, "red_before_confirmation")), (0, 0));
    assert_eq!(overall["measurements"]["median"], 3.0);
    assert_eq!(overall["red_rate"]["estimate"], 0.0);
    let upper = overall["red_rate"]["upper"].as_f64().unwrap();
    // None of 200, exactly.
    assert!((upper - (1.0 - 0.025_f64.powf(1.0 / 200.0))).abs() < 1e-9, "{upper}");
}

#[test]
fn a_planted_slowdown_is_found_in_fresh_processes() {
    let recordings = Recordings::steady();
    let answer = json(recordings.path(), &["--slowdown", "1.3", "--decisions", "20"]);
    let overall = &answer["overall"];
    assert_eq!((count(overall, "decisions"), count(overall, "red")), (20, 20));
    assert_eq!(count(overall, "red_before_confirmation"), 20);
    // Three fresh processes of thirty measurements each.
    assert!(overall["measurements"]["median"].as_f64().unwrap() > 90.0);
    assert_eq!(answer["settings"]["slowdown"], 1.3);
}

#[test]
fn what_a_tolerance_allows_is_not_red() {
    let recordings = Recordings::steady();
    let options = ["--slowdown", "1.3", "--decisions", "20", "--tolerance", "40%"];
    let overall = &json(recordings.path(), &options)["overall"];
    assert_eq!((count(overall, "red"), count(overall, "green")), (0, 20));
}

#[test]
fn a_process_that_was_slow_alone_is_not_confirmed() {
    let recordings = Recordings::new();
    let alone = |run: u64| if run == 10 { 1.3 } else { 1.0 };
    let run = |run: u64| {
        let text = lines("sort", run + 1, 0, alone(run));
        text.lines().rev().take(100).fold(String::new(), |text, line| format!("{line}\n{text}"))
    };
    recordings.write("one.csv", &(0..20).fold(COLUMNS.to_owned(), |text, it| text + &run(it)));
    let overall = &json(recordings.path(), &["--seed", "7"])["overall"];
    assert_eq!(count(overall, "red"), 0);
    assert_eq!(count(overall, "red_before_confirmation"), 10);
}

#[test]
fn the_same_seed_gives_the_same_answer_and_another_one_another() {
    let recordings = Recordings::new();
    let text = [COLUMNS, &lines("sort", 20, 10, 1.3)].concat();
    let file = recordings.write("step.csv", &text);
    let answer = |seed| json(&file, &["--decisions", "30", "--seed", seed])["overall"].clone();
    assert_eq!(answer("1"), answer("1"));
    assert_ne!(answer("1"), answer("2"));
}

#[test]
fn each_workload_has_its_figures_and_they_add_up() {
    let recordings = Recordings::steady();
    let two = [COLUMNS, &lines("hash", 15, 15, 1.0), &lines("json", 12, 12, 1.0)].concat();
    recordings.write("deeper/two.csv", &two);
    recordings.write("two_runs.csv", "run,load_start\n1,0.5\n");
    let output = replay(recordings.path(), &["--format", "json"]);
    let output = output
        .warns(&["two_runs.csv: no column wall_ns", "too few runs for 1000 different decisions"]);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let workloads = answer["workloads"].as_array().unwrap();
    let found: Vec<(&str, u64, u64)> = workloads
        .iter()
        .map(|it| (it["workload"].as_str().unwrap(), count(it, "runs"), count(it, "decisions")))
        .collect();
    assert_eq!(found, [("two/hash", 15, 90), ("two/json", 12, 72), ("steady/sort", 20, 200)]);
    for key in ["decisions", "red", "green", "unclear", "unstable", "no_verdict"] {
        let sum: u64 = workloads.iter().map(|it| count(it, key)).sum();
        assert_eq!(count(&answer["overall"], key), sum, "{key}");
    }
}

#[test]
fn of_a_workload_with_planted_work_the_unchanged_part_is_replayed() {
    let recordings = Recordings::new();
    let renumbered = |percent: u64| {
        let text = lines("sort", 12, 0, percent as f64 / 100.0);
        text.lines().fold(String::new(), |text, line| {
            let (run, rest) = line.split_once(',').unwrap();
            let run = 1_000 * (run.parse::<u64>().unwrap() + 1) + percent;
            format!("{text}{run},{rest}\n")
        })
    };
    let text = [COLUMNS, &renumbered(100), &renumbered(110)].concat();
    let both = json(&recordings.write("both.csv", &text), &[]);
    assert_eq!(both["workloads"][0]["workload"], "both/sort x1.00");
    assert_eq!(both["workloads"].as_array().unwrap().len(), 1);
    let text = [COLUMNS, &renumbered(110)].concat();
    let slow = json(&recordings.write("slow.csv", &text), &[]);
    assert_eq!(slow["workloads"][0]["workload"], "slow/sort x1.10");
}

#[test]
fn the_table_has_a_line_a_workload_and_one_for_all() {
    let recordings = Recordings::steady();
    let Outcome { stdout: text, stderr, .. } = replay(recordings.path(), &["--decisions", "20"]);
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[1][..9], ["steady/sort", "20", "20", "0", "0", "20", "0", "0", "0"]);
    assert_eq!(lines[2][0], "all");
    // All twenty requested decisions were made, so there is no warning.
    assert_eq!(stderr, "");
}

/// A store of these runs.
fn store_of(runs: impl Iterator<Item = Run>) -> TempDir {
    let root = TempDir::new().unwrap();
    let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
    let store = JsonlStore::open(root.path(), &project);
    runs.for_each(|run| store.append(&run).unwrap());
    root
}

/// A run of the same code as all others that nothing disturbed.
fn run(number: u64, measurements: Vec<Measurement>) -> Run {
    let mut run = Run {
        id: RunId::new(number, 0),
        code: CodeState { executable: "same".into(), text: "same".into(), programs: Vec::new() },
        measurements,
        suspects: Vec::new(),
        on_processor_time: Vec::new(),
        environment: Environment::default(),
        counts_for_baseline: false,
        ..example_run(number)
    };
    run.evidence.as_mut().unwrap().slow_processes = 0;
    run
}

/// A store in which a test ran `runs` times, never slower.
fn filled_store(runs: u64) -> TempDir {
    let measurement = |number: u64, sample: u64| Measurement {
        thread_cpu_ns: Some(time_ns(number, sample) as u64),
        probes: Probes { clock_ghz: Some(4.0), reference_ns: Some(19_700.0), ..Probes::default() },
        ..Measurement::of_value(time_ns(number, sample))
    };
    let measurements = |number| (0..40).map(|sample| measurement(number, sample)).collect();
    store_of((0..runs).map(|number| run(number, measurements(number))))
}

/// Twenty runs that counted 1,000 once, on a machine in this state.
fn counted(metric: &Metric, environment: &Environment) -> TempDir {
    store_of((0..20).map(|number| Run {
        metric: metric.clone(),
        environment: environment.clone(),
        ..run(number, vec![Measurement::of_value(1_000.0)])
    }))
}

#[test]
fn what_is_counted_is_not_expected_to_spread_as_times_do() {
    let store = counted(&Metric::allocations(), &Environment::default());
    let options = ["--tolerance", "1%", "--decisions", "20"];
    assert_eq!(count(&json(store.path(), &options)["overall"], "green"), 20);
    let slowed = json(store.path(), &[&options[..], &["--slowdown", "1.02"]].concat());
    assert_eq!(count(&slowed["overall"], "red"), 20, "{slowed}");
}

#[test]
fn instructions_are_judged_on_a_machine_that_times_are_not_judged_on() {
    let mut throttled = Environment::default();
    throttled.mark(Tag::Throttled);
    let overall = |metric: &Metric| {
        let store = counted(metric, &throttled);
        json(store.path(), &["--decisions", "20"])["overall"].clone()
    };
    let instructions = overall(&Metric::instructions(InstructionCounter::Valgrind));
    assert_eq!(count(&instructions, "green"), 20, "{instructions}");
    assert_eq!(count(&overall(&Metric::allocations()), "no_verdict"), 20);
}

#[test]
fn the_runs_of_a_store_are_replayed_whether_they_counted_or_not() {
    let store = filled_store(20);
    let answer = json(store.path(), &[]);
    let workload = &answer["workloads"][0];
    assert_eq!(workload["workload"], "codec::frame::encode on local/7f3a2b, wall");
    assert_eq!((count(workload, "runs"), count(workload, "green")), (20, 200));
    let slow = json(store.path(), &["--slowdown", "1.3", "--decisions", "20"]);
    assert_eq!(count(&slow["overall"], "red"), 20);
}

#[test]
fn a_damaged_store_is_an_error_of_its_own() {
    let store = filled_store(1);
    let mut open = vec![store.path().join("v1")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            fs::write(path, "{\"v\":9900}\n").unwrap();
        }
    }
    let (code, text) = refusal(store.path(), &[]);
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("another version"), "{text}");
}

#[test]
fn what_cannot_be_answered_is_refused_with_the_way_out() {
    let recordings = Recordings::new();
    let nothing = TempDir::new().unwrap();
    let few = [COLUMNS, &lines("sort", 8, 8, 1.0)].concat();
    for (place, expected) in [
        (nothing.path().to_owned(), "no .csv file"),
        (recordings.path().join("missing.csv"), "give a recording"),
        (recordings.write("empty/empty.csv", ""), "no header"),
        (recordings.write("notes/notes.csv", "run,load\n1,2\n"), "no column wall_ns"),
        (
            recordings.write("notes/torn.csv", "run,wall_ns\n1,2\n1,fast\n"),
            "torn.csv:3: wall_ns is",
        ),
        (recordings.write("few/few.csv", &few), "the 9 runs that a decision needs"),
    ] {
        let (code, text) = refusal(&place, &[]);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    let recordings = Recordings::steady();
    for (option, value) in [
        ("--slowdown", "0"),
        ("--slowdown", "-1.1"),
        ("--slowdown", "NaN"),
        ("--history-runs", "4"),
        ("--decisions", "0"),
        ("--tolerance", "0%"),
        ("--budget", "0s"),
        ("--seed", "-1"),
    ] {
        let (code, text) = refusal(recordings.path(), &[&format!("{option}={value}")]);
        assert_eq!(code, 2, "{option} {value}: {text}");
        assert!(text.contains(option), "{text}");
    }
}

/// Twenty runs of which every line may be changed.
fn steady_lines() -> String {
    lines("sort", 20, 20, 1.0)
}

fn greens(file: &Path) -> u64 {
    count(&json(file, &[])["overall"], "green")
}

#[test]
fn a_byte_order_mark_foreign_line_ends_blanks_and_spaces_change_nothing() {
    let recordings = Recordings::new();
    let text = [COLUMNS, &steady_lines()].concat();
    for (name, text) in [
        ("mark.csv", format!("\u{feff}{text}")),
        ("line_ends.csv", text.replace('\n', "\r\n")),
        ("blanks.csv", text.replacen('\n', "\n\n", 50) + "\n\n"),
        ("spaces.csv", text.replace(',', ", ")),
    ] {
        assert_eq!(greens(&recordings.write(name, &text)), 200, "{name}");
    }
}

#[test]
fn runs_whose_lines_are_mixed_are_kept_apart_by_their_number() {
    let recordings = Recordings::new();
    let whole = steady_lines();
    let mut mixed: Vec<&str> = whole.lines().collect();
    // By sample first, then by run; each run keeps its order.
    mixed.sort_by_key(|line| line.split(',').nth(2).and_then(|sample| sample.parse::<u32>().ok()));
    let mixed = recordings.write("mixed.csv", &[COLUMNS, &mixed.join("\n")].concat());
    let sorted = recordings.write("sorted.csv", &[COLUMNS, &whole].concat());
    assert_eq!(json(&mixed, &[])["overall"], json(&sorted, &[])["overall"]);
}

#[test]
fn values_that_are_all_the_same_are_green_and_a_planted_slowdown_of_them_is_found() {
    let recordings = Recordings::new();
    let line = |run: u64| format!("{run},400000\n").repeat(60);
    let text: String = (0..20).map(line).collect();
    let constant = recordings.write("constant.csv", &["run,wall_ns\n", &text].concat());
    assert_eq!(greens(&constant), 200);
    let options = ["--slowdown", "1.3", "--decisions", "20"];
    assert_eq!(count(&json(&constant, &options)["overall"], "red"), 20);
}

#[test]
fn times_longer_than_a_century_are_judged() {
    let recordings = Recordings::new();
    let line = |run: u64| format!("{run},1e300\n").repeat(60);
    let text: String = (0..20).map(line).collect();
    assert_eq!(greens(&recordings.write("huge.csv", &["run,wall_ns\n", &text].concat())), 200);
}

#[test]
fn each_fault_of_a_recording_is_reported_with_its_line() {
    let recordings = Recordings::new();
    let one_run = lines("sort", 1, 1, 1.0);
    for (name, text, expected) in [
        ("nan.csv", "run,wall_ns\n1,400\n1,NaN\n", "nan.csv:3: wall_ns is NaN"),
        ("infinite.csv", "run,wall_ns\n1,inf\n", "infinite.csv:2: wall_ns is inf"),
        ("negative.csv", "run,wall_ns\n1,400\n1,-5\n", "negative.csv:3: wall_ns is -5"),
        ("zero.csv", "run,wall_ns\n1,0\n", "zero.csv:2: wall_ns is 0"),
        ("empty.csv", "run,wall_ns\n1,400\n1,\n", "empty.csv:3: wall_ns is empty"),
        ("nobody.csv", "run,wall_ns\n1,400\n,400\n", "nobody.csv:3: run is empty"),
        ("named.csv", "run,wall_ns\nfirst,400\n", "named.csv:2: run is `first`"),
        ("cells.csv", "run,wall_ns\n1,400,7\n", "cells.csv:2: 3 cells under 2 columns"),
        ("headless.csv", "1,400\n1,410\n", "headless.csv:1: no column wall_ns"),
        ("quoted.csv", "\"run\",\"wall_ns\"\n1,400\n", "quoted.csv:1: cells in quotes"),
        ("quotes.csv", "run,wall_ns\n\"1\",400\n", "quotes.csv:2: cells in quotes"),
        ("one.csv", &[COLUMNS, &one_run].concat(), "the 9 runs that a decision needs"),
    ] {
        let (code, text) = refusal(&recordings.write(name, text), &[]);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
