//! Joins JSON objects.

use serde_json::Value;

/// Adds the fields of another object.
pub(crate) fn extend(value: &mut Value, other: Value) {
    if let (Value::Object(fields), Value::Object(others)) = (value, other) {
        fields.extend(others);
    }
}
