//! A reader of each format, which counts the tests in a text and panics where it is not valid.

use perftest_tests::{assert_json_conforms, assert_xml_conforms};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;
use std::collections::BTreeSet;

/// A format of `cargo perftest export`.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) name: &'static str,
    /// Counts the tests in a text of the format.
    pub(super) tests: fn(&str) -> usize,
    /// Whether only the failed tests of [`bench_of`](super::bench_of) are in it, or only times.
    left_out: LeftOut,
}

/// What a format has no place for.
#[derive(Clone, Copy)]
enum LeftOut {
    Nothing,
    /// What is not found to be worse.
    Passed,
    /// What is no wall time.
    OtherMetrics,
}

impl Format {
    /// So many of this many series are in a text.
    pub(super) fn of(self, series: usize) -> usize {
        match (self.left_out, series) {
            (LeftOut::Passed, 11) => 6,
            (LeftOut::Passed, _) => 1,
            (LeftOut::OtherMetrics, 11) => 10,
            _ => series,
        }
    }
}

pub(super) const FORMATS: [Format; 11] = [
    Format { name: "jsonl", tests: events, left_out: LeftOut::Nothing },
    Format { name: "junit", tests: junit, left_out: LeftOut::Nothing },
    Format { name: "github", tests: annotations, left_out: LeftOut::Passed },
    Format { name: "github-summary", tests: markdown, left_out: LeftOut::Nothing },
    Format { name: "markdown", tests: markdown, left_out: LeftOut::Nothing },
    Format { name: "comment", tests: markdown, left_out: LeftOut::Nothing },
    Format { name: "gitlab", tests: open_metrics, left_out: LeftOut::Nothing },
    Format { name: "bmf", tests: bmf, left_out: LeftOut::Nothing },
    Format { name: "skia", tests: skia, left_out: LeftOut::Nothing },
    Format { name: "csv", tests: csv, left_out: LeftOut::Nothing },
    Format { name: "libtest", tests: libtest, left_out: LeftOut::OtherMetrics },
];

/// Panics unless each line is an event.
pub(crate) fn assert_events(text: &str) {
    events(text);
}

fn events(text: &str) -> usize {
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_json_conforms("events.schema.json", &lines);
    lines.iter().filter(|line| line["event"] == "verdict").count()
}

fn junit(text: &str) -> usize {
    assert_xml_conforms("junit.xsd", text);
    let report = quick_junit::Report::deserialize_from_str(text).expect("the XML is valid");
    report.tests
}

/// Source of the form: `ActionCommand.cs` of the runner.
fn annotations(text: &str) -> usize {
    let is_finding = |line: &&str| !line.starts_with("::notice ");
    for line in text.lines() {
        let rest = line.strip_prefix("::").expect("a line is a command");
        let (command, message) = rest.split_once("::").expect("a command has a message");
        let (kind, properties) = command.split_once(' ').expect("a command has properties");
        assert!(["error", "warning", "notice"].contains(&kind), "{line}");
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').expect("a property has a value");
            assert!(["file", "line", "title"].contains(&name), "{line}");
            assert!(!value.contains(':') && !value.is_empty(), "{line}");
        }
        assert!(!message.is_empty() && !message.contains(char::is_control), "{line:?}");
    }
    text.lines().filter(is_finding).count()
}

/// The rows of tests; every row of a table has six cells, and no HTML but ours is in it.
fn markdown(text: &str) -> usize {
    const OURS: [&str; 8] = [
        "<code>",
        "</code>",
        "<!-- -->",
        "<details>",
        "<summary>",
        "</summary>",
        "</details>",
        "<!-- perftest -->",
    ];
    let (mut rows, mut cells) = (0, 0);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let mut rest = html.to_string();
                OURS.iter().for_each(|ours| rest = rest.replace(ours, ""));
                assert!(!rest.contains(['<', '>']), "{html}");
            }
            Event::Start(Tag::TableRow) => cells = 0,
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(TagEnd::TableRow) => {
                assert_eq!(cells, 6);
                rows += 1;
            }
            Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::Emphasis
                | Tag::Strong
                | Tag::CodeBlock(_),
            )
            | Event::Code(_) => panic!("{event:?} in {text}"),
            _ => {}
        }
    }
    for mention in ["@everyone", "#1 ", "www.evil", "https://evil"] {
        assert!(!text.contains(mention), "{mention} in {text}");
    }
    rows
}

/// Source of the form: OpenMetrics 1.0, section 5.1.
fn open_metrics(text: &str) -> usize {
    let text = text.strip_suffix("# EOF\n").expect("the text has an end");
    let mut tests = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("# TYPE perftest_") || line.starts_with("# HELP perftest_") {
            continue;
        }
        let (name, rest) = line.split_once('{').expect("a sample has labels");
        assert!(name.starts_with("perftest_") && !name.contains(' '), "{line}");
        let mut rest = rest;
        let mut labels = Vec::new();
        while !rest.starts_with('}') {
            let (label, value) = rest.split_once("=\"").expect("a label has a value");
            assert!(
                label.trim_start_matches(',').bytes().all(|it| it.is_ascii_lowercase()),
                "{line}"
            );
            let end = end_of_text(value);
            labels.push(value[..end].to_owned());
            rest = &value[end + 1..];
        }
        let value = rest.strip_prefix("} ").expect("a sample has a value");
        assert!(value.parse::<f64>().is_ok(), "{line}");
        tests.insert(labels);
    }
    tests.len()
}

/// Where a quoted text ends: at the first quote that is not escaped.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, letter) in text.char_indices() {
        match letter {
            '"' if !is_escaped => return index,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    panic!("{text:?} has no end")
}

fn bmf(text: &str) -> usize {
    let value: Value = serde_json::from_str(text).expect("the text is JSON");
    assert_json_conforms("bmf.schema.json", std::slice::from_ref(&value));
    let benchmarks = value.as_object().expect("an object of benchmarks").values();
    benchmarks.map(|measures| measures.as_object().expect("an object of measures").len()).sum()
}

/// Source of the form: `infra/perf/FORMAT.md` of Skia.
fn skia(text: &str) -> usize {
    let value: Value = serde_json::from_str(text).expect("the text is JSON");
    assert_eq!(value["version"], 1);
    assert!(value["git_hash"].is_string());
    let results = value["results"].as_array().expect("a list of results");
    for result in results {
        let key = result["key"].as_object().expect("an object of keys");
        for value in key.values() {
            let value = value.as_str().expect("a key has a text");
            assert!(!value.contains([',', '=']) && !value.is_empty(), "{value}");
        }
        let statistics = result["measurements"]["stat"].as_array().expect("a list of statistics");
        assert!(
            statistics.iter().all(|it| it["value"].is_string() && it["measurement"].is_number())
        );
    }
    results.len()
}

/// The columns behind time and commit; each row has all of them.
fn csv(text: &str) -> usize {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().expect("there are headings").clone();
    assert_eq!([&headings[0], &headings[1]], ["time", "commit"]);
    assert!(headings.iter().all(|heading| !heading.starts_with(['=', '+', '-', '@'])));
    for record in reader.records() {
        let record = record.expect("a row has a cell for each heading");
        assert!(record.iter().skip(2).all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok()));
    }
    headings.len() - 2
}

/// Source of the form: the pattern of github-action-benchmark's `extract.ts`.
fn libtest(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("test ")).collect();
    let (last, lines) = lines.split_last().expect("there is a result");
    assert!(last.starts_with("test result: ok. "), "{last}");
    for line in lines {
        let (_, numbers) = line.split_once(" ... bench: ").expect("a name and numbers");
        let (value, width) = numbers.split_once(" ns/iter (+/- ").expect("a value and a width");
        for number in [value.trim(), width.strip_suffix(')').expect("an end")] {
            assert!(number.replace(',', "").parse::<f64>().is_ok(), "{line}");
        }
    }
    lines.len()
}
