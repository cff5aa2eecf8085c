//! Results of other harnesses side by side.

use super::{Files, error, json, piped, text};
use serde_json::Value;

fn benchmark<'a>(answer: &'a Value, unit: &str, name: &str) -> &'a Value {
    let tables = answer["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["unit"] == unit).unwrap();
    let benchmarks = table["benchmarks"].as_array().unwrap();
    benchmarks.iter().find(|it| it["name"] == name).unwrap()
}

#[test]
fn only_what_changed_has_a_delta() {
    let answer = json(&["bench", "go_old.txt", "go_new.txt"]);
    let versus = |unit, name| benchmark(&answer, unit, name)["files"][1]["versus"].clone();
    let large = versus("ns/op", "Parse/large-8");
    assert_eq!(large["shown"], true);
    assert!((large["ratio"].as_f64().unwrap() - 0.91).abs() < 0.01, "{large}");
    assert_eq!(versus("ns/op", "Parse/small-8")["shown"], false);
    assert_eq!(versus("B/op", "Parse/large-8")["shown"], true);
    assert_eq!(versus("allocs/op", "Render-8")["warning"], "all samples are equal");
    assert!(benchmark(&answer, "ns/op", "Render-8")["files"][0]["versus"].is_null());
}

#[test]
fn the_least_effect_is_a_second_gate() {
    let shown = |options: &[&str]| {
        let answer = json(&[&["bench", "go_old.txt", "go_new.txt"], options].concat());
        let benchmarks = answer["tables"][0]["benchmarks"].as_array().unwrap().clone();
        benchmarks.iter().filter(|it| it["files"][1]["versus"]["shown"] == true).count()
    };
    assert!(shown(&[]) >= 1);
    assert_eq!(shown(&["--minimum-effect", "3%"]), 1);
    assert_eq!(shown(&["--minimum-effect", "1.25"]), 0);
    assert_eq!(shown(&["--alpha", "0"]), 0);
    assert_eq!(shown(&["--assume", "exact"]), 3);
}

#[test]
fn several_runs_of_libtest_are_one_benchmark() {
    let answer = json(&["bench", "libtest.txt"]);
    assert_eq!(benchmark(&answer, "ns/iter", "lexer::words")["files"][0]["count"], 3);
    let text = text(&["bench", "libtest.txt"]);
    assert!(text.contains("need >= 6 samples for an interval at confidence 0.95"), "{text}");
    assert!(text.contains("1.413 us ± ∞¹"), "{text}");
    assert!(super::text(&["bench", "libtest.txt", "--ascii"]).is_ascii());
}

#[test]
fn plain_numbers_are_one_benchmark_without_a_name() {
    let answer = json(&["bench", "before.txt", "after.txt", "--unit", "ns"]);
    let values = benchmark(&answer, "ns", "");
    assert_eq!(values["files"][0]["count"], 60);
    assert!((values["files"][1]["versus"]["ratio"].as_f64().unwrap() - 1.11).abs() < 0.01);
    assert_eq!(json(&["bench", "runs.csv", "--column", "old_ms"])["notes"], serde_json::json!([]));
    let output = piped(&["bench", "go_old.txt", "-"], "BenchmarkRender-8 10 2300 ns/op\n");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("only in go_old.txt: Parse/small-8, Parse/large-8\n"), "{text}");
}

#[test]
fn what_does_not_belong_together_is_noted() {
    let files = Files::new();
    let other =
        files.text("other", "cpu: Other 1\nBenchmarkRender-8 10 2300 ns/op\nBenchmark x y\n");
    let answer = text(&["bench", "go_old.txt", &other]);
    assert!(answer.contains("cpu is Example 3000 in go_old.txt and Other 1 in "), "{answer}");
    assert!(answer.contains("1 line that begins as a benchmark does and is none"), "{answer}");
    let answer = text(&["bench", "libtest.txt", "libtest.txt"]);
    assert!(
        answer.contains("need >= 4 samples to detect a difference at alpha level 0.05"),
        "{answer}"
    );
}

#[test]
fn a_torn_result_is_refused_with_its_line() {
    let files = Files::new();
    let torn = files.text("torn", "goos: linux\nBenchmarkA 10 12 ns/op 3\n");
    assert!(error(&["bench", &torn]).contains("line 2: behind the number of iterations"));
    let words = files.text("words", "nothing\nbut words\n");
    assert!(error(&["bench", &words]).contains("line 1 is `nothing`, which is no number"));
    assert!(error(&["bench", "go_old.txt", "--alpha", "2"]).contains("from 0 to 1"));
}
