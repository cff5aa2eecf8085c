//! `rank`: over written histories.

use crate::bench::{Bench, line_with};
use crate::past::{about, run};
use perftest_core::model::{Measurement, Metric, Run};
use serde_json::Value;

/// With a test for each measure that is first by it.
fn zoo(name: &str) -> Bench {
    let bench = Bench::new(name);
    bench.add("steady", 60, |_| 1_000.0);
    bench.add("slower", 60, |nth| if nth < 30 { 1_000.0 } else { 1_200.0 });
    bench.add("faster", 60, |nth| if nth < 30 { 1_000.0 } else { 500.0 });
    bench.add("noisy", 60, |nth| 1_000.0 + (nth * 37 % 61) as f64);
    bench.add("bimodal", 60, |nth| if nth * 13 % 7 < 4 { 1_000.0 } else { 1_120.0 });
    bench.add("creeping", 60, |nth| 1_000.0 * 1.001_f64.powi(nth as i32));
    bench.add("improving", 60, |nth| 1_000.0 * 0.9985_f64.powi(nth as i32));
    bench.append(&run("single", 0, 57.0));
    bench
}

/// The tests with a rank, the first on top.
fn ranked(bench: &Bench, args: &[&str]) -> Vec<String> {
    let lines = bench.json(&[&["rank", "--json"], args].concat());
    let ranks = lines.iter().filter(|line| !line["place"].is_null());
    ranks.map(|line| line["benchmark"].as_str().unwrap().replace("codec::", "")).collect()
}

/// Why a test has no rank.
fn why(bench: &Bench, test: &str, args: &[&str]) -> String {
    let lines = bench.json(&[&["rank", "--json"], args].concat());
    let name = format!("codec::{test}");
    let line = lines.iter().find(|line| line["benchmark"] == name.as_str()).unwrap();
    assert!(line["place"].is_null(), "{line}");
    line["why"].as_str().unwrap().to_owned()
}

#[test]
fn what_changed_most_is_on_top_whichever_way_it_went() {
    let bench = zoo("rank-change");
    assert_eq!(ranked(&bench, &[]), ["faster", "slower"]);
    assert_eq!(ranked(&bench, &["--degradations"]), ["slower"]);
    assert_eq!(ranked(&bench, &["--improvements", "--by", "change"]), ["faster"]);
    let slower = bench.answer(&["rank", "slower", "--improvements"]);
    assert!(slower.contains("left out: 1 test of the other kind"), "{slower}");
    let text = bench.answer(&["rank"]);
    let line = line_with(&text, "codec::slower");
    for part in
        ["1.20x", "slower, 999.9 ns to 1.200 us", "since 2026-01-01 00:30", "000000029..000000030"]
    {
        assert!(line.contains(part), "{part} in {text}");
    }
    assert!(text.contains("no lasting change: codec::"), "{text}");
    assert!(text.contains("too few values to judge: codec::single (1 of 20 runs)"), "{text}");
}

#[test]
fn a_change_of_level_is_no_dispersion_and_modes_are_named_beside_it() {
    let bench = zoo("rank-dispersion");
    let order = ranked(&bench, &["--by", "dispersion"]);
    assert_eq!(&order[..3], ["bimodal", "improving", "noisy"], "{order:?}");
    assert_eq!(order.len(), 7);
    let text = bench.answer(&["rank", "--by", "dispersion", "--top", "1"]);
    assert!(line_with(&text, "codec::bimodal").contains("in 2 modes: see --by modality"), "{text}");
    assert!(text.contains("and 6 more"), "{text}");
    let lines = bench.json(&["rank", "--by", "dispersion", "--json", "slower"]);
    assert!(lines[0]["dispersion"].as_f64().unwrap() < 0.01, "{lines:?}");
    assert_eq!(lines[0]["level_runs"], 30);
}

#[test]
fn a_bimodal_history_is_called_bimodal_and_not_slower() {
    let bench = zoo("rank-modality");
    assert_eq!(ranked(&bench, &["--by", "modality"]), ["bimodal"]);
    let text = bench.answer(&["rank", "--by", "modality"]);
    let line = line_with(&text, "codec::bimodal");
    assert!(line.contains("2 modes") && line.contains("33 values, 55%"), "{text}");
    assert!(why(&bench, "bimodal", &[]).contains("no lasting change"));
    assert_eq!(
        why(&bench, "single", &["--by", "modality"]),
        "too few values to judge: 1 of 30 runs since the last change"
    );
    assert_eq!(why(&bench, "steady", &["--by", "modality"]), "one mode");
}

#[test]
fn runs_that_are_rarely_far_slower_are_a_rare_mode() {
    let bench = Bench::new("rank-rare");
    for nth in 0..100 {
        let times = if nth % 20 == 13 { 50.0 } else { 1.0 };
        bench.append(&run("restored", nth, times * about(1_000.0, nth)));
        bench.append(&run("steady", nth, about(1_000.0, nth)));
    }
    assert_eq!(ranked(&bench, &["--by", "modality"]), ["restored"]);
    let text = bench.answer(&["rank", "--by", "modality"]);
    let line = line_with(&text, "codec::restored");
    assert!(line.contains("1 mode + 1 rare") && line.contains("5 values, 5%"), "{text}");
    let text = bench.answer(&["rank", "--by", "dispersion", "restored"]);
    assert!(text.contains("in 2 modes: see --by modality"), "{text}");
    assert_eq!(ranked(&bench, &["--by", "extremes"]), ["restored"]);
    let text = bench.answer(&["rank", "--by", "extremes"]);
    let line = line_with(&text, "codec::restored");
    assert!(line.contains("the whole run; 5 of 100 runs are far"), "{text}");
    let lines = bench.json(&["rank", "--by", "extremes", "--json", "restored"]);
    let ratio = lines[0]["ratio"].as_f64().unwrap();
    assert!((49.0..51.0).contains(&ratio) && lines[0]["of"] == "run", "{lines:?}");
}

#[test]
fn a_trend_has_a_direction_and_is_no_step() {
    let bench = zoo("rank-trend");
    assert_eq!(ranked(&bench, &["--by", "trend"]), ["improving", "creeping"]);
    assert_eq!(ranked(&bench, &["--by", "trend", "--degradations"]), ["creeping"]);
    let lines = bench.json(&["rank", "--by", "trend", "--json", "creeping"]);
    let number = |key: &str| lines[0][key].as_f64().unwrap();
    assert!((number("ratio") - 1.001_f64.powi(59)).abs() < 0.005, "{lines:?}");
    assert!(number("ratio_lower") < number("ratio") && number("ratio") < number("ratio_upper"));
    assert_eq!(why(&bench, "slower", &["--by", "trend"]), "no trend");
    assert_eq!(why(&bench, "steady", &["--by", "trend"]), "no trend");
}

/// A run with as many measurements as values.
fn measured(test: &str, nth: u64, values: impl Iterator<Item = f64>) -> Run {
    let measurements = values.map(Measurement::of_value).collect();
    Run { measurements, ..run(test, nth, 0.0) }
}

#[test]
fn tails_are_those_of_measurements_beside_their_own_run() {
    let bench = Bench::new("rank-tail");
    for nth in 0..30 {
        let plain = |i: u64| about(1_000.0, 30 * nth + i);
        bench.append(&measured("plain", nth, (0..20).map(plain)));
        // One measurement of ten is half as slow again.
        let tailed = |i: u64| plain(i) * if i % 10 == 3 { 1.5 } else { 1.0 };
        bench.append(&measured("tailed", nth, (0..20).map(tailed)));
        // Runs are far apart, measurements of one are not.
        let moved = |i: u64| plain(i) * (1.0 + nth as f64);
        bench.append(&measured("moved", nth, (0..20).map(moved)));
        let rare = |i: u64| plain(i) * if (nth, i) == (7, 3) { 40.0 } else { 1.0 };
        bench.append(&measured("rare", nth, (0..20).map(rare)));
        bench.append(&run("lone", nth, 1_000.0));
    }
    let ratio = |test: &str, by: &str| {
        let lines = bench.json(&["rank", "--json", "--by", by, test]);
        lines[0]["ratio"].as_f64().unwrap()
    };
    for by in ["p95", "p99"] {
        assert_eq!(ranked(&bench, &["--by", by])[0], "tailed");
        assert!((ratio("tailed", by) - 1.5).abs() < 0.02);
        assert!(ratio("moved", by) < 1.01 && ratio("rare", by) < 1.2);
    }
    assert_eq!(&ranked(&bench, &["--by", "extremes"])[..2], ["rare", "tailed"]);
    assert!((ratio("rare", "extremes") - 40.0).abs() < 0.5);
    let text = bench.answer(&["rank", "--by", "extremes"]);
    assert!(line_with(&text, "codec::rare").contains("000000007 2026-01-01 00:07"), "{text}");
    assert!(why(&bench, "lone", &["--by", "p95"]).contains("0 of 100 measurements"));
    let few = ["--by", "p99", "--limit", "20"];
    assert!(why(&bench, "tailed", &few).contains("400 of 500 measurements"));
}

#[test]
fn what_has_no_direction_cannot_be_filtered_by_it() {
    let bench = zoo("rank-filter");
    let (code, text) = bench.refusal(&["rank", "--by", "p99", "--improvements"]);
    assert!(code == 2 && text.contains("rank by change or trend"), "{text}");
    assert_eq!(bench.refusal(&["rank", "--limit", "5000"]).0, 2);
    assert_eq!(bench.refusal(&["rank", "--degradations", "--improvements"]).0, 2);
}

#[test]
fn no_few_and_odd_runs_have_an_answer_by_every_measure() {
    let empty = Bench::new("rank-empty");
    assert!(empty.answer(&["rank"]).contains("nothing is recorded for project yet"));
    assert_eq!(empty.answer(&["rank", "--json"]), "");
    let bench = Bench::new("rank-odd");
    bench.append(&run("single", 0, 57.0));
    bench.append(&Run { measurements: Vec::new(), ..run("nothing", 0, 57.0) });
    for nth in 0..60 {
        bench.append(&run("constant", nth, 57.0));
        bench.append(&run("zero", nth, 0.0));
        bench.append(&measured("zeros", nth, [0.0; 20].into_iter()));
        bench.append(&measured("same", nth, [57.0; 20].into_iter()));
        bench.append(&run("huge", nth, if nth == 20 { 1e300 } else { 57.0 }));
        let metric = Metric::allocations();
        bench.append(&Run { metric, ..run("counted", nth, (nth / 30) as f64) });
    }
    for by in ["change", "dispersion", "modality", "p95", "p99", "extremes", "trend"] {
        bench.answer(&["rank", "--by", by]);
        let lines = bench.json(&["rank", "--by", by, "--json"]);
        assert_eq!(lines.len(), 8, "{by}");
        for key in
            ["event", "v", "by", "benchmark", "testbed", "metric", "unit", "runs", "place", "why"]
        {
            assert!(lines.iter().all(|line| line.get(key).is_some()), "{key}");
        }
        let is_either = |line: &Value| line["place"].is_null() != line["why"].is_null();
        assert!(lines.iter().all(is_either), "{lines:?}");
    }
    assert_eq!(ranked(&bench, &[]), ["counted"]);
    let counted = bench.json(&["rank", "--json"]).into_iter().find(|it| it["place"] == 1).unwrap();
    assert_eq!(
        (&counted["key"], &counted["ratio_upper"]),
        (&"Infinity".into(), &"Infinity".into())
    );
    assert_eq!(why(&bench, "zero", &["--by", "trend"]), "values not above 0");
    assert_eq!(why(&bench, "zeros", &["--by", "p99"]), "values not above 0");
}

#[test]
fn the_page_shows_what_these_histories_give() {
    let bench = zoo("rank-page");
    let page = include_str!("../../../docs/reference/ranking.md");
    bench.answers_as(page, ["rank --by dispersion", "rank --by trend"]);
}

#[test]
fn numbers_beyond_all_measure_are_reported_in_a_few_digits() {
    let bench = Bench::new("rank-huge");
    bench.add("huge", 40, |_| 1e300);
    bench.add("slower", 60, |nth| if nth < 30 { 1e140 } else { 1e150 });
    for (command, part) in [
        (&["rank", "--by", "dispersion"][..], "around 9.998e290 s"),
        (&["rank"], "1.00e10x"),
        (&["changepoints"], "e141 s"),
    ] {
        let text = bench.answer(command);
        let longest = text.split_whitespace().map(str::len).max();
        assert!(text.contains(part) && longest < Some(60), "{part} in {text}");
    }
}
