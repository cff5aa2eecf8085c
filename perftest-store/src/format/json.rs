//! Fields as JSON for programs.

use perftest_core::fields::{Field, FieldValue};
use perftest_core::model::{Note, NoteDatum};
use perftest_core::words;
use serde_json::{Map, Value};

/// Returns the fields as an object with the keys and forms of a record. Beside `notes`, `note` has
/// the same in words. An infinite number is omitted, because JSON has none.
pub fn json_of(fields: Vec<Field>) -> Map<String, Value> {
    let mut object = Map::new();
    for (key, value) in fields {
        let value = match value {
            FieldValue::Number(number) if !number.is_finite() => continue,
            FieldValue::Number(number) => number.into(),
            FieldValue::Count(count) => count.into(),
            FieldValue::Flag(is_set) => is_set.into(),
            FieldValue::Text(text) => text.into(),
            FieldValue::Texts(texts) => texts.into(),
            FieldValue::Numbers(numbers) => numbers.into_iter().map(Value::from).collect(),
            FieldValue::Notes(notes) => {
                object.insert("note".to_owned(), words::notes(&notes).into());
                notes.iter().map(of_note).collect()
            }
        };
        object.insert(key.to_owned(), value);
    }
    object
}

fn of_note(note: &Note) -> Value {
    let data = note.data().into_iter().map(|datum| match datum {
        NoteDatum::Number(number) if number.fract() == 0.0 => (number as i64).into(),
        NoteDatum::Number(number) => number.into(),
        NoteDatum::Text(text) => text.into(),
        NoteDatum::Numbers(numbers) => numbers.into(),
        NoteDatum::Texts(texts) => texts.into(),
    });
    [Value::from(note.code())].into_iter().chain(data).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::encode_run;
    use perftest_core::fields::fields_of_evidence;

    #[test]
    fn a_verdict_has_the_same_keys_and_values_for_programs_as_in_its_record() {
        let run = example_run(0);
        let record: Value = serde_json::from_str(&encode_run(&run).unwrap()).unwrap();
        let object = json_of(fields_of_evidence(run.evidence.as_ref().unwrap()));
        assert!(object.len() > 30, "{object:?}");
        for (key, value) in object.iter().filter(|(key, _)| *key != "note") {
            let number = |it: &Value| it.as_f64().map(Value::from).unwrap_or(it.clone());
            let list = |it: &Value| it.as_array().map(|it| it.iter().map(number).collect());
            let plain = |it: &Value| list(it).unwrap_or(number(it));
            assert_eq!(plain(value), plain(&record[key]), "{key}");
        }
    }
}
