//! Whether an answer is near enough to the one a reference file expects.
//!
//! A number may lie apart by the file's, the case's or the answer's own tolerance, the innermost one
//! that is given: `tolerance` as such up to 1 and relative beyond, `relative_tolerance` relative
//! throughout but for rounding; else by 1e-9. Keys that only tell checkers something are no part of
//! an answer. Some files tell a property in place of the answer: `count` and `first` of an array,
//! the ends of an interval as `KEY_inside`, or of a number as `KEY_between`. A text such as `"<=0.001"` is
//! expected to the letter.

use serde_json::{Value, json};

/// What the input was made of, and what wrong answers would cost.
const FOR_CHECKERS: [&str; 4] = ["truth", "max_displacement", "penalty", "max_penalty"];
/// Below this a difference is rounding.
const ROUNDING: f64 = 1e-12;

/// What is wrong with the answer to a case of a file; `None` where nothing is.
pub(super) fn fault(op: &str, file: &Value, case: &Value, got: &Value) -> Option<String> {
    let expected = &case["expected"];
    let levels = [file, case, expected];
    let nearest = |key: &str| levels.iter().rev().find_map(|level| level.get(key)?.as_f64());
    let tolerance = nearest("tolerance").or_else(|| nearest("tolerance_abs"));
    let relative = nearest("relative_tolerance").or_else(|| nearest("tolerance_rel"));
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
            Value::Object(keys) => {
                keys.iter().filter(|(key, _)| !is_for_checkers(key)).find_map(|(key, expected)| {
                    self.key_fault(got, key, expected, &format!("{at}.{key}"))
                })
            }
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

    fn key_fault(&self, got: &Value, key: &str, expected: &Value, at: &str) -> Option<String> {
        let outside = |got: &Value, [lower, upper]: [&Value; 2]| {
            outside([lower, upper], expected).then(|| format!("{at}: {got} is not in {expected}"))
        };
        if let Some(key) = key.strip_suffix("_inside") {
            return outside(&got[key], [&got[key][0], &got[key][1]]);
        }
        if let Some(key) = key.strip_suffix("_between") {
            return outside(&got[key], [&got[key]; 2]);
        }
        match (got.as_array(), key) {
            (Some(all), "count") => self.fault(&all.len().into(), expected, at),
            (Some(_), "first") => self.fault(&got[0], expected, at),
            _ => self.fault(&got[key], expected, at),
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

fn is_for_checkers(key: &str) -> bool {
    key.contains("tolerance") || key.starts_with("repo_") || FOR_CHECKERS.contains(&key)
}

/// Whether an interval goes beyond another one.
fn outside([lower, upper]: [&Value; 2], bounds: &Value) -> bool {
    let ends = [lower, &bounds[0], &bounds[1], upper].map(Value::as_f64);
    match ends {
        [Some(lower), Some(least), Some(most), Some(upper)] => lower < least || upper > most,
        _ => true,
    }
}

#[test]
fn what_is_reported_by_properties_can_be_wrong() {
    let is_right = |got: Value, expected: Value| {
        fault("any", &Value::Null, &json!({ "expected": expected }), &got).is_none()
    };
    let (three, five) = (json!([3, 5]), json!({ "p": 0.2, "bounds": [1, 2] }));
    assert!(is_right(three.clone(), json!({ "count": 2, "first": 3 })));
    assert!(!is_right(three.clone(), json!({ "count": 3 })));
    assert!(!is_right(three, json!({ "first": 4 })));
    assert!(!is_right(json!([]), json!({ "first": 4 })));
    assert!(is_right(five.clone(), json!({ "p_between": [0.1, 0.2], "bounds_inside": [1, 3] })));
    assert!(is_right(json!("<=0.2"), json!("<=0.2")));
    for wrong in [
        json!({ "p_between": [0.3, 0.4] }),
        json!({ "p": "<=0.2" }),
        json!({ "bounds_inside": [1.5, 3] }),
        json!({ "q": 1 }),
    ] {
        assert!(!is_right(five.clone(), wrong));
    }
}
