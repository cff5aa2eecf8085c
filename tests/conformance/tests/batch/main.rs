//! `perftest-conformance batch` over every case of every reference file, in one go.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod near;
mod odd;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// A file of reference cases.
struct Reference {
    op: String,
    file: Value,
}

impl Reference {
    /// All files of ours, of the analysis and of the core, by their names.
    fn all() -> Vec<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let owners = [".", "../../perftest-analysis", "../../perftest-core"];
        let places = owners.map(|owner| here.join(owner).join("tests/reference"));
        let files = places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten();
        let paths = files.map(|file| file.unwrap().path());
        let by_name: BTreeMap<String, Value> = paths
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .map(|path| {
                let mut file = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                ask_for_what_is_expected(&mut file);
                (path.file_stem().unwrap().to_str().unwrap().to_owned(), file)
            })
            .collect();
        by_name.into_iter().map(|(op, file)| Self { op, file }).collect()
    }

    fn cases(&self) -> &[Value] {
        self.file["cases"].as_array().unwrap()
    }

    fn line(&self, case: &Value) -> String {
        let line = json!({
            "op": self.op, "name": case["name"], "input": case["input"], "params": case["params"],
        });
        format!("{line}\n")
    }
}

/// Some files name in their answers only what is asked: new values that are judged, and the stretches
/// and ranks of queries.
fn ask_for_what_is_expected(file: &mut Value) {
    for case in file["cases"].as_array_mut().into_iter().flatten() {
        if let Some(judged) = case["expected"]["outlier"].as_array() {
            let new = judged.iter().map(|pair| pair[0].clone()).collect();
            case["input"]["new"] = new;
        }
        if case["expected"]["select"].is_array() {
            case["params"]["select"] = case["expected"]["select"].clone();
        }
    }
}

/// What the tool answers to these lines, a line each.
fn answers(lines: Vec<u8>) -> Vec<Value> {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_perftest-conformance"))
        .args(["batch", "--series", "../series"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = tool.stdin.take().unwrap();
    let writer = thread::spawn(move || stdin.write_all(&lines).unwrap());
    let output = tool.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_case_of_every_reference_file_is_answered_as_expected() {
    let files = Reference::all();
    let line =
        |file: &Reference| file.cases().iter().map(|case| file.line(case)).collect::<String>();
    let mut answers = answers(files.iter().map(line).collect::<String>().into_bytes()).into_iter();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in &files {
        let mut right = 0;
        for case in file.cases() {
            let answer = answers.next().unwrap();
            assert_eq!(answer["name"], case["name"], "{}: in order", file.op);
            let fault = match answer.get("result") {
                Some(result) => near::fault(&file.op, &file.file, case, result),
                None => Some(answer["error"].to_string()),
            };
            match fault {
                Some(fault) => wrong.push(format!("{} {}: {fault}", file.op, case["name"])),
                None => right += 1,
            }
        }
        println!("{:<32}{right:>4} of {:>4}", file.op, file.cases().len());
        count += file.cases().len();
    }
    println!("{:<32}{:>4} of {count:>4}", "together", count - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answers.next().is_none() && files.len() == 44 && count >= 973, "{count} cases");
}

#[test]
fn the_example_of_the_page_has_the_answer_that_is_printed_there() {
    let page = include_str!("../../README.md");
    let example = page.split("tests/batch/cases.jsonl\n").nth(1).unwrap();
    let example = example.split("\n```").next().unwrap();
    let expected: Vec<Value> =
        example.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers(include_bytes!("cases.jsonl").to_vec()), expected);
}

#[test]
fn malformed_lines_are_answered_and_the_rest_goes_on() {
    let good = json!({ "op": "pragmastat_center", "name": "good", "input": { "x": [1, 2, 3] } });
    let bad = [
        "{\"op\": \"pragmastat_center\", \"na",
        "null",
        "7",
        "[{}]",
        "{}",
        r#"{"op": 3}"#,
        r#"{"op": "nothing", "name": "unknown"}"#,
        r#"{"op": "outliers"}"#,
        r#"{"op": "outliers", "input": [1, 2], "params": "k"}"#,
        r#"{"op": "quantiles_hyndman_fan", "input": {"values": [1]}, "params": {"type": 0}}"#,
        r#"{"op": "density_qrde_hd", "input": {"values": [1]}, "params": {"bin_count": 1e300}}"#,
        "\u{0}",
        "",
    ];
    let mut lines = Vec::new();
    for line in bad {
        lines.extend_from_slice(format!("{line}\n{good}\n").as_bytes());
    }
    lines.extend_from_slice(b"\xff\xfe\n");
    // The last line may lack its end.
    lines.extend_from_slice(good.to_string().as_bytes());
    let answers = answers(lines);
    assert_eq!(answers.len(), 2 * bad.len() + 2);
    for pair in answers.chunks(2) {
        assert!(pair[0]["error"].is_string() && pair[0].get("result").is_none(), "{}", pair[0]);
        assert_eq!(pair[1], json!({ "name": "good", "result": { "output": 2.0 } }));
    }
}

#[test]
fn an_answer_does_not_wait_for_the_next_case() {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_perftest-conformance"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = tool.stdin.take().unwrap();
    let mut answers = BufReader::new(tool.stdout.take().unwrap()).lines();
    for (cases, values) in [(1, [1, 3]), (3, [5, 7])] {
        let case = json!({ "op": "pragmastat_center", "name": cases, "input": { "x": values } });
        stdin.write_all(format!("{case}\n").repeat(cases).as_bytes()).unwrap();
        for _ in 0..cases {
            // Were it kept back, this would wait for ever.
            let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
            assert_eq!(answer["name"], json!(cases));
        }
    }
    drop(stdin);
    assert!(answers.next().is_none() && tool.wait().unwrap().success());
}

#[test]
fn anything_but_a_batch_is_refused_with_the_usage() {
    for arguments in [&[][..], &["stats"], &["batch", "--series"], &["--help"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_perftest-conformance"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let usage = String::from_utf8(output.stderr).unwrap();
        assert!(usage.contains("perftest-conformance batch [--series DIR]"), "{usage}");
    }
}
