//! The report as a file. What a browser makes of it is checked by `ci/report-in-browser.sh`.

use crate::bench::{Bench, line_with};
use perftest_core::model::{BenchmarkId, Metric, Run};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
use serde_json::Value;
use std::fs;

impl Bench {
    /// What it prints, the report's own block, and the block of each test.
    fn report(&self, args: &[&str]) -> (String, Value, Vec<Value>) {
        let out = self.root.join("report.html");
        let args = [&["report"], args, &["--out", out.to_str().unwrap()]].concat();
        let output = self.run(&args);
        let mut blocks = blocks(&fs::read_to_string(out).unwrap());
        let report = blocks.remove(0);
        (output.stdout + &output.stderr, report, blocks)
    }
}

/// The JSON blocks of a page, in its order.
fn blocks(page: &str) -> Vec<Value> {
    let blocks = page.split(r#"<script type="application/json""#).skip(1);
    let text = |block: &str| {
        let (_, rest) = block.split_once('>').unwrap();
        rest.split_once("</script>").unwrap().0.to_owned()
    };
    blocks.map(|block| serde_json::from_str(&text(block)).unwrap()).collect()
}

#[test]
fn a_report_has_every_test_the_failed_one_first_with_the_values_of_the_record() {
    let bench = Bench::filled("report");
    let (printed, report, tests) = bench.report(&[]);
    line_with(&printed, "report.html: 3 histories, 1 slower, 2 unchanged");
    let overview = &report["overview"];
    assert_eq!(overview["name"][0], "codec::frame::encode");
    assert_eq!(overview["section"][0], "slower");
    let all = bench.json(&["history", "--json"]);
    let encode = all.iter().find(|it| it["benchmark"] == "codec::frame::encode").unwrap();
    // A column of one value is that value.
    assert_eq!(
        overview["now"].get(0).unwrap_or(&overview["now"]).as_f64(),
        encode["last"].as_f64()
    );
    let medians = bench.json(&["history", "encode", "--json"]);
    let medians: Vec<&Value> = medians.iter().map(|run| &run["median"]).collect();
    let values = tests[0]["runs"]["value"].as_array().unwrap();
    assert_eq!(values.len(), medians.len());
    for (value, median) in values.iter().zip(medians) {
        let [value, median] = [value, median].map(|it| it.as_f64().unwrap());
        assert!((value / median - 1.0).abs() < 1e-5, "{value} {median}");
    }
    let shown = bench.answer(&["show", "encode"]);
    for line in tests[0]["verdict"]["lines"].as_array().unwrap() {
        assert!(shown.contains(line[1].as_str().unwrap()), "{line} is not in {shown}");
    }
}

#[test]
fn fresh_processes_are_no_runs_of_a_report_and_hide_none() {
    for mark in [Run::CONFIRMING, Run::PROVISIONAL] {
        let bench = Bench::new(&format!("report-{mark}"));
        for ordinal in 0..40 {
            let fresh = ordinal % 4 < 3;
            let flags = fresh.then(|| mark.to_owned()).into_iter().collect();
            bench.append(&Run { flags, ..example_run(ordinal) });
        }
        let (_, report, tests) = bench.report(&["--limit", "10"]);
        assert_eq!(
            (&report["overview"]["runs"], &tests[0]["runs"]["count"]),
            (&10.into(), &10.into())
        );
        assert_eq!(tests[0]["fresh_processes"], 30);
    }
}

#[test]
fn a_report_of_named_tests_has_these_and_a_wrong_name_is_answered_with_what_is_near() {
    let bench = Bench::filled("report-named");
    let (_, report, tests) = bench.report(&["decode", "encode", "frame::decode"]);
    assert_eq!((tests.len(), &report["overview"]["count"]), (2, &2.into()));
    let out = bench.root.join("none.html");
    let (code, text) = bench.refusal(&["report", "encoed", "--out", out.to_str().unwrap()]);
    assert!(code == 2 && text.contains("codec::frame::encode"), "{code} {text}");
    let (code, _) = bench.refusal(&["report", "encode", "zzz", "--out", out.to_str().unwrap()]);
    assert_eq!((code, out.exists()), (2, false));
}

#[test]
fn a_report_of_nothing_is_a_page_without_histories() {
    let bench = Bench::new("report-nothing");
    let (printed, report, tests) = bench.report(&[]);
    line_with(&printed, "report.html: 0 histories");
    assert_eq!((tests.len(), &report["overview"]["count"]), (0, &0.into()));
}

#[test]
fn a_report_names_what_it_could_not_read_and_not_where_the_files_are() {
    let bench = Bench::filled("report-damaged");
    let file = bench.history_file("codec-frame-encode");
    let lines = fs::read_to_string(&file).unwrap();
    fs::write(&file, lines.replacen("\"benchmark\"", "\"bench", 1)).unwrap();
    fs::write(bench.history_file("codec-index-insert"), "name,value\n").unwrap();
    let (printed, report, tests) = bench.report(&[]);
    assert!(printed.contains("warning: skipped a damaged line"), "{printed}");
    assert_eq!(tests.len(), 2);
    assert_eq!(tests[0]["runs"]["count"], 9);
    let problems = report["problems"].to_string();
    assert!(problems.contains("codec-index-insert"), "{problems}");
    assert!(problems.contains("skipped a damaged line (the store"), "{problems}");
    assert!(!problems.contains(bench.root.to_str().unwrap()), "{problems}");
}

#[test]
fn where_the_report_cannot_be_written_the_answer_names_the_path() {
    let bench = Bench::filled("report-unwritable");
    let place = bench.root.join("no-such-directory/report.html");
    let (code, text) = bench.refusal(&["report", "--out", place.to_str().unwrap()]);
    assert!(code == 5 && text.contains("no-such-directory"), "{code} {text}");
    let directory = bench.root.join("project");
    let (code, text) = bench.refusal(&["report", "--out", directory.to_str().unwrap()]);
    assert!(code == 5 && text.contains("project"), "{code} {text}");
}

#[test]
fn standard_output_has_the_page_and_nothing_else() {
    let bench = Bench::filled("report-stdout");
    let page = bench.answer(&["report", "decode", "--out", "-"]);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert_eq!(blocks(&page).len(), 2);
}

/// The opener of other systems has no name that a test could take.
#[cfg(target_os = "linux")]
#[test]
fn the_report_is_opened_when_it_is_whole_and_a_missing_opener_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::filled("report-open");
    let [tools, out] = ["tools", "-report.html"].map(|name| bench.root.join(name));
    fs::create_dir(&tools).unwrap();
    let open = || {
        let mut command = bench.command();
        command.args(["report", "encode", "--open", "--out", out.to_str().unwrap()]);
        Outcome::of(command.env("PATH", &tools))
    };
    open().ended_with(0).warns(&["warning: ", "xdg-open"]);
    assert!(out.exists());
    let opener = tools.join("xdg-open");
    fs::write(
        &opener,
        "#!/bin/sh\necho no browser >&2\n[ -s \"$1\" ] && echo \"$1\" > \"$0.opened\"\n",
    )
    .unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(open().stderr, "");
    let path = fs::read_to_string(tools.join("xdg-open.opened")).unwrap();
    assert_eq!(path.trim_end(), out.to_str().unwrap());
}

#[test]
fn a_clock_that_went_backwards_is_counted_and_changes_no_order() {
    let bench = Bench::new("report-clock");
    for ordinal in [3, 4, 1, 2] {
        bench.append(&example_run(ordinal));
    }
    let (_, _, tests) = bench.report(&[]);
    assert_eq!(tests[0]["backwards"], 1);
    assert_eq!(tests[0]["runs"]["seconds"][2], -180);
}

#[test]
fn names_that_would_be_markup_stay_names() {
    let bench = Bench::new("report-hostile");
    let name =
        format!("t::</script><img src=x onerror=alert(1)>'\"\n\u{202e}{}", "long".repeat(75));
    let mut run = example_run(0);
    run.benchmark = BenchmarkId::from_recorded(name.as_str());
    run.testbed = name.clone();
    run.metric = Metric { name: name.clone(), ..Metric::wall() };
    run.revision.branch = name.clone();
    run.flags = vec![name.clone()];
    bench.append(&Run { ..run });
    let (_, report, tests) = bench.report(&[]);
    assert_eq!(report["overview"]["id"], name.as_str());
    let shown = report["overview"]["name"].as_str().unwrap();
    assert!(shown.contains("<img src=x") && !shown.contains(['\n', '\u{202e}']), "{shown}");
    assert_eq!(tests.len(), 1);
    let page = fs::read_to_string(bench.root.join("report.html")).unwrap();
    assert_eq!(page.matches("<img").count(), 0);
}
