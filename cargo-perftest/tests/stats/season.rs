//! Patterns of a day or a week, taken out before changes are sought.

use super::{error, json, numbers, piped, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Two runs a day from Monday, 5 January 2026, on, in seconds; slower at the weekend, and from a run on.
fn weeks(runs: usize, slower_from: usize) -> String {
    let row = |run: usize| {
        let load = if run / 2 % 7 >= 5 { 1.25 } else { 1.0 };
        let step = if run >= slower_from { 1.1 } else { 1.0 };
        let value = 1e6 * load * step * (1.0 + (run * 7 % 11) as f64 / 1e3);
        format!("{},{value:.0}\n", 1_767_571_200 + run * 43_200)
    };
    (0..runs).map(row).collect()
}

fn answer(input: &str, args: &[&str]) -> Value {
    let fixed = ["changepoints", "--column", "2", "--times", "1", "--json"];
    piped(&[&fixed, args].concat(), input).ended_with(0).json().remove(0)
}

fn refusal(input: &str, args: &[&str]) -> String {
    let fixed = ["changepoints", "--column", "2", "--times", "1"];
    piped(&[&fixed, args].concat(), input).ended_with(2).stderr
}

fn places(report: &Value) -> Vec<u64> {
    let changes = report["changes"].as_array().unwrap();
    changes.iter().map(|change| change["place"].as_u64().unwrap()).collect()
}

#[test]
fn a_significant_pattern_is_removed_and_reported() {
    let report = answer(&weeks(140, 80), &[]);
    assert_eq!(places(&report), [81]);
    let weekly = &report["season"]["removed"][0];
    assert_eq!((&weekly["period"], &weekly["significant"]), (&"weekly".into(), &true.into()));
    assert!((weekly["change"].as_f64().unwrap() - 0.25).abs() < 0.01, "{weekly}");
    assert_eq!(weekly["peak_hours"], serde_json::json!([{ "from": 120, "to": 168 }]));
    assert_eq!(weekly["slots"].as_array().unwrap().len(), 7);
    assert_eq!(report["notes"], Value::Array(Vec::new()));
    let off = answer(&weeks(140, 80), &["--season", "off"]);
    assert!(off["season"].is_null());
}

#[test]
fn a_pattern_is_taken_out_on_request_and_a_doubtful_one_noted() {
    let report = answer(&weeks(140, 140), &["--season", "daily"]);
    let daily = &report["season"]["removed"][0];
    assert_eq!((&daily["period"], &daily["significant"]), (&"daily".into(), &false.into()));
    assert!(report["notes"].to_string().contains("it may be chance"), "{}", report["notes"]);
    let weekly = answer(&weeks(140, 140), &["--season", "weekly", "--detector", "jetpack"]);
    assert_eq!(places(&weekly), [0_u64; 0]);
}

#[test]
fn without_a_pattern_nothing_is_removed_and_nothing_reported() {
    let even: String =
        (0..200).map(|run| format!("{},{}\n", run * 43_200, 100 + run * 7 % 11)).collect();
    let report = answer(&even, &[]);
    assert_eq!(report["season"], serde_json::json!({ "asked": "auto", "removed": [] }));
    assert!(report["notes"].as_array().unwrap().is_empty());
    assert!(json(&["changepoints", "history.txt"])["season"].is_null());
    assert!(!text(&["changepoints", "history.txt"]).contains("season"));
}

#[test]
fn a_history_that_can_show_no_pattern_gives_the_reason() {
    let notes = |input: &str| answer(input, &[])["notes"].to_string();
    let short = notes(&weeks(30, 30));
    assert!(
        short.contains("no weekly pattern was looked for: the values cover 15.0 days"),
        "{short}"
    );
    assert!(!short.contains("daily"), "{short}");
    assert!(notes(&weeks(12, 12)).contains("no pattern was looked for: 12 values are too few"));
    let zero = weeks(60, 60) + "1790000000,0\n";
    assert!(notes(&zero).contains("value 61 is 0: a daily or weekly pattern is a factor"));
    let cases: [(String, &[&str], &str); 6] = [
        (weeks(30, 30), &["--season", "weekly"], "a weekly pattern needs three weeks"),
        (zero, &["--season", "daily"], "needs values above 0"),
        (weeks(30, 30) + "5,100\n", &[], "value 31 is older than the one before it"),
        (weeks(30, 30) + ",100\n", &[], "line 31, column 2 has no time"),
        (weeks(30, 30) + "soon,100\n", &[], "line 31, column 1 is `soon`, which is no time"),
        (weeks(30, 30), &["--season", "monthly"], "weekly"),
    ];
    for (input, args, expected) in cases {
        let report = refusal(&input, args);
        assert!(report.contains(expected), "{args:?}: {report}");
    }
    let untimed = error(&["changepoints", "history.txt", "--season", "weekly"]);
    assert!(untimed.contains("name a column with --times"), "{untimed}");
    let alone = error(&["changepoints", "nightly.csv", "--times", "started"]);
    assert!(alone.contains("beside that of the numbers: name that with --column"), "{alone}");
    let unknown = error(&["changepoints", "nightly.csv", "--column", "wall_ns", "--times", "at"]);
    assert!(unknown.contains("there is no column at; there are started, wall_ns"), "{unknown}");
}

#[test]
fn values_without_a_number_take_their_times_with_them() {
    let holes = weeks(140, 80).replace("1767614400,", "1767614400,\n1767614401,");
    let output = piped(&["changepoints", "--column", "2", "--times", "1", "--json"], &holes);
    let report = &output.warns(&["1 empty cells are left out"]).json()[0];
    assert_eq!((places(report), &report["count"]), (vec![81], &140.into()));
}

#[test]
fn times_are_keys_of_json_too() {
    let table = fs::read_to_string(numbers().join("nightly.csv")).unwrap();
    let rows = table.lines().skip(1).map(|line| line.split_once(',').unwrap());
    let objects: String =
        rows.map(|(at, ns)| format!("{{\"at\": \"{at}\", \"ns\": {ns}}}\n")).collect();
    let args = ["changepoints", "--column", "ns", "--times", "at", "--json"];
    let report = &piped(&args, &objects).json()[0];
    let of_table = ["changepoints", "nightly.csv", "--column", "wall_ns", "--times", "started"];
    assert_eq!(report["season"], json(&of_table)["season"]);
    assert_eq!(places(report), places(&json(&of_table)));
    let uneven = "{\"ns\": [1, 2, 3], \"at\": [1, 2]}";
    piped(&args[..5], uneven).warns(&["there are 3 in ns and 2 in at"]);
}

#[test]
fn histories_of_real_benchmarks_have_no_pattern() {
    let series = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/series");
    let mut timed = 0;
    for file in fs::read_dir(series).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("\"times\":[") {
            let path = path.to_str().unwrap();
            let report = json(&["changepoints", path, "--column", "values", "--times", "times"]);
            assert_eq!(report["season"]["removed"], Value::Array(Vec::new()), "{path}");
            timed += 1;
        }
    }
    assert!(timed >= 10, "{timed}");
}
