//! Results of other harnesses, compared benchmark by benchmark.

use super::{Files, error, json, piped, text};
use serde_json::Value;

fn benchmark<'a>(answer: &'a Value, unit: &str, name: &str) -> Option<&'a Value> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().find(|row| row["unit"] == unit && row["benchmark"] == name)
}

#[test]
fn each_benchmark_is_compared_in_each_of_its_units() {
    let answer = json(&["compare", "go_old.txt", "go_new.txt"]);
    let row = |unit, name| benchmark(&answer, unit, name).unwrap();
    let large = row("ns/op", "Parse/large-8");
    assert_eq!(large["answer"], "smaller");
    assert!((large["ratio"]["estimate"].as_f64().unwrap() - 0.91).abs() < 0.01, "{large}");
    assert_eq!(row("ns/op", "Parse/small-8")["answer"], "same");
    assert_eq!(row("B/op", "Parse/large-8")["answer"], "smaller");
    assert_eq!(row("allocs/op", "Render-8")["answer"], "same");
    let shown = text(&["compare", "go_old.txt", "go_new.txt"]);
    assert!(shown.contains("41.24 us") && shown.contains("B/op"), "{shown}");
    assert!(text(&["compare", "go_old.txt", "go_new.txt", "--ascii"]).is_ascii());
}

#[test]
fn a_certain_difference_below_the_threshold_is_none() {
    let differ = |threshold: &str| {
        let answer = json(&["compare", "go_old.txt", "go_new.txt", "--threshold", threshold]);
        let rows = answer["rows"].as_array().unwrap().clone();
        rows.iter().filter(|row| row["unit"] == "ns/op" && row["answer"] == "smaller").count()
    };
    assert_eq!((differ("3%"), differ("1.25")), (1, 0));
}

#[test]
fn several_runs_of_libtest_are_one_benchmark() {
    let answer = json(&["compare", "libtest.txt", "libtest.txt"]);
    let words = benchmark(&answer, "ns/iter", "lexer::words").unwrap();
    assert_eq!(words["counts"], serde_json::json!([3, 3]));
    assert_eq!(words["answer"], "too_few");
    let shown = text(&["compare", "libtest.txt", "libtest.txt"]);
    assert!(shown.contains("1.413 us") && shown.contains("too few values"), "{shown}");
}

#[test]
fn what_one_file_alone_has_is_named() {
    let output = piped(&["compare", "go_old.txt", "-"], "BenchmarkRender-8 10 2300 ns/op\n");
    output.prints(&["only in go_old.txt: Parse/small-8, Parse/large-8\n"]);
}

#[test]
fn a_unit_that_only_one_file_has_is_named_with_its_benchmarks() {
    let files = Files::new();
    let with = |name: &str, bytes: &str| {
        let line = |benchmark: &str| format!("Benchmark{benchmark} 10 64 ns/op{bytes}\n").repeat(8);
        files.text(name, &["X", "Y"].map(line).concat())
    };
    let (old, new) = (with("old", ""), with("new", " 8 B/op"));
    for pair in [[&old, &new], [&new, &old]] {
        let shown = text(&["compare", pair[0], pair[1]]);
        let note = format!("note: B/op only in {new}: X, Y\n");
        assert!(shown.contains(&note) && !shown.contains("note: only in"), "{shown}");
        let notes = &json(&["compare", pair[0], pair[1]])["notes"];
        assert_eq!(notes.as_array().unwrap().len(), 1, "{notes}");
    }
}

#[test]
fn two_files_without_a_common_unit_say_so() {
    let files = Files::new();
    let old = files.text("old", &"BenchmarkX 10 64 ns/op\n".repeat(8));
    let new = files.text("new", &"BenchmarkX 10 8 B/op\n".repeat(8));
    let other = files.text("other", &"BenchmarkY 10 64 ns/op\n".repeat(8));
    let shown = text(&["compare", &old, &new]);
    for note in [
        "note: no benchmark has the same unit in both files\n".to_owned(),
        format!("note: ns/op only in {old}: X\n"),
        format!("note: B/op only in {new}: X\n"),
    ] {
        assert!(shown.contains(&note), "{shown}");
    }
    let shown = text(&["compare", &old, &other]);
    for note in [
        "note: no benchmark has the same unit in both files\n".to_owned(),
        format!("note: only in {old}: X\n"),
        format!("note: only in {other}: Y\n"),
    ] {
        assert!(shown.contains(&note), "{shown}");
    }
}

#[test]
fn equal_names_of_two_packages_are_two_benchmarks() {
    let files = Files::new();
    let lines = "BenchmarkX 10 64 ns/op\n".repeat(8);
    let two = files.text("two", &format!("pkg: a\n{lines}pkg: b\n{lines}"));
    let names = |file: &str| -> Vec<String> {
        let answer = json(&["compare", file, file]);
        let rows = answer["rows"].as_array().unwrap();
        rows.iter().map(|row| row["benchmark"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&two), ["a.X", "b.X"]);
    assert_eq!(names(&files.text("one", &lines)), ["X"]);
}

#[test]
fn a_single_value_proves_nothing_in_either_direction() {
    let files = Files::new();
    let eight = files.text("eight", &"BenchmarkX 10 64 ns/op\n".repeat(8));
    for other in ["BenchmarkX 10 58 ns/op\n", "BenchmarkX 10 70 ns/op\n"] {
        let other = files.text("other", other);
        for pair in [[&eight, &other], [&other, &eight]] {
            let answer = json(&["compare", pair[0], pair[1]]);
            assert_eq!(answer["rows"][0]["answer"], "too_few", "{answer}");
        }
    }
}

#[test]
fn what_does_not_belong_together_is_noted() {
    let files = Files::new();
    let other =
        files.text("other", "cpu: Other 1\nBenchmarkRender-8 10 2300 ns/op\nBenchmark x y\n");
    let shown = text(&["compare", "go_old.txt", &other]);
    assert!(shown.contains("cpu is Example 3000 in go_old.txt and Other 1 in "), "{shown}");
    assert!(shown.contains("1 line with an incomplete result left out"), "{shown}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_way_out() {
    let files = Files::new();
    let torn = files.text("torn", "goos: linux\nBenchmarkA 10 12 ns/op 3\n");
    let behind = "line 2: after the number of iterations";
    assert!(error(&["compare", &torn, "go_old.txt"]).contains(behind));
    let words = files.text("words", "nothing\nbut words\n");
    let none = "line 1 is `nothing`, which is no number";
    assert!(error(&["compare", &words, &words]).contains(none));
    let mixed = error(&["compare", "go_old.txt", "before.txt"]);
    assert!(mixed.contains("give two files that a harness printed"), "{mixed}");
    let rows = ["compare", "go_old.txt", "go_new.txt", "--probabilities", "0.5"];
    assert!(error(&rows).contains("--probabilities compares inputs of numbers"));
    let huge = files.text("huge", "BenchmarkX 10 1e301 ns/op\n");
    assert!(error(&["compare", &huge, "go_old.txt"]).contains("too large to be compared"));
}
