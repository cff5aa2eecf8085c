//! Reference cases answered as a batch would.

use super::{Case, find};
use serde_json::Value;

/// Fails unless the operation answers every case of a reference file within its tolerance; the file
/// holds at least `fewest`.
pub(super) fn assert_all(op: &str, file: &str, fewest: usize) {
    let file: Value = serde_json::from_str(file).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= fewest, "{op}: only {} cases", cases.len());
    let answer = find(op).unwrap();
    let wrong: Vec<String> = cases.iter().filter_map(|case| wrong(&file, case, answer)).collect();
    assert!(
        wrong.is_empty(),
        "{op}: {} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn wrong(file: &Value, case: &Value, answer: super::Op) -> Option<String> {
    let expected = &case["expected"];
    let near = Near::of([file, case, expected]);
    let name = case["name"].as_str().unwrap_or_default();
    let got = answer(&Case::new(case["input"].clone(), case["params"].clone()).named(name));
    let fault = match got {
        Ok(got) => near.fault(&got, expected, "")?,
        Err(error) => error,
    };
    Some(format!("{}: {fault}", case["name"]))
}

/// How near a number has to be to the expected one.
struct Near {
    absolute: f64,
    relative: f64,
}

impl Near {
    /// By the innermost level that says so.
    fn of(levels: [&Value; 3]) -> Self {
        let told = |key| levels.iter().rev().find_map(|level| level.get(key)?.as_f64());
        let absolute = told("tolerance").or_else(|| told("tolerance_abs"));
        let relative = told("relative_tolerance").or_else(|| told("tolerance_rel"));
        Self {
            absolute: absolute.unwrap_or(0.0),
            relative: relative.unwrap_or(if absolute.is_some() { 0.0 } else { 1e-9 }),
        }
    }

    fn fault(&self, got: &Value, expected: &Value, at: &str) -> Option<String> {
        match expected {
            Value::Object(keys) => {
                keys.iter().filter(|(key, _)| !key.contains("tolerance")).find_map(
                    |(key, expected)| self.fault(&got[key], expected, &format!("{at}.{key}")),
                )
            }
            Value::Array(expected)
                if got.as_array().is_some_and(|got| got.len() == expected.len()) =>
            {
                let pairs = expected.iter().enumerate();
                pairs
                    .map(|(i, expected)| self.fault(&got[i], expected, &format!("{at}[{i}]")))
                    .find_map(|fault| fault)
            }
            _ if self.is_near(got, expected) => None,
            _ => Some(format!("{at}: {got} is not {expected}")),
        }
    }

    fn is_near(&self, got: &Value, expected: &Value) -> bool {
        match (got.as_f64(), expected.as_f64()) {
            (Some(got), Some(expected)) => {
                let distance = (got - expected).abs();
                distance <= self.absolute.max(self.relative * expected.abs())
            }
            _ => got == expected,
        }
    }
}
