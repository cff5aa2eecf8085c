//! Fields as JSON objects, and their union.

use perftest_core::fields::Field;
use perftest_core::model::Interval;
use perftest_store::{JsonObject, Series};
use serde_json::{Map, Value, json};

/// Returns the object of [`JsonObject::of`].
pub(crate) fn object_of(fields: Vec<Field>) -> Map<String, Value> {
    serde_json::from_str(&JsonObject::of(fields).to_string()).unwrap_or_default()
}

/// Adds the fields of another object.
pub(crate) fn extend(value: &mut Value, other: Value) {
    if let (Value::Object(fields), Value::Object(others)) = (value, other) {
        fields.extend(others);
    }
}

/// Returns an event about a history, with further fields.
pub(crate) fn series_event(event: &str, series: &Series, further: Value) -> Value {
    let mut value = json!({
        "event": event,
        "v": 1,
        "benchmark": series.benchmark.as_str(),
        "testbed": series.testbed,
        "metric": series.metric.name,
    });
    extend(&mut value, further);
    value
}

/// Returns an estimate with its bounds.
pub(crate) fn interval_as_json(it: Interval) -> Value {
    json!({ "estimate": it.estimate, "lower": it.lower, "upper": it.upper })
}
