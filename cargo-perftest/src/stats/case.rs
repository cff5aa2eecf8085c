//! One case of a batch: its inputs and parameters, taken apart with sentences for what is wrong.

use perftest_core::model::Sample;
use serde_json::Value;

/// What an operation gets.
pub(crate) struct Case {
    input: Value,
    params: Value,
}

impl Case {
    /// A case of what was read.
    pub(crate) fn new(input: Value, params: Value) -> Self {
        Self { input, params }
    }

    /// An input by its key; null where there is none.
    pub(crate) fn input(&self, key: &str) -> &Value {
        &self.input[key]
    }

    /// A parameter by its key; null where there is none.
    pub(crate) fn param(&self, key: &str) -> &Value {
        &self.params[key]
    }

    /// The numbers of an input.
    ///
    /// # Errors
    ///
    /// It is no array of numbers.
    pub(crate) fn numbers(&self, key: &str) -> Result<Vec<f64>, String> {
        numbers(self.input(key))
            .ok_or_else(|| format!("the input {key} has to be an array of numbers"))
    }

    /// The values of an input as a sample.
    ///
    /// # Errors
    ///
    /// It is no array of numbers, is empty, or has a value that is not finite.
    pub(crate) fn sample(&self, key: &str) -> Result<Sample, String> {
        Sample::new(self.numbers(key)?).map_err(|error| format!("the input {key}: {error}"))
    }

    /// A parameter that is a number.
    ///
    /// # Errors
    ///
    /// It is missing or no number.
    pub(crate) fn number(&self, key: &str) -> Result<f64, String> {
        number(self.param(key)).ok_or_else(|| format!("the parameter {key} has to be a number"))
    }

    /// A parameter that is a word.
    ///
    /// # Errors
    ///
    /// It is missing or no word.
    pub(crate) fn word(&self, key: &str) -> Result<&str, String> {
        let word = self.param(key).as_str();
        word.ok_or_else(|| format!("the parameter {key} has to be a word"))
    }
}

/// A number, or the word for one that JSON has no digits for (`inf`, `-inf`, `NaN`).
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some(word) => word.parse().ok(),
        None => value.as_f64(),
    }
}

/// The numbers of an array.
pub(crate) fn numbers(array: &Value) -> Option<Vec<f64>> {
    array.as_array()?.iter().map(number).collect()
}

/// A whole number, not negative.
pub(crate) fn whole(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}
