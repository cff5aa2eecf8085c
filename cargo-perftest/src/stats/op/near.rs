//! Whether an answer is near enough to the one a reference file expects.
//!
//! A number may lie apart by the file's, the case's or the answer's own tolerance, the innermost one
//! that is told: `tolerance` as such up to 1 and relative beyond, `relative_tolerance` relative
//! throughout but for rounding; else by 1e-9. Keys that only tell checkers something are no part of
//! an answer.

use serde_json::Value;

/// Below this a difference is rounding.
const ROUNDING: f64 = 1e-12;

/// What is wrong with the answer to a case of a file; `None` where nothing is.
pub(crate) fn fault(op: &str, file: &Value, case: &Value, got: &Value) -> Option<String> {
    let expected = &case["expected"];
    let levels = [file, case, expected];
    let told = |key: &str| levels.iter().rev().find_map(|level| level.get(key)?.as_f64());
    let tolerance = told("tolerance").or_else(|| told("tolerance_abs"));
    let relative = told("relative_tolerance").or_else(|| told("tolerance_rel"));
    let near = match (tolerance, relative) {
        // Modes are as near as a share of the sample's range.
        (_, Some(relative)) if op == "multimodality_lowland" => {
            Near { reach: relative * range(&case["input"]["values"]), share: 0.0 }
        }
        (None, None) => Near { reach: 1e-9, share: 1e-9 },
        (tolerance, relative) => {
            let reach = tolerance.unwrap_or(ROUNDING);
            Near { reach, share: relative.or(tolerance).unwrap_or(0.0) }
        }
    };
    near.fault(got, expected, "")
}

fn range(values: &Value) -> f64 {
    let numbers = || values.as_array().into_iter().flatten().filter_map(Value::as_f64);
    numbers().fold(f64::MIN, f64::max) - numbers().fold(f64::MAX, f64::min)
}

/// How near a number has to be to the expected one: by the larger of both.
struct Near {
    reach: f64,
    /// Of the expected number.
    share: f64,
}

impl Near {
    fn fault(&self, got: &Value, expected: &Value, at: &str) -> Option<String> {
        match expected {
            Value::Object(keys) => keys.iter().find_map(|(key, expected)| {
                let at = format!("{at}.{key}");
                match key.strip_suffix("_inside") {
                    Some(key) => {
                        outside(&got[key], expected).then(|| format!("{at}: {}", got[key]))
                    }
                    None if key.contains("tolerance") || key.starts_with("repo_") => None,
                    None => self.fault(&got[key], expected, &at),
                }
            }),
            Value::Array(expected)
                if got.as_array().is_some_and(|got| got.len() == expected.len()) =>
            {
                (0..)
                    .zip(expected)
                    .find_map(|(i, expected)| self.fault(&got[i], expected, &format!("{at}[{i}]")))
            }
            _ if self.is_near(got, expected) => None,
            _ => Some(format!("{at}: {got} is not {expected}")),
        }
    }

    fn is_near(&self, got: &Value, expected: &Value) -> bool {
        match (got.as_f64(), expected.as_f64()) {
            (Some(got), Some(expected)) => {
                (got - expected).abs() <= self.reach.max(self.share * expected.abs())
            }
            _ => got == expected,
        }
    }
}

/// Whether an interval goes beyond another one.
fn outside(got: &Value, bounds: &Value) -> bool {
    let end = |interval: &Value, index: usize| interval[index].as_f64();
    let ends = [end(got, 0), end(bounds, 0), end(bounds, 1), end(got, 1)];
    match ends {
        [Some(lower), Some(least), Some(most), Some(upper)] => lower < least || upper > most,
        _ => true,
    }
}
