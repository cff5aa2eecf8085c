//! Notes in a record: each is a list of its code and its data.

use super::fields::FromJson;
use super::line::ToJson;
use perftest_core::model::{Note, NoteDatum};
use serde_json::Value;

impl ToJson for Note {
    fn write(&self, out: &mut String) -> bool {
        out.push('[');
        let mut all_finite = self.code().write(out);
        for datum in self.data() {
            out.push(',');
            all_finite &= match datum {
                NoteDatum::Number(number) => number.write(out),
                NoteDatum::Text(text) => text.write(out),
                NoteDatum::Numbers(numbers) => numbers.as_slice().write(out),
                NoteDatum::Texts(texts) => texts.as_slice().write(out),
            };
        }
        out.push(']');
        all_finite
    }
}

/// A note that this version does not know is skipped.
impl FromJson for Vec<Note> {
    const EXPECTED: &'static str = "a list of notes, each a list that begins with its code";

    fn from_json(raw: &str) -> Option<Self> {
        let lists: Vec<Vec<Value>> = serde_json::from_str(raw).ok()?;
        let mut notes = Self::new();
        for list in lists {
            let mut list = list.into_iter();
            let Value::String(code) = list.next()? else {
                return None;
            };
            let data: Option<Vec<NoteDatum>> = list.map(datum_of).collect();
            notes.extend(Note::from_recorded(&code, data?));
        }
        Some(notes)
    }
}

fn datum_of(value: Value) -> Option<NoteDatum> {
    match value {
        Value::Number(number) => Some(NoteDatum::Number(number.as_f64()?)),
        Value::String(text) => Some(NoteDatum::Text(text)),
        Value::Array(items) if items.iter().all(Value::is_number) => {
            items.iter().map(Value::as_f64).collect::<Option<_>>().map(NoteDatum::Numbers)
        }
        Value::Array(items) => {
            let text = |item: &Value| item.as_str().map(str::to_owned);
            items.iter().map(text).collect::<Option<_>>().map(NoteDatum::Texts)
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_of_a_newer_writer_is_left_out_and_what_is_none_is_damage() {
        let known = "[[\"moonlight\",{}],[\"no_pair\"]]";
        assert_eq!(Vec::<Note>::from_json(known), None, "an object is no datum");
        let known = "[[\"moonlight\",1],[\"no_pair\"],[\"no_pair\",7]]";
        assert_eq!(Vec::<Note>::from_json(known), Some(vec![Note::NoPair]));
        for raw in ["7", "[\"no_pair\"]", "[[]]", "[[1]]"] {
            assert_eq!(Vec::<Note>::from_json(raw), None, "{raw}");
        }
    }
}
