//! What a case gives or leaves to the default, and numbers as an answer has them.

use crate::case::{Case, number, numbers, whole};
use serde_json::{Value, json};

/// A parameter that is a number; the default where there is none.
pub(crate) fn number_or(case: &Case, key: &str, default: f64) -> Result<f64, String> {
    if case.param(key).is_null() { Ok(default) } else { case.number(key) }
}

/// A parameter that is a whole number from `least` up; the default where there is none.
pub(crate) fn count_or(
    case: &Case,
    key: &str,
    least: usize,
    default: usize,
) -> Result<usize, String> {
    count(case.param(key), least, default)
        .ok_or_else(|| format!("the parameter {key} has to be a whole number from {least} up"))
}

/// An input that is an index.
pub(crate) fn index(case: &Case, key: &str) -> Result<usize, String> {
    let index = Some(case.input(key)).filter(|index| !index.is_null());
    let index = index.and_then(|index| count(index, 0, 0));
    index.ok_or_else(|| format!("the input {key} has to be an index, a whole number from 0 up"))
}

fn count(value: &Value, least: usize, default: usize) -> Option<usize> {
    let count = match value {
        Value::Null => default,
        given => whole(given)?,
    };
    (count >= least).then_some(count)
}

/// A probability; the default where there is none.
pub(crate) fn probability_or(case: &Case, key: &str, default: f64) -> Result<f64, String> {
    let given = number_or(case, key, default)?;
    let is_one = (0.0..=1.0).contains(&given);
    is_one.then_some(given).ok_or_else(|| format!("the parameter {key} has to be from 0 to 1"))
}

/// An input of finite numbers, in their order; there may be none.
pub(crate) fn series(case: &Case, key: &str) -> Result<Vec<f64>, String> {
    let all = numbers(case.input(key));
    finite(all.ok_or_else(|| format!("the input {key} has to be an array of numbers"))?, key)
}

/// The numbers, if all of them are to be reckoned with.
pub(crate) fn finite(all: Vec<f64>, key: &str) -> Result<Vec<f64>, String> {
    match all.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(format!("the input {key}: value {at} is {}, which is no level", all[at])),
        None => Ok(all),
    }
}

/// An input of 32-bit numbers, the missing ones null or 1e32.
pub(crate) fn trace(case: &Case, key: &str) -> Result<Vec<f32>, String> {
    let sample = |value: &Value| match value {
        Value::Null => Some(perftest_analysis::detect::trace::MISSING),
        known => number(known).map(|known| known as f32),
    };
    let all = case.input(key).as_array().and_then(|all| all.iter().map(sample).collect());
    all.ok_or_else(|| format!("the input {key} has to be an array of numbers"))
}

/// A number, or the word for one that JSON has no digits for, in the files that write `inf`.
pub(crate) fn json_number_inf(number: f64) -> Value {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}

/// A number of 32 bits with the digits that it has there; the largest, which stands for an endless
/// one, in full.
pub(crate) fn json_number_f32(number: f32) -> Value {
    match number.abs() {
        f32::MAX => json_number_inf(f64::from(number)),
        _ => json_number_inf(number.to_string().parse().unwrap_or(f64::from(number))),
    }
}
