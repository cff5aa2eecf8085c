//! Odd samples in every place where an operation takes some.

use super::{Reference, answers};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The first case of each shape of a file: which kind it is, and which keys it has.
fn shapes(file: &Reference) -> Vec<&Value> {
    let keys = |part: &Value| -> Vec<String> {
        part.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let shape = |case: &&Value| {
        let name = case["name"].as_str().unwrap_or_default();
        let kind = name.split_once('/').unwrap_or_default().0.to_owned();
        (kind, keys(&case["input"]), keys(&case["params"]))
    };
    let mut seen = BTreeSet::new();
    file.cases().iter().filter(|case| seen.insert(shape(case))).collect()
}

/// The case with each of its inputs odd alone, and all of them together.
fn spoiled(case: &Value, odd: &Value) -> Vec<Value> {
    let keys: Vec<String> =
        case["input"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    let with = |keys: &[String]| {
        let mut case = case.clone();
        for key in keys {
            case["input"][key] = odd.clone();
        }
        case
    };
    let alone = keys.iter().map(|key| with(std::slice::from_ref(key)));
    alone.chain([with(&keys)]).collect()
}

fn assert_answered(files: &[Reference], odd: &[Value]) {
    let mut lines = String::new();
    for file in files {
        for case in shapes(file) {
            for odd in odd {
                let cases = spoiled(case, odd);
                lines.extend(cases.iter().map(|case| file.line(case)));
            }
        }
    }
    let asked = lines.lines().count();
    let answers = answers(lines.clone().into_bytes());
    assert_eq!(answers.len(), asked);
    for (answer, line) in answers.iter().zip(lines.lines()) {
        let error = answer["error"].as_str().unwrap_or_default();
        let line: String = line.chars().take(300).collect();
        assert!(!error.contains("fault of the tool"), "{answer} to {line}");
        assert!(answer.get("result").is_some() == error.is_empty(), "{answer} to {line}");
    }
}

#[test]
fn odd_samples_get_an_answer_or_a_sentence_from_every_operation() {
    let odd = [
        json!([]),
        json!([5]),
        json!([7, 7, 7, 7, 7, 7, 7, 7]),
        json!([1, 2, 2, 3, 3, 3, 1, 2, 2, 3]),
        json!([0, 0, 0, 0, 0, 0]),
        json!([1, 2, "NaN"]),
        json!([1, "Infinity", 3]),
        json!([-3, -2, -1, 0]),
        json!([1e308, -1e308, 1e-308, 0]),
        json!(["one", null]),
        json!([[1, 2], [3]]),
        json!(-1),
        json!(1e300),
        json!(null),
    ];
    assert_answered(&Reference::all(), &odd);
}

#[test]
fn long_samples_get_an_answer_or_a_sentence_from_every_operation() {
    let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 1e6;
    let long: Vec<f64> = (0..3_000).map(|i| 100.0 + scattered(i)).collect();
    assert_answered(&Reference::all(), &[json!(long)]);
}
