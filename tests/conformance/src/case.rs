//! One case of a batch: its inputs and parameters, taken apart with sentences for what is wrong.

use perftest_core::model::Sample;
use perftest_core::stats::RankStep;
use serde_json::{Value, json};

/// What an operation gets.
pub(crate) struct Case {
    name: String,
    input: Value,
    params: Value,
}

impl Case {
    /// A case of what was read.
    pub(crate) fn new(input: Value, params: Value) -> Self {
        Self { name: String::new(), input, params }
    }

    /// The same case under its name.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Its name, empty where it has none.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What comes before the first `/` of its name.
    pub(crate) fn kind(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
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

    /// A parameter that is a whole number from 0 up.
    ///
    /// # Errors
    ///
    /// It is missing or no whole number.
    pub(crate) fn whole(&self, key: &str) -> Result<usize, String> {
        whole(self.param(key))
            .ok_or_else(|| format!("the parameter {key} has to be a whole number from 0 up"))
    }

    /// A parameter that is a probability.
    ///
    /// # Errors
    ///
    /// It is missing or not from 0 to 1.
    pub(crate) fn probability(&self, key: &str) -> Result<f64, String> {
        let probability = self.number(key)?;
        let is_one = (0.0..=1.0).contains(&probability);
        let given = is_one.then_some(probability);
        given.ok_or_else(|| format!("the parameter {key} has to be a probability from 0 to 1"))
    }

    /// A parameter that is an array of probabilities.
    ///
    /// # Errors
    ///
    /// It is missing, or has something else in it.
    pub(crate) fn probabilities(&self, key: &str) -> Result<Vec<f64>, String> {
        let all = numbers(self.param(key));
        let all = all.filter(|all| all.iter().all(|it| (0.0..=1.0).contains(it)));
        all.ok_or_else(|| format!("the parameter {key} has to be an array of numbers from 0 to 1"))
    }

    /// Which step rank bounds take; the published one where none is asked for.
    ///
    /// # Errors
    ///
    /// There is no such step.
    pub(crate) fn step(&self) -> Result<RankStep, String> {
        match self.param("step") {
            Value::Null => Ok(RankStep::Published),
            step if step == "published" => Ok(RankStep::Published),
            step if step == "conservative" => Ok(RankStep::Conservative),
            _ => Err("the parameter step has to be published or conservative".into()),
        }
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

/// A number as JSON has it, or the word for one that JSON has no digits for.
pub(crate) fn json_number(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number if number.is_nan() => "NaN".into(),
        number => json!(number),
    }
}

/// Several numbers.
pub(crate) fn json_numbers(numbers: impl IntoIterator<Item = f64>) -> Value {
    numbers.into_iter().map(json_number).collect()
}

/// The numbers of an array.
pub(crate) fn numbers(array: &Value) -> Option<Vec<f64>> {
    array.as_array()?.iter().map(number).collect()
}

/// A whole number from 0 up, however it is written: `20.0` is one.
pub(crate) fn whole(value: &Value) -> Option<usize> {
    if let Some(digits) = value.as_u64() {
        return usize::try_from(digits).ok();
    }
    let number = number(value)?;
    let is_whole = number >= 0.0 && number.fract() == 0.0 && number < 2_f64.powi(53);
    is_whole.then_some(number as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        let read = [json!(20), json!(20.0), json!("20"), json!(u64::MAX)].map(|it| whole(&it));
        assert_eq!(read, [Some(20), Some(20), Some(20), usize::try_from(u64::MAX).ok()]);
        for none in [json!(-1), json!(0.5), json!("inf"), json!("NaN"), json!(1e300), json!(null)] {
            assert_eq!(whole(&none), None, "{none}");
        }
    }
}
