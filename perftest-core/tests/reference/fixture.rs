//! A fixture file: cases with inputs, parameters and expected values.

use perftest_core::model::Sample;
use perftest_core::stats::WeightedSample;
use serde_json::Value;

/// One case of a fixture file.
pub(crate) struct Case {
    name: String,
    case: Value,
}

/// All cases of a file; there are at least `fewest`.
pub(crate) fn cases(file: &str, fewest: usize) -> Vec<Case> {
    let file: Value = serde_json::from_str(file).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= fewest, "only {} cases", cases.len());
    let named = |case: &Value| Case { name: text(&case["name"]), case: case.clone() };
    cases.iter().map(named).collect()
}

/// The numbers of an array.
pub(crate) fn numbers(array: &Value) -> Vec<f64> {
    array.as_array().unwrap().iter().map(number).collect()
}

/// A number, or a word for an infinite one.
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some(word) => word.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl Case {
    /// The case's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// An input by its key.
    pub(crate) fn input(&self, key: &str) -> &Value {
        &self.case["input"][key]
    }

    /// An input of values.
    pub(crate) fn sample(&self, key: &str) -> Sample {
        Sample::new(numbers(self.input(key))).unwrap()
    }

    /// The values with their weights; all count alike where there are none.
    pub(crate) fn weighted(&self) -> WeightedSample {
        let sample = self.sample("values");
        match self.input("weights") {
            weights if weights.is_array() => {
                WeightedSample::new(&sample, &numbers(weights)).unwrap()
            }
            _ => WeightedSample::from(&sample),
        }
    }

    /// A parameter by its key.
    pub(crate) fn param(&self, key: &str) -> &Value {
        &self.case["params"][key]
    }

    /// A parameter that is a word.
    pub(crate) fn word(&self, key: &str) -> &str {
        self.param(key).as_str().unwrap_or_else(|| panic!("{}: no word {key}", self.name))
    }

    /// An expected value by its key.
    pub(crate) fn expected(&self, key: &str) -> &Value {
        &self.case["expected"][key]
    }

    /// Fails unless `actual` is `expected` within `tolerance`, relative above 1.
    pub(crate) fn assert_near(&self, what: &str, actual: f64, expected: f64, tolerance: f64) {
        let near = (actual - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(near || actual == expected, "{}: {what}: {actual} is not {expected}", self.name);
    }

    /// Fails unless `estimate` at each of the case's probabilities is what is expected.
    pub(crate) fn assert_quantiles(&self, tolerance: f64, estimate: impl Fn(f64) -> f64) {
        let probabilities = numbers(self.param("probabilities"));
        let expected = numbers(self.expected("quantiles"));
        assert_eq!(probabilities.len(), expected.len(), "{}", self.name);
        for (p, expected) in probabilities.into_iter().zip(expected) {
            self.assert_near(&format!("at {p}"), estimate(p), expected, tolerance);
        }
    }
}
