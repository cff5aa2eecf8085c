//! Typed reading of one flat JSON object, with errors that name the key.

use super::decimal::{decimal, decimals};
use super::key_index::KeyIndex;
use super::scan::{scan_list, scan_object};
use super::text::unescaped;
use perftest_core::list::IntoList;
use std::borrow::Cow;
use std::cell::Cell;

/// Why a line cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineError {
    /// The line is no record of perftest, or an incomplete one.
    Damaged(String),
    /// The line has this other version of the format.
    OtherVersion(u64),
}

// Not within the generic readers, which are compiled for each type.
impl LineError {
    fn unexpected(key: &str, expected: &str, raw: &str) -> Self {
        Self::Damaged(format!("key `{key}` should be {expected}, but is {}", clip(raw)))
    }

    fn missing(key: &str) -> Self {
        Self::Damaged(format!("key `{key}` is missing"))
    }

    fn length(key: &str, count: usize, length: usize) -> Self {
        Self::Damaged(format!(
            "key `{key}` should be a list of length {count}, but has length {length}"
        ))
    }
}

/// The keys of one line. Each value is parsed on request, so unknown keys cost nothing.
#[derive(Debug)]
pub struct Fields<'a> {
    /// Keys and values in their written form.
    entries: Vec<(&'a str, &'a str)>,
    index: KeyIndex,
    /// The place behind the key that was found last. Most keys are asked for in the order in which they are written.
    next: Cell<usize>,
}

impl<'a> Fields<'a> {
    /// Finds the keys of a line.
    ///
    /// # Errors
    /// When the line is no complete JSON object.
    pub fn parse(line: &'a [u8]) -> Result<Self, LineError> {
        let entries = std::str::from_utf8(line).ok().and_then(scan_object);
        let damaged = || LineError::Damaged("not a whole JSON object".into());
        let entries = entries.ok_or_else(damaged)?;
        Ok(Self { index: KeyIndex::of(&entries), entries, next: Cell::new(0) })
    }

    /// Returns the value of a key that may be absent or null.
    ///
    /// # Errors
    /// When the value has another type.
    #[inline(never)]
    pub fn get<T: FromJson>(&self, key: &str) -> Result<Option<T>, LineError> {
        let Some(raw) = self.known(key) else {
            return Ok(None);
        };
        T::from_json(raw).map(Some).ok_or_else(|| LineError::unexpected(key, T::EXPECTED, raw))
    }

    /// Returns the text of a key that may be absent or null, as it is written in most cases: without a copy.
    pub(super) fn text(&self, key: &str) -> Result<Option<Cow<'a, str>>, LineError> {
        let Some(raw) = self.known(key) else {
            return Ok(None);
        };
        text_of(raw).map(Some).ok_or_else(|| LineError::unexpected(key, String::EXPECTED, raw))
    }

    /// Returns whether the key is there, even with null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Returns whether the key has exactly this text; an absent key has an empty text.
    pub(crate) fn is_text(&self, key: &str, text: &str) -> Result<bool, LineError> {
        let plain = self.find(key).and_then(|raw| raw.strip_prefix('"')?.strip_suffix('"'));
        match plain.filter(|plain| !plain.as_bytes().contains(&b'\\')) {
            Some(plain) => Ok(plain == text),
            None => Ok(self.get_or_default::<String>(key)? == text),
        }
    }

    fn find(&self, key: &str) -> Option<&'a str> {
        let next = self.next.get();
        let place = match self.entries.get(next) {
            // Of a repeated key the first one counts.
            Some((name, _)) if *name == key && self.index.are_different() => next,
            _ => self.index.find(&self.entries, key)?,
        };
        self.next.set(place + 1);
        Some(self.entries[place].1)
    }

    /// Returns the value of a key that is neither absent nor null.
    fn known(&self, key: &str) -> Option<&'a str> {
        self.find(key).filter(|raw| *raw != "null")
    }

    /// Returns the keys of an object below a key that may be absent or null.
    ///
    /// # Errors
    /// When the value is no object.
    pub fn object(&self, key: &str) -> Result<Option<Self>, LineError> {
        self.known(key).map(|raw| Self::parse(raw.as_bytes())).transpose()
    }

    /// Returns the value of a required key.
    ///
    /// # Errors
    /// When the key is absent, or its value has another type.
    #[inline(never)]
    pub fn need<T: FromJson>(&self, key: &str) -> Result<T, LineError> {
        self.get(key)?.ok_or_else(|| LineError::missing(key))
    }

    /// Replaces a value, if the key is neither absent nor null.
    #[inline(never)]
    pub(super) fn fill<T: FromJson>(&self, key: &str, value: &mut T) -> Result<(), LineError> {
        if let Some(found) = self.get(key)? {
            *value = found;
        }
        Ok(())
    }

    /// Returns a list beside another one of `count` values; the key may be absent or null.
    ///
    /// # Errors
    /// When the value is no such list, or one of another length.
    #[inline(never)]
    pub fn list<T>(&self, key: &str, count: usize) -> Result<Option<Vec<T>>, LineError>
    where
        Vec<T>: FromJson,
    {
        match self.get::<Vec<T>>(key)? {
            Some(list) if list.len() != count => Err(LineError::length(key, count, list.len())),
            list => Ok(list),
        }
    }

    /// Returns a list beside another one of `count` values, which is omitted only when it is empty.
    ///
    /// # Errors
    /// When the value is no such list, or one of another length.
    #[inline(never)]
    pub(super) fn need_list<T>(&self, key: &str, count: usize) -> Result<Vec<T>, LineError>
    where
        Vec<T>: FromJson,
    {
        match self.list(key, count)? {
            None if count > 0 => Err(LineError::length(key, count, 0)),
            list => Ok(list.unwrap_or_default()),
        }
    }

    /// Returns the value of a key that is omitted when it is zero, false, empty or unknown.
    ///
    /// # Errors
    /// When the value has another type.
    #[inline(never)]
    pub fn get_or_default<T: FromJson + Default>(&self, key: &str) -> Result<T, LineError> {
        Ok(self.get(key)?.unwrap_or_default())
    }
}

fn clip(raw: &str) -> String {
    if raw.chars().count() > 40 {
        raw.chars().take(40).chain(['…']).collect()
    } else {
        raw.into()
    }
}

/// A type that can be parsed from a value. `raw` is valid JSON without blanks around it.
pub trait FromJson: Sized {
    /// The expected form, for the error message.
    const EXPECTED: &'static str;

    /// Parses the value.
    fn from_json(raw: &str) -> Option<Self>;
}

macro_rules! number_from_json {
    ($($number:ty => $expected:literal),*) => {$(
        impl FromJson for $number {
            const EXPECTED: &'static str = $expected;

            fn from_json(raw: &str) -> Option<Self> {
                raw.parse().ok()
            }
        }
    )*};
}

number_from_json!(
    u32 => "a whole number",
    u64 => "a whole number",
    i64 => "a whole number",
    bool => "true or false"
);

impl FromJson for f64 {
    const EXPECTED: &'static str = "a number";

    // The standard library also reads the names of what is no number.
    fn from_json(raw: &str) -> Option<Self> {
        decimal(raw).or_else(|| raw.parse().ok().filter(|value: &f64| value.is_finite()))
    }
}

impl FromJson for String {
    const EXPECTED: &'static str = "a text";

    fn from_json(raw: &str) -> Option<Self> {
        text_of(raw).map(Cow::into_owned)
    }
}

/// Returns the text between the quotes.
fn text_of(raw: &str) -> Option<Cow<'_, str>> {
    unescaped(raw.strip_prefix('"')?.strip_suffix('"')?)
}

impl<T: FromJson> FromJson for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_json(raw: &str) -> Option<Self> {
        if raw == "null" { Some(None) } else { T::from_json(raw).map(Some) }
    }
}

/// Returns the text between the brackets of a list.
fn inside(raw: &str) -> Option<&str> {
    raw.strip_prefix('[')?.strip_suffix(']').map(str::trim)
}

macro_rules! numbers_from_json {
    ($($number:ty => $read:expr),*) => {$(
        impl FromJson for Vec<$number> {
            const EXPECTED: &'static str = "a list of numbers";

            fn from_json(raw: &str) -> Option<Self> {
                let inside = inside(raw)?;
                if inside.is_empty() { Some(Vec::new()) } else { $read(inside) }
            }
        }
    )*};
}

numbers_from_json!(
    f64 => |list| decimals(list, f64::from_json),
    Option<f64> => |list| decimals(list, Option::<f64>::from_json),
    u64 => whole_numbers,
    Option<u64> => whole_numbers,
    u32 => whole_numbers
);

fn whole_numbers<T: FromJson>(list: &str) -> Option<Vec<T>> {
    list.split(',').map(|number| T::from_json(number.trim())).into_list_of_some()
}

macro_rules! texts_from_json {
    ($($text:ty),*) => {$(
        impl FromJson for Vec<$text> {
            const EXPECTED: &'static str = "a list of texts";

            fn from_json(raw: &str) -> Option<Self> {
                scan_list(raw)?.into_iter().map(FromJson::from_json).into_list_of_some()
            }
        }
    )*};
}

texts_from_json!(String, Option<String>);

#[cfg(test)]
mod tests {
    use super::*;

    fn damage<T: FromJson + std::fmt::Debug>(line: &str, key: &str) -> String {
        match Fields::parse(line.as_bytes()).unwrap().need::<T>(key) {
            Err(LineError::Damaged(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_are_read_by_their_type() {
        let line = br#"{ "t": 7, "x": 1.5e3 ,"s":"a\u00fc\"","l":[1, 2.5],"w":["a","b"],"n":null}"#;
        let fields = Fields::parse(line).unwrap();
        assert_eq!(fields.need::<u64>("t").unwrap(), 7);
        assert_eq!(fields.need::<f64>("x").unwrap(), 1500.0);
        assert_eq!(fields.need::<String>("s").unwrap(), "aü\"");
        assert_eq!(fields.need::<Vec<f64>>("l").unwrap(), [1.0, 2.5]);
        assert_eq!(fields.need::<Vec<String>>("w").unwrap(), ["a", "b"]);
        assert_eq!(fields.get::<u64>("n").unwrap(), None);
        assert_eq!(fields.get_or_default::<u64>("absent").unwrap(), 0);
    }

    #[test]
    fn of_a_repeated_key_the_first_value_counts_whatever_was_asked_before() {
        let fields = Fields::parse(br#"{"a":1,"b":2,"a":3,"c":4}"#).unwrap();
        let asked = ["a", "b", "a", "c", "x", "b", "a"];
        let found = asked.map(|key| fields.get::<u64>(key).unwrap());
        assert_eq!(found, [Some(1), Some(2), Some(1), Some(4), None, Some(2), Some(1)]);
    }

    #[test]
    fn keys_are_found_in_any_order() {
        let keys: Vec<String> = (0..9).map(|key| format!("key{key}")).collect();
        let entries: Vec<String> = keys.iter().map(|key| format!("\"{key}\":\"{key}\"")).collect();
        let line = format!("{{{}}}", entries.join(","));
        let fields = Fields::parse(line.as_bytes()).unwrap();
        for step in [1, 2, 4, 5, 7, 8] {
            for nth in 0..2 * keys.len() {
                let key = &keys[nth * step % keys.len()];
                assert_eq!(fields.get::<String>(key).unwrap().as_ref(), Some(key));
                assert!(!fields.has("key"));
            }
        }
    }

    #[test]
    fn a_list_of_texts_is_read_as_a_full_parser_reads_it() {
        for list in [
            "[]",
            "[ ]",
            r#"["a"]"#,
            r#"[ "a, b" ,"]","\"[","\u00e9\ud83e\udd80"]"#,
            "[\"a\",\n\t\"b\"]",
            r#"["a",]"#,
            r#"["a""b"]"#,
            r#"["a"] 1"#,
            r#"["a",1]"#,
            r#"[["a"]]"#,
            r#"["a"#,
            r#"["\ud83e"]"#,
            r#"{"a":"b"}"#,
        ] {
            let expected = serde_json::from_str::<Vec<String>>(list).ok();
            assert_eq!(Vec::<String>::from_json(list), expected, "{list}");
        }
        let some = Vec::<Option<String>>::from_json(r#"["a", null]"#);
        assert_eq!(some, Some(vec![Some("a".to_owned()), None]));
    }

    #[test]
    fn an_object_below_a_key_is_read_key_by_key() {
        let text = "{\n  \"repository\": {\n\t\"name\": \"a\",\n\t\"owner\": {}\n  },\n  \"sender\": null\n}";
        let fields = Fields::parse(text.as_bytes()).unwrap();
        let repository = fields.object("repository").unwrap().unwrap();
        assert_eq!(repository.need::<String>("name").unwrap(), "a");
        assert!(fields.object("sender").unwrap().is_none());
        assert!(repository.object("name").is_err());
    }

    #[test]
    fn a_list_beside_another_one_is_as_long_or_omitted() {
        let fields = Fields::parse(br#"{"a":[1,2]}"#).unwrap();
        assert_eq!(fields.list::<f64>("a", 2), Ok(Some(vec![1.0, 2.0])));
        assert_eq!(fields.list::<f64>("b", 2), Ok(None));
        assert_eq!(fields.need_list::<f64>("b", 0), Ok(vec![]));
        let why = "key `b` should be a list of length 1, but has length 0";
        assert_eq!(fields.need_list::<f64>("b", 1), Err(LineError::Damaged(why.into())));
        assert!(fields.need_list::<f64>("a", 1).is_err());
    }

    #[test]
    fn errors_name_the_key_and_what_stands_there() {
        assert_eq!(damage::<u64>("{}", "t"), "key `t` is missing");
        assert_eq!(
            damage::<u64>("{\"t\":\"x\"}", "t"),
            "key `t` should be a whole number, but is \"x\""
        );
        assert_eq!(
            damage::<Vec<f64>>("{\"s\":[1,\"a\"]}", "s"),
            "key `s` should be a list of numbers, but is [1,\"a\"]"
        );
        assert!(damage::<Vec<f64>>("{\"s\":[NaN]}", "s").contains("but is [NaN]"));
    }

    #[test]
    fn what_is_no_object_is_damaged() {
        for line in ["", "[]", "7", "{\"a\":", "{} {}", "{\"a\":1}\0\0", "{\"a\":\"b\0\"}"] {
            assert!(Fields::parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
