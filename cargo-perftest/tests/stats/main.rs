//! `cargo perftest stats` over files and pipes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(unix)]
mod docs;
mod odd_inputs;
mod printed;
mod season;
mod series;
mod ticks;

use perftest_tests::{Outcome, clean_command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn numbers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stats/numbers")
}

fn stats(args: &[&str]) -> Command {
    let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
    command.args(["perftest", "stats"]).args(args).current_dir(numbers()).stdin(Stdio::null());
    command
}

fn text(args: &[&str]) -> String {
    Outcome::of(&mut stats(args)).ended_with(0).stdout
}

fn json(args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    serde_json::from_str(&text(&args)).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

/// The message where there is no answer.
fn error(args: &[&str]) -> String {
    let (code, text) = Outcome::of(&mut stats(args)).refusal();
    assert_eq!(code, 2, "{args:?}: {text}");
    text
}

fn piped(args: &[&str], input: &str) -> Outcome {
    Outcome::of_piped(&mut stats(args), input)
}

/// Files of numbers, a line each.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn write(&self, name: &str, values: impl IntoIterator<Item = f64>) -> String {
        let lines: String = values.into_iter().map(|value| format!("{value}\n")).collect();
        self.text(name, &lines)
    }

    fn text(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Values that gather at a level, without ties.
fn hump(level: f64, size: i32) -> impl Iterator<Item = f64> {
    (0..size).map(move |i| {
        let place = f64::from(i * 7 % size) / f64::from(size) - 0.5;
        level + 8.0 * place * place * place + place + f64::from(i) * 1e-4
    })
}

const QUESTIONS: [&[&str]; 2] =
    [&["summary"], &["summary", "--outliers", "--probabilities", "0,0.5,0.99,1"]];
const COMPARISONS: [&[&str]; 2] = [&["compare"], &["compare", "--probabilities", "0,0.5,0.99,1"]];

#[test]
fn a_summary_has_the_bulk_the_modes_with_shares_and_the_outliers() {
    let report = json(&["summary", "two_modes.txt", "--unit", "ns"]);
    assert_eq!((report["modality"].as_u64(), report["count"].as_u64()), (Some(2), Some(120)));
    assert_eq!(report["modes"][0]["share"], 0.75);
    assert_eq!(report["modes"][1]["count"], 30);
    assert!(report["notes"][0].as_str().unwrap().contains("no single number"));
    let quiet = json(&["summary", "before.txt"]);
    assert_eq!(quiet["notes"], Value::Array(Vec::new()));
    assert_eq!(quiet["outliers"].as_array().unwrap().len(), 2);
    assert_eq!(quiet["bulk"]["count"], 58);
    let text = text(&["summary", "before.txt"]);
    assert!(!text.contains("mean") && !text.contains("note"), "{text}");
}

#[test]
fn two_modes_are_no_slowdown_of_one() {
    let report = json(&["compare", "before.txt", "two_modes.txt"]);
    assert_eq!(report["answer"], "mixed");
    assert_eq!(json(&["compare", "before.txt", "after.txt"])["answer"], "larger");
    assert_eq!(json(&["compare", "after.txt", "before.txt"])["answer"], "smaller");
    assert_eq!(json(&["compare", "before.txt", "before.txt"])["answer"], "same");
    assert_eq!(json(&["compare", "few.txt", "few.txt"])["answer"], "too_few");
    let wide = json(&["compare", "before.txt", "after.txt", "--threshold", "10%"]);
    assert_eq!(wide["answer"], "undecided");
}

/// Its sample IntroBenchmarkBaseline: <https://benchmarkdotnet.org/articles/samples/IntroBenchmarkBaseline.html>.
#[test]
fn sleeps_beside_a_reference_have_the_ratios_of_benchmarkdotnets_table() {
    let table = json(&["compare", "sleep_100.txt", "sleep_50.txt", "sleep_150.txt"]);
    for (row, ratio, answer) in [(0, 0.5, "smaller"), (1, 1.5, "larger")] {
        let row = &table["rows"][row];
        assert!((row["ratio"]["estimate"].as_f64().unwrap() - ratio).abs() < 0.005, "{row}");
        assert_eq!(row["answer"], answer);
    }
}

#[test]
fn a_value_without_a_ratio_leaves_the_threshold_as_it_is() {
    let files = Files::new();
    let level = |level: f64| (0..1_000).map(move |i| level + f64::from(i % 10) / 10.0);
    let with_zero = |values: f64| [0.0].into_iter().chain(level(values).skip(1));
    let zero = files.write("zero", with_zero(100.0));
    let (half, third) = (files.write("half", level(100.5)), files.write("third", level(130.0)));
    let answer = |before: &str, after: &str, threshold: &str| {
        json(&["compare", before, after, "--threshold", threshold])["answer"].clone()
    };
    assert_eq!(answer(&zero, &half, "5%"), "same");
    assert_eq!(answer(&half, &zero, "5%"), "same");
    assert_eq!(answer(&zero, &half, "0.1%"), "larger");
    assert_eq!(answer(&zero, &third, "25%"), "larger");
    assert_eq!(answer(&third, &zero, "5%"), "smaller");
    let below = files.write("below", level(-130.0));
    assert_eq!(answer(&files.write("above", level(-100.0)), &below, "25%"), "smaller");
    let report = text(&["compare", &zero, &half, "--unit", "ns"]);
    assert!(report.contains("beyond 5% of the median before, 5.0"), "{report}");
    // A share of nothing is nothing.
    let none = files.write("none", level(-0.45));
    let report = text(&["compare", &none, &third]);
    assert!(report.contains("any shift counts"), "{report}");
}

#[test]
fn ticks_of_a_clock_are_no_modes_unless_they_are_asked_for() {
    let modality = |args: &[&str]| {
        let args = [&["summary", "runs.csv", "--column", "old_ms"], args].concat();
        json(&args)["modality"].as_u64().unwrap()
    };
    assert_eq!(modality(&[]), 1);
    assert_eq!(modality(&["--resolution", "1"]), 1);
    assert!(modality(&["--resolution", "0"]) > 1);
}

#[test]
fn a_comparison_has_its_shift_its_ratio_and_the_effect_with_bounds() {
    let answer = json(&["compare", "before.txt", "after.txt", "--probabilities", "0.5,0.9,0.99"]);
    for key in ["shift", "ratio", "effect"] {
        let [lower, estimate, upper] =
            ["lower", "estimate", "upper"].map(|end| answer[key][end].as_f64().unwrap());
        assert!(lower < estimate && estimate < upper, "{key}: {answer}");
    }
    let median = &answer["quantiles"][0];
    let of = |key: &str| median[key].as_f64().unwrap();
    assert_eq!(of("shift"), of("current") - of("before"));
    assert_eq!(of("ratio"), of("current") / of("before"));
    assert!((of("effect_size") - 5.31).abs() < 0.01, "{median}");
    let shown = text(&["compare", "before.txt", "after.txt", "--probabilities", "0.9,0.99"]);
    assert!(shown.contains("needs 500 values") && !shown.contains("needs 50 values"), "{shown}");
    // The spread of several modes is a distance between them.
    let modes = text(&["compare", "before.txt", "two_modes.txt"]);
    assert!(!modes.contains("times the spread"), "{modes}");
    let several = ["compare", "before.txt", "after.txt", "few.txt", "--probabilities", "0.5"];
    assert!(error(&several).contains("--probabilities compares two inputs"));
}

#[test]
fn bounds_are_narrower_where_they_may_miss_more_often() {
    let width = |misrate: &str| {
        let answer = json(&["compare", "before.txt", "after.txt", "--misrate", misrate]);
        let shift = &answer["shift"];
        shift["upper"].as_f64().unwrap() - shift["lower"].as_f64().unwrap()
    };
    assert!(width("0.1") < width("0.01"));
}

#[test]
fn no_quantile_lies_in_the_gap_before_a_far_value() {
    let files = Files::new();
    let far = files.write("far", (1..100).map(f64::from).chain([1e6]));
    let quantiles = |args: &[&str]| {
        let answer = json(&[args, &["--probabilities", "0.05,0.5,0.95,0.99,1"]].concat());
        answer["quantiles"].as_array().unwrap().clone()
    };
    let of_one = quantiles(&["summary", &far]);
    let values: Vec<f64> = of_one.iter().map(|it| it["value"].as_f64().unwrap()).collect();
    assert_eq!(values, [5.0, 50.5, 95.0, 99.0, 1e6]);
    let needed: Vec<Option<u64>> = of_one.iter().map(|it| it["values_needed"].as_u64()).collect();
    assert_eq!(needed, [Some(100), Some(10), Some(100), Some(500), None]);
    let of_two = quantiles(&["compare", "before.txt", &far]);
    let current: Vec<f64> = of_two.iter().map(|it| it["current"].as_f64().unwrap()).collect();
    assert_eq!(current, values);
    let shown = text(&["summary", &far, "--probabilities", "0.99,1"]);
    assert!(shown.contains("99.00  needs 500 values\n"), "{shown}");
    assert!(shown.contains("another run may differ much"), "{shown}");
}

#[test]
fn quantiles_that_agree_have_no_effect_size() {
    let files = Files::new();
    let (ten, far) = (
        files.write("ten", (1..=10).map(f64::from)),
        files.write("far", (1..=9).chain([20]).map(f64::from)),
    );
    let quantile = &json(&["compare", &ten, &far, "--probabilities", "0.9"])["quantiles"][0];
    assert_eq!((&quantile["shift"], &quantile["effect_size"]), (&0.0.into(), &0.0.into()));
}

#[test]
fn outliers_are_listed_with_their_places() {
    let answer = json(&["summary", "before.txt"]);
    let outliers = answer["outliers"].as_array().unwrap();
    let places: Vec<u64> = outliers.iter().map(|it| it["place"].as_u64().unwrap()).collect();
    assert_eq!(places, [23, 33]);
    assert_eq!((&outliers[0]["value"], &outliers[0]["side"]), (&17_350.0.into(), &"above".into()));
    let shown = text(&["summary", "before.txt", "--outliers"]);
    assert!(shown.contains("   23  17350  above\n"), "{shown}");
    assert!(!text(&["summary", "two_modes.txt", "--outliers"]).contains("place"));
}

#[test]
fn the_values_of_a_rare_mode_are_outliers_nowhere() {
    let outliers = &json(&["summary", "rare.txt"])["outliers"];
    assert_eq!(outliers.as_array().unwrap().len(), 1, "{outliers}");
    let shown = text(&["summary", "rare.txt", "--outliers"]);
    let (rows, list) = shown.split_once("\nplace ").unwrap();
    assert!(rows.contains("\noutliers   8794\n"), "{shown}");
    assert_eq!(list.matches(" above\n").count(), 1, "{shown}");
}

#[test]
fn a_rare_slow_mode_is_named_with_its_share() {
    let report = json(&["summary", "rare.txt", "--unit", "ms"]);
    assert_eq!(
        (report["modality"].as_u64(), report["rare_modes"][0]["share"].as_f64()),
        (Some(1), Some(0.04))
    );
    assert_eq!(report["modes"][0]["count"], 96);
    assert!(report["bulk"]["upper"].as_f64().unwrap() < 9_000.0);
    let summary = text(&["summary", "rare.txt", "--unit", "ms"]);
    assert!(summary.contains("4 values, 4%, 3.8x the usual"), "{summary}");
    assert!(summary.contains("note: a rare slow mode: 4% of the values"), "{summary}");
    let compared = text(&["compare", "rare.txt", "rare.txt", "--unit", "ms"]);
    assert!(compared.contains("rare mode: "), "{compared}");
    assert_eq!(json(&["summary", "before.txt"])["rare_modes"], Value::Array(Vec::new()));
}

#[test]
fn each_rare_slow_mode_is_named_with_its_own_share_and_ratio() {
    let files = Files::new();
    let values = hump(100.0, 90).chain(hump(400.0, 5)).chain(hump(2_000.0, 5));
    let summary = text(&["summary", &files.write("two_rare", values)]);
    let note = "note: rare slow modes: 5% of the values are 4.0 times and 5% of the values are 20.0 times as large as \
                the usual ones, and no median shows that\n";
    assert!(summary.contains(note), "{summary}");
}

#[test]
fn a_rare_slow_mode_is_compared_with_the_mode_that_has_most_values() {
    let files = Files::new();
    let values = hump(100.0, 120).chain(hump(160.0, 72)).chain(hump(800.0, 8));
    let file = files.write("three", values);
    let report = json(&["summary", &file]);
    assert_eq!(report["modality"].as_u64(), Some(2), "{report}");
    let times = report["rare_modes"][0]["times"].as_f64().unwrap();
    assert!((times - 8.0).abs() < 0.1, "{report}");
}

#[test]
fn a_lower_sensitivity_finds_fewer_modes() {
    let modality = |sensitivity: &str| {
        json(&["summary", "two_modes.txt", "--sensitivity", sensitivity])["modality"].clone()
    };
    assert_eq!((modality("1e-9"), modality("0.5")), (1.into(), 2.into()));
}

#[test]
fn numbers_come_from_pipes_columns_and_json_too() {
    let report = &piped(&["summary", "--json"], "1\n2\n3\n").ended_with(0).json()[0];
    assert_eq!((&report["source"], report["count"].as_u64()), (&"piped in".into(), Some(3)));
    let report = &piped(&["compare", "-", "before.txt", "--json"], "13000\n13100\n").json()[0];
    assert_eq!(report["counts"], serde_json::json!([2, 60]));
    let columns = ["compare", "runs.csv", "--column", "old_ms", "--column", "new_ms"];
    assert_eq!(json(&columns)["answer"], "smaller");
    let by_number = ["compare", "runs.csv", "--column", "2", "--column", "3"];
    assert_eq!(json(&by_number)["ratio"], json(&columns)["ratio"]);
    assert_eq!(json(&["summary", "result.json", "--column", "durations"])["count"], 40);
    let output = piped(&["summary", "--column", "b", "--json"], "a,b\n1,2\n3,\n");
    assert_eq!(output.warns(&["1 empty cells are left out"]).json()[0]["count"], 1);
}

#[test]
fn what_cannot_be_answered_is_reported_with_the_way_out() {
    let files = Files::new();
    let empty = files.write("empty", []);
    let nan = files.write("nan", [1.0, f64::NAN]);
    let infinite = files.write("infinite", [f64::INFINITY]);
    let cases: [(&[&str], &str); 10] = [
        (&["summary", &empty], "there is no number in it"),
        (&["summary", &nan], "line 2 is NaN: leave out what is not a finite number"),
        (&["summary", &infinite], "line 1 is inf"),
        (&["summary", "runs.csv"], "name a column with --column"),
        (&["summary", "runs.csv", "--column", "none"], "there are run, old_ms, new_ms"),
        (&["summary", "result.json"], "choose a key with --column"),
        (&["summary", "no_such_file"], "cannot be read"),
        (&["compare", "before.txt"], "give a second file, or two columns"),
        (&["summary", "before.txt", "--probabilities", "2"], "probabilities from 0 to 1"),
        (&["summary", "before.txt", "--misrate", "0"], "a probability above 0 and below 1"),
    ];
    for (args, expected) in cases {
        let report = error(args);
        assert!(report.contains(expected), "{args:?}: {report}");
    }
}

#[test]
fn two_columns_of_one_name_are_refused_with_their_numbers() {
    let files = Files::new();
    let table = files.text("twins.csv", "ns,count,ns\n1,0,9\n2,1,9\n3,3,9\n,5,9\n");
    assert_eq!(json(&["summary", &table, "--column", "1"])["count"], 3);
    let twins = error(&["summary", &table, "--column", "ns"]);
    assert!(twins.contains("columns 1 and 3 are both named ns"), "{twins}");
}

#[test]
fn the_reason_is_the_one_that_holds() {
    let files = Files::new();
    let huge = files.write("huge", [1e308, -1e308, 1e308, -1e308, 1e307, 3.0, 5.0]);
    let report = text(&["summary", &huge]);
    assert!(!report.contains("agree"), "{report}");
    let lack = |test: &str| text(&["threshold", &huge, "--test", test, "--upper", "0.99"]);
    assert!(
        lack("t_test").contains("the squares of the values before are beyond the range of numbers")
    );
    assert!(lack("log_normal").contains("the values before are not all above 0"));
    let distinct = files.write("distinct", (0..60).map(f64::from));
    let report = text(&["summary", &distinct, "--resolution", "1e-9"]);
    assert!(!report.contains("ticks"), "{report}");
    let step = files.write("step", (0..60).map(|i| if i < 30 { 1e153 } else { 1.5e153 }));
    assert_eq!(json(&["changepoints", &step])["changes"].as_array().unwrap().len(), 1);
    let report = error(&["compare", "before.txt", "after.txt", "--threshold", "-5%"]);
    assert!(report.contains("give a share such as 5%"), "{report}");
}

#[test]
fn odd_numbers_are_described_and_compared_without_a_panic() {
    let files = Files::new();
    let odd = [
        files.write("one", [5.0]),
        files.write("two", [5.0, 6.0]),
        files.write("same", [7.0; 50]),
        files.write("zero", [0.0; 20]),
        files.write("negative", hump(-100.0, 40)),
        files.write("signs", hump(0.0, 40)),
        files.write("tiny", hump(10.0, 40).map(|value| value * 1e-300)),
        files.write("huge", [-1e300, -1.0, 1.0, 1e300]),
        files.write("many", hump(1e6, 3_001)),
    ];
    for file in &odd {
        for question in QUESTIONS {
            text(&[question, &[file.as_str()]].concat());
            json(&[question, &[file.as_str()]].concat());
        }
        for other in &odd {
            for comparison in COMPARISONS {
                json(&[comparison, &[file.as_str(), other.as_str()]].concat());
            }
        }
    }
    assert!(text(&["summary", &odd[2]]).contains("all values agree"));
    assert!(text(&["summary", &odd[1]]).contains("too few values"));
}

#[test]
fn numbers_without_a_difference_are_refused_with_the_way_out() {
    let files = Files::new();
    let [one, huge] = [files.write("one", [1.0, 2.0]), files.write("huge", [1.0, f64::MAX])];
    let report = error(&["compare", &one, &huge]);
    assert!(report.contains("1.7976931348623157e308 is too large"), "{report}");
    assert!(report.contains("divide all values"), "{report}");
}

#[test]
fn a_simple_terminal_gets_ascii() {
    assert!(!text(&["summary", "before.txt"]).is_ascii());
    assert!(text(&["summary", "before.txt", "--ascii"]).is_ascii());
    let mut dumb = stats(&["compare", "before.txt", "after.txt"]);
    assert!(Outcome::of(dumb.env("TERM", "dumb")).stdout.is_ascii());
}

#[test]
fn every_command_has_help_with_examples_and_exit_codes() {
    for command in ["summary", "compare", "changepoints", "threshold"] {
        let help = text(&[command, "--help"]);
        assert!(help.contains("Examples:") && help.contains("Exit codes:\n  0  "), "{help}");
        assert!(help.contains(&format!("cargo perftest stats {command} ")), "{help}");
    }
}
