//! Numbers in JSON.

use serde_json::{Value, json};

/// Converts a number to JSON; one without digits in JSON becomes a word.
pub(crate) fn json_number(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number if number.is_nan() => "NaN".into(),
        number => json!(number),
    }
}
