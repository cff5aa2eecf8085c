//! Columns of numbers, as short as they can be.

use serde_json::Value;

/// A number with so many significant digits; `null` where it is not finite.
pub(super) fn digits(number: f64, count: usize) -> Value {
    let rounded = format!("{number:.*e}", count.saturating_sub(1)).parse().unwrap_or(f64::NAN);
    // A whole number needs no point.
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return Value::from(rounded as i64);
    }
    serde_json::Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

/// One value a row; a single value where all rows have the same one.
pub(super) fn column(values: impl IntoIterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.into_iter().collect();
    match values.first() {
        Some(first) if values.iter().all(|value| value == first) => values.swap_remove(0),
        _ => Value::Array(values),
    }
}

/// The different texts of a column in the order in which they come, and the place of each row's text.
pub(super) fn indexed(texts: impl IntoIterator<Item = String>) -> (Vec<String>, Value) {
    let mut different: Vec<String> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let mut rows = Vec::new();
    for text in texts {
        let place = *places.entry(text).or_insert_with_key(|text: &String| {
            different.push(text.clone());
            different.len() - 1
        });
        rows.push(Value::from(place));
    }
    (different, column(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_keeps_its_first_digits_and_no_more() {
        let written = [57.250_04, 123_456.7, -0.001_234_567, 0.0, 3e20].map(|it| digits(it, 6));
        assert_eq!(
            written,
            [json!(57.25), json!(123_457), json!(-0.001_234_57), json!(0), json!(3e20)]
        );
        assert_eq!([f64::NAN, f64::INFINITY].map(|it| digits(it, 6)), [Value::Null, Value::Null]);
    }

    #[test]
    fn a_column_of_one_value_is_that_value() {
        assert_eq!(column([json!(1), json!(1)]), json!(1));
        assert_eq!(column([json!(1), Value::Null]), json!([1, null]));
        assert_eq!(column([]), json!([]));
    }

    #[test]
    fn a_text_that_comes_again_is_kept_once() {
        let texts = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(indexed(texts), (vec!["a".into(), "b".into()], json!([0, 1, 0])));
    }
}
