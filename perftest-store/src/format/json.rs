//! Objects as JSON for programs.

use super::line::ToJson;
use super::text::push_quoted;
use perftest_core::fields::{Field, FieldValue};
use perftest_core::list::IntoList;
use perftest_core::words;
use std::fmt;

/// A JSON object whose keys are in alphabetical order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonObject {
    /// Keys, with their values in their written form.
    entries: Vec<(String, String)>,
}

impl JsonObject {
    /// Creates an object without keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an object with the keys and forms of a record. Beside `notes`, `note` has the same in
    /// words. An infinite number is omitted, because JSON has none.
    pub fn of(fields: Vec<Field>) -> Self {
        let mut object = Self::new();
        for (key, value) in fields {
            match value {
                FieldValue::Number(number) if !number.is_finite() => {}
                FieldValue::Number(number) => object.put(key, number),
                FieldValue::Count(count) => object.put(key, count),
                FieldValue::Flag(is_set) => object.put(key, is_set),
                FieldValue::Text(text) => object.put(key, text),
                FieldValue::Texts(texts) => object.put(key, texts.as_slice()),
                FieldValue::Numbers(numbers) => {
                    let finite = |it: Option<f64>| it.filter(|number| number.is_finite());
                    let numbers: Vec<Option<f64>> = numbers.into_iter().map(finite).into_list();
                    object.put(key, numbers.as_slice());
                }
                FieldValue::Notes(notes) => {
                    object.put("note", words::notes(&notes));
                    object.put(key, notes.as_slice());
                }
            }
        }
        object
    }

    /// Adds a key, or replaces its value. What JSON cannot hold is null.
    pub fn put(&mut self, key: &str, value: impl ToJson) {
        self.put_value(key, &value);
    }

    /// Adds a key, or replaces its value, and returns the object.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToJson) -> Self {
        self.put(key, value);
        self
    }

    /// Compiled once, and not for each type.
    fn put_value(&mut self, key: &str, value: &dyn ToJson) {
        let mut text = String::new();
        let can_hold = value.write(&mut text);
        let value = if can_hold { text } else { "null".to_owned() };
        match self.entries.binary_search_by(|(other, _)| other.as_str().cmp(key)) {
            Ok(at) => self.entries[at].1 = value,
            Err(at) => self.entries.insert(at, (key.to_owned(), value)),
        }
    }
}

impl ToJson for JsonObject {
    fn write(&self, out: &mut String) -> bool {
        out.push('{');
        for (index, (key, value)) in self.entries.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            push_quoted(out, key);
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        true
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::encode_run;
    use perftest_core::fields::fields_of_evidence;
    use perftest_core::model::Note;
    use serde_json::{Map, Value, json};

    fn read(object: &JsonObject) -> Map<String, Value> {
        serde_json::from_str(&object.to_string()).unwrap()
    }

    #[test]
    fn a_verdict_has_the_same_keys_and_values_for_programs_as_in_its_record() {
        let run = example_run(0);
        let record: Value = serde_json::from_str(&encode_run(&run).unwrap()).unwrap();
        let object = read(&JsonObject::of(fields_of_evidence(run.evidence.as_ref().unwrap())));
        assert!(object.len() > 30, "{object:?}");
        for (key, value) in object.iter().filter(|(key, _)| *key != "note") {
            let number = |it: &Value| it.as_f64().map(Value::from).unwrap_or(it.clone());
            let list = |it: &Value| it.as_array().map(|it| it.iter().map(number).collect());
            let plain = |it: &Value| list(it).unwrap_or(number(it));
            assert_eq!(plain(value), plain(&record[key]), "{key}");
        }
    }

    #[test]
    fn each_kind_of_field_has_its_form_and_what_is_infinite_is_left_out() {
        let object = JsonObject::of(vec![
            ("upper", FieldValue::Number(f64::INFINITY)),
            ("ratio", FieldValue::Number(1.25)),
            ("runs", FieldValue::Count(7)),
            ("is_open", FieldValue::Flag(true)),
            ("commit", FieldValue::Text("a\"b".to_owned())),
            ("names", FieldValue::Texts(vec!["a".to_owned(), "b".to_owned()])),
            ("by", FieldValue::Numbers(vec![Some(1.0), None, Some(f64::INFINITY)])),
            ("notes", FieldValue::Notes(vec![Note::NoPair])),
        ]);
        let expected = json!({
            "ratio": 1.25,
            "runs": 7,
            "is_open": true,
            "commit": "a\"b",
            "names": ["a", "b"],
            "by": [1, null, null],
            "notes": [["no_pair"]],
            "note": words::notes(&[Note::NoPair]),
        });
        assert_eq!(Value::Object(read(&object)), expected);
    }

    #[test]
    fn keys_are_in_order_and_the_last_value_of_a_key_counts() {
        let inner = JsonObject::new().with("b", None::<u64>).with("a", f64::NAN);
        let object = JsonObject::new().with("z", 1_u32).with("in \"ner", inner).with("z", "last");
        assert_eq!(object.to_string(), r#"{"in \"ner":{"a":null,"b":null},"z":"last"}"#);
        assert_eq!(JsonObject::new().to_string(), "{}");
    }
}
