//! Numbers as JSON has them.

use serde_json::{Value, json};

/// A number as JSON has it, or the word for one that JSON has no digits for.
pub(crate) fn json_number(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number if number.is_nan() => "NaN".into(),
        number => json!(number),
    }
}
