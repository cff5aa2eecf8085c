//! Notes in a record: each is a list of its code and its data.

use super::fields::FromJson;
use super::line::ToJson;
use super::scan::scan_list;
use perftest_core::list::IntoList;
use perftest_core::model::{Note, NoteDatum};

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
        let mut notes = Self::new();
        for note in scan_list(raw)? {
            let mut items = scan_list(note)?.into_iter();
            let code = String::from_json(items.next()?)?;
            notes.extend(Note::from_recorded(&code, items.map(datum_of).into_list_of_some()?));
        }
        Some(notes)
    }
}

fn datum_of(raw: &str) -> Option<NoteDatum> {
    match raw.as_bytes().first()? {
        b'"' => String::from_json(raw).map(NoteDatum::Text),
        b'[' => {
            let numbers = Vec::from_json(raw).map(NoteDatum::Numbers);
            numbers.or_else(|| Vec::from_json(raw).map(NoteDatum::Texts))
        }
        _ => f64::from_json(raw).map(NoteDatum::Number),
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
        let data = "[\"moonlight\",null]";
        for raw in ["7", "[\"no_pair\"]", "[[]]", "[[1]]", &format!("[{data}]")] {
            assert_eq!(Vec::<Note>::from_json(raw), None, "{raw}");
        }
    }
}
