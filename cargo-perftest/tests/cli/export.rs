//! `cargo perftest export`: every format, read back by a parser of it.

pub(crate) mod formats;

use crate::bench::{Bench, line_with, red};
use formats::{FORMATS, Format};
use perftest_core::model::{BenchmarkId, Metric, Note, Reason, Run};
use perftest_store::conformance::example_run;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// Names that break a format which takes them as they are.
const HOSTILE: [&str; 9] = [
    "quotes \" ' \\\" \\",
    "lines\n::error::forged\r\n##[error]forged",
    "<img src=x onerror=alert(1)>&amp;]]><!-- -->",
    "שלום\u{202e}\u{2066}\u{200f}",
    "pipe | `tick` *star* _low_ [link](javascript:x) ~~no~~",
    "@everyone #1 www.evil.example https://evil.example",
    "%0A,line=1::x,=;{}",
    "=HYPERLINK(\"x\")",
    "controls\u{0}\u{1b}[31m\u{7f}\u{85}\u{fffe}",
];

/// Runs of one session with these names; every second one is red.
fn bench_of(name: &str, tests: impl IntoIterator<Item = String>) -> Bench {
    let bench = Bench::new(name);
    for (ordinal, test) in (0..).zip(tests) {
        let benchmark = BenchmarkId::from_recorded(test);
        let run = Run { benchmark, ..example_run(ordinal) };
        bench.append(&if ordinal % 2 == 0 { red(run) } else { run });
    }
    bench
}

fn exported(bench: &Bench, format: Format) -> String {
    bench.run(&["export", format.name]).ended_with(0).stdout
}

/// Panics unless each format is valid and has so many series.
pub(crate) fn all_formats_are_valid(bench: &Bench, series: usize) {
    for format in FORMATS {
        let text = exported(bench, format);
        assert_eq!((format.tests)(&text), format.of(series), "{}: {text}", format.name);
    }
}

#[test]
fn every_format_has_each_test_once_whatever_its_name() {
    let long = "long::".to_owned() + &"é".repeat(300);
    let bench = bench_of("export-hostile", HOSTILE.map(str::to_owned).into_iter().chain([long]));
    let metric =
        Metric { name: "a|b\n::error::<i>\"".into(), unit: "u|\n\"<b>".into(), ..Metric::wall() };
    bench.append(&red(Run { metric, ..example_run(40) }));
    for format in FORMATS {
        let text = exported(&bench, format);
        assert_eq!((format.tests)(&text), format.of(11), "{}: {text}", format.name);
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with("::") && format.name != "github");
        assert_eq!(line, None, "{}: a line begins a command", format.name);
        assert!(!text.contains("##["), "{}", format.name);
    }
}

#[test]
fn a_store_without_a_run_gives_a_valid_text_in_every_format() {
    let bench = Bench::new("export-empty");
    for format in FORMATS {
        let text = exported(&bench, format);
        assert_eq!((format.tests)(&text), 0, "{}: {text}", format.name);
    }
}

#[test]
fn a_damaged_line_is_reported_and_costs_no_other() {
    let bench = Bench::filled("export-damaged");
    let file = bench.history_file("codec-frame-encode");
    let mut file = fs::File::options().append(true).open(file).unwrap();
    file.write_all(b"{\"v\":1,\"kind\":\"run\",\"id\":\"01K\n\0\0\0\n").unwrap();
    for format in FORMATS {
        let output = bench.run(&["export", format.name]).ended_with(0);
        let text = output.warns(&["warning: "]).stdout;
        assert_eq!((format.tests)(&text), format.of(3), "{}: {text}", format.name);
    }
}

#[test]
fn an_unreadable_history_exits_with_5_after_the_others_are_exported() {
    let bench = Bench::filled("export-unreadable");
    fs::write(bench.history_file("codec-index-insert"), "no line of ours\n").unwrap();
    let output = bench.run(&["export", "jsonl"]).ended_with(5).warns(&["codec-index-insert"]);
    assert_eq!(output.stdout.matches('\n').count(), 3);
}

#[test]
fn a_red_has_its_place_its_words_and_its_numbers_in_each_format() {
    let bench = Bench::filled("export-red");
    let text = |format: &str| bench.answer(&["export", format]);
    let title = "file=src/frame.rs,line=37,title=codec%3A%3Aframe%3A%3Aencode";
    let error = "codec::frame::encode 1.25x slower, at least 1.21x";
    line_with(&text("github"), &format!("::error {title}::{error}"));
    line_with(&text("github"), "::notice title=performance tests::1 failed, 2 passed");
    let markdown = text("markdown");
    let row = line_with(&markdown, "<code>codec::frame::encode</code>");
    for part in ["❌", " 57.25 ns ", " 56.50 ns ", "1.25x slower, at least 1.21x", "from 4%"] {
        assert!(row.contains(part), "{part} in {row}");
    }
    assert!(markdown.contains("### Performance tests: 1 failed, 2 passed\n"), "{markdown}");
    assert_eq!(text("github-summary"), markdown);
    assert_eq!(text("comment"), format!("<!-- perftest -->\n{markdown}"));
    line_with(&text("gitlab"), "perftest_ratio{test=\"codec::frame::encode\",metric=\"wall\"");
    let bmf: Value = serde_json::from_str(&text("bmf")).unwrap();
    assert_eq!(bmf["codec::frame::encode"]["latency"]["value"], 57.25);
    assert_eq!(bmf["codec::frame::encode"]["latency"]["upper_value"], 57.6);
    line_with(
        &text("libtest"),
        "test codec::frame::encode ... bench:           57.25 ns/iter (+/- 0.70)",
    );
    let skia: Value = serde_json::from_str(&text("skia")).unwrap();
    assert_eq!(skia["git_hash"], example_run(0).revision.commit);
    let result = &skia["results"][0];
    assert_eq!(result["key"]["test"], "codec::frame::encode");
    let median = serde_json::json!({ "value": "median", "measurement": 57.25 });
    assert_eq!(result["measurements"]["stat"][0], median);
}

#[test]
fn junit_has_failures_what_is_skipped_and_the_whole_report() {
    let bench = Bench::filled("export-junit");
    for (ordinal, reason) in [(30, Reason::Unclear), (31, Reason::NoBaseline), (32, Reason::Red)] {
        let benchmark = BenchmarkId::from_recorded(format!("codec::{}", reason.name()));
        let mut run = Run { benchmark, ..example_run(ordinal) };
        run.evidence.as_mut().unwrap().reason = reason;
        if ordinal == 32 {
            run.flags = vec![Run::ON_RED_REPORT.to_owned()];
        }
        bench.append(&run);
    }
    let text = bench.answer(&["export", "junit"]);
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!((report.tests, report.failures, report.skipped, report.errors), (6, 1, 2, 0));
    let cases = &report.test_suites[0].test_cases;
    let encode = cases.iter().find(|case| case.name.as_str() == "encode").unwrap();
    let quick_junit::TestCaseStatus::NonSuccess { message, ty, description, .. } = &encode.status
    else {
        panic!("{encode:?}");
    };
    assert_eq!(message.as_ref().unwrap().as_str(), "1.25x slower, at least 1.21x");
    assert_eq!(ty.as_ref().unwrap().as_str(), "red");
    assert!(description.as_ref().unwrap().contains("slower than the last good build"));
    let out = encode.system_out.as_ref().unwrap();
    for part in ["baseline", "if meant", "course    ", "▂"] {
        assert!(out.contains(part), "{part} in {}", out.as_str());
    }
    let property = |name: &str| {
        let found = encode.properties.iter().find(|it| it.name.as_str() == name);
        found.unwrap_or_else(|| panic!("{name}")).value.as_str().to_owned()
    };
    assert_eq!((property("ratio").as_str(), property("unit").as_str()), ("1.25", "ns"));
}

#[test]
fn the_cases_of_a_test_have_its_time_once_at_its_wall_time() {
    let bench = Bench::new("export-time");
    let run = |ordinal| Run { spent_ns: 2_000_000_000, ..example_run(ordinal) };
    bench.append(&Run { metric: Metric::allocations(), ..run(0) });
    bench.append(&run(1));
    bench.append(&Run { benchmark: run(2).benchmark.stage("pack"), ..run(2) });
    bench.append(&Run { benchmark: BenchmarkId::from_recorded("codec::other/lex"), ..run(3) });
    let text = bench.answer(&["export", "junit"]);
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let cases = &report.test_suites[0].test_cases;
    let seconds = |it: &quick_junit::TestCase| it.time.map_or(0, |time| time.as_secs());
    let timed = cases.iter().filter(|it| seconds(it) > 0);
    let mut timed: Vec<(&str, u64)> = timed.map(|it| (it.name.as_str(), seconds(it))).collect();
    timed.sort_unstable();
    assert_eq!(timed, [("encode", 2), ("other/lex", 2)], "{text}");
}

#[test]
fn a_test_that_fails_without_an_answer_has_failed_in_each_format() {
    let bench = Bench::new("export-strict");
    let mut run = example_run(0);
    let evidence = run.evidence.as_mut().unwrap();
    (evidence.reason, evidence.notes) = (Reason::Unclear, vec![Note::UnclearFails]);
    bench.append(&run);
    let text = |format: &str| bench.answer(&["export", format]);
    let report = quick_junit::Report::deserialize_from_str(&text("junit")).unwrap();
    assert_eq!((report.tests, report.failures, report.skipped), (1, 1, 0));
    line_with(&text("github"), "::error file=");
    line_with(&text("github"), "::notice title=performance tests::1 failed");
    assert!(text("markdown").contains("| ❌ |"), "{}", text("markdown"));
    let session: Value = serde_json::from_str(text("jsonl").lines().next().unwrap()).unwrap();
    assert_eq!((&session["failed"], &session["undecided"]), (&1.into(), &0.into()));
}

#[test]
fn github_gets_ten_annotations_of_a_kind_the_worst_and_a_sum() {
    let bench = bench_of("export-many", (0..60).map(|number| format!("codec::t{number}")));
    let text = bench.answer(&["export", "github"]);
    assert_eq!(text.matches("::error ").count(), 10);
    let last = text.lines().last().unwrap();
    assert_eq!(last, "::notice title=performance tests::30 failed, 30 passed");
}

#[test]
fn a_comment_of_thousands_of_tests_fits_and_keeps_every_red_it_can() {
    let name = |number| format!("codec::{}::t{number}", "module_with_a_long_name::".repeat(4));
    let bench = bench_of("export-large", (0..1_200).map(name));
    let comment = bench.answer(&["export", "comment"]);
    assert!(comment.len() <= 65_536, "{}", comment.len());
    assert!(comment.contains("| and ") && comment.contains(" more |"), "{}", comment.len());
    assert!(!comment.contains("✅"), "what passed is cut first");
    let summary = bench.answer(&["export", "github-summary"]);
    assert!(summary.len() <= 1 << 20, "{}", summary.len());
    assert_eq!(summary.matches("❌").count(), 600);
}

#[test]
fn csv_has_a_row_for_each_commit_and_a_column_for_each_series() {
    let bench = Bench::new("export-csv");
    let commit = |ordinal: u64, name: &str, order: u64, dirty: bool| {
        let mut run = example_run(ordinal);
        run.revision.commit = name.into();
        run.revision.order = order;
        run.revision.dirty = dirty;
        run
    };
    // The second commit was measured twice, an older one last.
    bench.append(&commit(0, "b", 200, false));
    bench.append(&commit(2, "b", 200, false));
    bench.append(&commit(3, "c", 300, true));
    bench.append(&commit(4, "a", 100, false));
    let metric = Metric::allocations();
    bench.append(&Run { metric, ..commit(4, "a", 100, false) });
    let expected = "\
time,commit,\"codec::frame::encode, allocs\",codec::frame::encode
1970-01-01T00:01:40Z,a,61,61
1970-01-01T00:03:20Z,b,,58
";
    assert_eq!(bench.answer(&["export", "csv"]), expected);
}

#[test]
fn a_session_is_the_newest_or_the_one_that_is_named() {
    let bench = Bench::filled("export-session");
    bench.append(&Run { session: "later".into(), ..example_run(50) });
    let names = |args: &[&str]| -> Vec<String> {
        let lines = bench.json(&[&["export", "jsonl"], args].concat());
        let of_runs = lines.iter().filter(|line| line["event"] == "verdict");
        of_runs.map(|line| line["benchmark"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["codec::frame::encode"]);
    let earlier = ["--session", &example_run(0).session];
    assert_eq!(names(&earlier).len(), 3);
    assert_eq!(names(&[&["decode", "insert"], &earlier[..]].concat()).len(), 2);
    let (code, text) = bench.refusal(&["export", "junit", "--session", "nobody"]);
    assert!(code == 2 && text.contains("no run of session `nobody`"), "{text}");
    let (code, _) = bench.refusal(&["export", "junit", "nobody"]);
    assert_eq!(code, 2);
}

#[test]
fn a_run_of_the_newest_session_counts_also_where_its_test_ran_in_another_one_meanwhile() {
    let bench = Bench::new("export-meanwhile");
    let run = |ordinal: u64, test: &str, session: &str| Run {
        benchmark: BenchmarkId::from_recorded(test),
        session: session.into(),
        ..example_run(ordinal)
    };
    bench.append(&run(1, "early", "newest"));
    bench.append(&run(5, "early", "meanwhile"));
    bench.append(&run(6, "only_meanwhile", "meanwhile"));
    bench.append(&run(9, "late", "newest"));
    let lines = bench.json(&["export", "jsonl"]);
    let of_runs = lines.iter().filter(|line| line["event"] == "verdict");
    let mut tests: Vec<_> = of_runs.map(|line| line["benchmark"].as_str().unwrap()).collect();
    tests.sort_unstable();
    assert_eq!(tests, ["early", "late"]);
}

#[test]
fn a_file_gets_the_text_and_one_that_cannot_be_written_is_named() {
    let bench = Bench::filled("export-file");
    let file = bench.root.join("perf.xml");
    let path = file.to_str().unwrap();
    assert_eq!(bench.answer(&["export", "junit", "--out", path]), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), bench.answer(&["export", "junit"]));
    for path in [bench.root.clone(), bench.root.join("none/perf.xml")] {
        let path = path.to_str().unwrap();
        let (code, text) = bench.refusal(&["export", "junit", "--out", path]);
        assert!(code == 5 && text.contains(path), "{text}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let bench = bench_of("export-pipe", (0..200).map(|number| format!("codec::t{number}")));
    for format in FORMATS {
        let mut command = bench.command();
        let mut child =
            command.args(["export", format.name]).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{}", format.name);
    }
}

#[test]
fn skia_needs_one_commit() {
    let bench = Bench::filled("export-skia");
    let mut other =
        Run { benchmark: BenchmarkId::from_recorded("codec::other"), ..example_run(30) };
    other.revision.commit = "ffff".into();
    bench.append(&other);
    let (code, text) = bench.refusal(&["export", "skia"]);
    assert!(code == 2 && text.contains("several"), "{text}");
    bench.run(&["export", "skia", "encode"]).ended_with(0);
}

#[test]
fn what_history_and_show_print_is_as_the_schema_of_events_demands() {
    let bench = Bench::filled("export-schema");
    for args in [
        &["show", "encode", "--json"][..],
        &["history", "--json"],
        &["history", "encode", "--json"],
    ] {
        formats::assert_events(&bench.answer(args));
    }
}
