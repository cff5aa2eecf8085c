//! Every question over numbers as they come: an answer, or a sentence with what is wrong.

use super::{Files, error, hump, stats};
use perftest_tests::Outcome;
use serde_json::Value;
use std::time::Instant;

/// Questions about one input.
const ONE: [&[&str]; 16] = [
    &["summary"],
    &["summary", "--resolution", "0.5", "--misrate", "0.2"],
    &["summary", "--sensitivity", "1e9"],
    &["summary", "--outliers", "--probabilities", "0,0.5,1"],
    &["changepoints"],
    &["changepoints", "--detector", "ed-pelt"],
    &["changepoints", "--detector", "rqq-pelt"],
    &["changepoints", "--detector", "jetpack"],
    &["changepoints", "--detector", "skia"],
    &[
        "changepoints",
        "--detector",
        "skia",
        "--set",
        "kind=original",
        "--set",
        "threshold=50",
        "--set",
        "radius=1",
    ],
    &[
        "changepoints",
        "--detector",
        "skia",
        "--set",
        "kind=mannwhitneyu",
        "--set",
        "threshold=0.01",
    ],
    &["threshold", "--test", "t_test", "--upper", "0.99", "--lower", "0.99"],
    &["threshold", "--test", "log_normal", "--upper", "0.99"],
    &["threshold", "--test", "iqr", "--upper", "1.5"],
    &["threshold", "--test", "delta_iqr", "--upper", "1.5"],
    &["threshold", "--test", "percentage", "--upper", "0.1", "--compat", "0.6.2"],
];

/// Questions about two inputs.
const TWO: [&[&str]; 3] = [
    &["compare"],
    &["compare", "--probabilities", "0,0.5,1"],
    &["compare", "--rule", "clickhouse-2026"],
];

/// An answer in JSON, or one sentence on the other stream; never a crash.
#[track_caller]
fn assert_answers(args: &[&str]) {
    let output = Outcome::of(&mut stats(&[args, &["--json"]].concat()));
    let error = &output.stderr;
    match output.code {
        Some(0) => {
            let answer: Result<Value, _> = serde_json::from_str(&output.stdout);
            assert!(answer.is_ok_and(|answer| answer["event"].is_string()), "{args:?}");
        }
        Some(2) => assert!(output.stdout.is_empty() && !error.trim().is_empty(), "{args:?}"),
        code => panic!("{args:?}: {code:?}: {error}"),
    }
    assert!(!error.contains("panicked"), "{args:?}: {error}");
}

#[test]
fn every_question_answers_or_names_what_is_wrong() {
    let files = Files::new();
    let odd = [
        files.write("empty", []),
        files.write("one", [5.0]),
        files.write("two", [5.0, 6.0]),
        files.write("constant", [7.0; 50]),
        files.write("tied", (0..60).map(|i| f64::from(i % 3))),
        files.write("zero", [0.0; 20]),
        files.write("negative", hump(-100.0, 40)),
        files.write("signs", hump(0.0, 40)),
        files.write("tiny", hump(10.0, 40).map(|value| value * 1e-300)),
        files.write("huge", [f64::MIN, -1.0, 1.0, f64::MAX].repeat(8)),
        files.write("infinite", [1.0, f64::INFINITY]),
        files.write("nan", [f64::NAN, 1.0]),
        files.write("rare", hump(100.0, 60).chain([900.0, 901.0, 903.0])),
    ];
    for file in &odd {
        for question in ONE {
            assert_answers(&[question, &[file.as_str()]].concat());
        }
    }
    for (file, other) in odd.iter().zip(odd.iter().cycle().skip(1)) {
        for question in TWO {
            assert_answers(&[question, &[file.as_str(), other.as_str()]].concat());
            assert_answers(&[question, &[other.as_str(), file.as_str()]].concat());
        }
    }
}

/// Detectors whose time grows faster than the series.
const SLOW: [&str; 2] = ["ed-pelt", "rqq-pelt"];

/// Values that wander without a pattern, and those that hardly differ.
fn many(size: u32) -> [Vec<f64>; 2] {
    let scattered = |i: u32| 100.0 + f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 1e6;
    [(0..size).map(scattered).collect(), (0..size).map(|i| f64::from(i % 7)).collect()]
}

#[test]
fn very_many_numbers_are_answered_or_refused() {
    // A debug build is some twenty times as slow as the tool that people have.
    let (size, of_slow) =
        if cfg!(debug_assertions) { (20_000, 1_000) } else { (1_000_000, 20_000) };
    let files = Files::new();
    let write = |name: &str, size: u32| {
        let [scattered, tied] = many(size);
        [files.write(&format!("{name}-scattered"), scattered), files.write(name, tied)]
    };
    let (all, few) = (write("all", size), write("few", of_slow));
    // One without an end would be seen by everybody; these are for who wants to know.
    let timed = |args: &[&str]| {
        let start = Instant::now();
        assert_answers(args);
        println!("{:>8.2} s  {}", start.elapsed().as_secs_f64(), args.join(" "));
    };
    for question in ONE {
        let is_slow = question.iter().any(|word| SLOW.contains(word));
        for file in if is_slow { &few } else { &all } {
            timed(&[question, &[file.as_str()]].concat());
        }
    }
    for question in TWO {
        timed(&[question, &[all[0].as_str(), all[1].as_str()]].concat());
    }
}

#[test]
fn a_million_numbers_are_refused_by_what_would_take_an_hour() {
    let files = Files::new();
    let million = files.write("million", many(1_000_000)[0].iter().copied());
    for detector in SLOW {
        let answer = error(&["changepoints", &million, "--detector", detector]);
        assert!(answer.contains("1000000"), "{detector}: {answer}");
    }
}
