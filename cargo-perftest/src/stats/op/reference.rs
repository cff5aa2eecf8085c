//! Reference cases answered as a batch would.

use super::{Case, find, near};
use serde_json::Value;

/// Fails unless the operation answers every case of a reference file within its tolerance; the file
/// holds at least `fewest`.
pub(super) fn assert_all(op: &str, file: &str, fewest: usize) {
    let file: Value = serde_json::from_str(file).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= fewest, "{op}: only {} cases", cases.len());
    let answer = find(op).unwrap();
    let wrong: Vec<String> =
        cases.iter().filter_map(|case| wrong(op, &file, case, answer)).collect();
    assert!(
        wrong.is_empty(),
        "{op}: {} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn wrong(op: &str, file: &Value, case: &Value, answer: super::Op) -> Option<String> {
    let name = case["name"].as_str().unwrap_or_default();
    let got = answer(&Case::new(case["input"].clone(), case["params"].clone()).named(name));
    let fault = match got {
        Ok(got) => near::fault(op, file, case, &got)?,
        Err(error) => error,
    };
    Some(format!("{name}: {fault}"))
}
