//! Columns of numbers, as short as they can be.

use perftest_core::rounding::rounded;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::Hash;

/// Least average number of rows of a value, from which on each value is written once.
const OFTEN: usize = 3;

/// A number with this many significant digits, a whole one with all; `null` where it is not finite.
pub(super) fn digits(number: f64, count: usize) -> Value {
    // Counts are compared exactly.
    let is_whole = |number: f64| number.fract() == 0.0 && number.abs() < 1e15;
    let rounded = if is_whole(number) { number } else { rounded(number, count) };
    if is_whole(rounded) {
        return Value::from(rounded as i64);
    }
    serde_json::Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

/// One value a row. Where all rows have the same one it is that value, and where values often come again
/// `times` has for each of `values` the number of its rows.
pub(super) fn column(values: impl IntoIterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.into_iter().collect();
    let stretches = || values.chunk_by(|one, other| one == other);
    match stretches().count() {
        1 => values.swap_remove(0),
        count if OFTEN * count < values.len() => {
            let (first, times): (Vec<&Value>, Vec<usize>) =
                stretches().map(|stretch| (&stretch[0], stretch.len())).unzip();
            json!({ "values": first, "times": times })
        }
        _ => Value::Array(values),
    }
}

/// The different entries of a column in their order, and the index of each row's entry: `null` where no entry
/// repeats, so that each row has the next one.
pub(super) fn indexed<T: Clone + Eq + Hash>(
    entries: impl IntoIterator<Item = T>,
) -> (Vec<T>, Value) {
    let mut different: Vec<T> = Vec::new();
    let mut places = HashMap::new();
    let mut rows = Vec::new();
    let mut place = 0;
    for entry in entries {
        // Most entries are those of the row before.
        if different.get(place) != Some(&entry) {
            place = *places.entry(entry).or_insert_with_key(|entry: &T| {
                different.push(entry.clone());
                different.len() - 1
            });
        }
        rows.push(Value::from(place));
    }
    let place = if different.len() == rows.len() { Value::Null } else { column(rows) };
    (different, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_keeps_its_first_digits_and_a_whole_one_all() {
        let written = [57.250_04, 123_456.7, -0.001_234_567, 0.0, 3e20].map(|it| digits(it, 6));
        assert_eq!(
            written,
            [json!(57.25), json!(123_457), json!(-0.001_234_57), json!(0), json!(3e20)]
        );
        assert_eq!(digits(1_234_567.0, 6), json!(1_234_567));
        assert_eq!([f64::NAN, f64::INFINITY].map(|it| digits(it, 6)), [Value::Null, Value::Null]);
    }

    #[test]
    fn a_column_of_one_value_is_that_value() {
        assert_eq!(column([json!(1), json!(1)]), json!(1));
        let often = [1, 1, 1, 1, 2, 2, 2].map(|value| json!(value));
        assert_eq!(column(often), json!({ "values": [1, 2], "times": [4, 3] }));
        assert_eq!(column([json!(1), Value::Null]), json!([1, null]));
        assert_eq!(column([]), json!([]));
    }

    #[test]
    fn a_text_that_comes_again_is_kept_once() {
        let texts = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(indexed(texts), (vec!["a".into(), "b".into()], json!([0, 1, 0])));
        assert_eq!(indexed(["a", "b"].map(str::to_owned)).1, Value::Null);
    }
}
