//! Writes one flat JSON object in a given order of keys.

use super::checksum::seal;
use super::text::push_quoted;
use std::fmt::Write;

/// The error of a number that JSON cannot hold, with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFinite {
    /// The key.
    pub key: &'static str,
}

impl From<NotFinite> for crate::StoreError {
    fn from(error: NotFinite) -> Self {
        let why = format!(
            "a record with a value that is not a finite number (`{}`) is not kept",
            error.key
        );
        Self::Invalid { why }
    }
}

/// One object under construction.
#[derive(Debug)]
pub struct JsonLine {
    text: String,
    not_finite: Option<NotFinite>,
}

impl Default for JsonLine {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonLine {
    /// Creates an object without keys.
    pub fn new() -> Self {
        Self { text: String::from("{"), not_finite: None }
    }

    /// Adds a required key.
    pub fn put(&mut self, key: &'static str, value: impl ToJson) {
        self.put_value(key, &value);
    }

    /// Compiled once, and not for each type.
    fn put_value(&mut self, key: &'static str, value: &dyn ToJson) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
        if !value.write(&mut self.text) {
            self.not_finite.get_or_insert(NotFinite { key });
        }
    }

    /// Adds a key, unless its value is unknown.
    pub fn put_known(&mut self, key: &'static str, value: Option<impl ToJson>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Adds a text, unless it is empty.
    pub fn put_text(&mut self, key: &'static str, text: &str) {
        if !text.is_empty() {
            self.put(key, text);
        }
    }

    /// Adds a list, unless it is empty.
    pub fn put_list<T: ToJson>(&mut self, key: &'static str, list: &[T]) {
        if !list.is_empty() {
            self.put(key, list);
        }
    }

    /// Returns the line with its checksum and its end, for a file.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn finish_sealed(mut self) -> Result<String, NotFinite> {
        seal(&mut self.text);
        self.text.push('\n');
        self.not_finite.map_or(Ok(self.text), Err)
    }

    /// Returns the line with its end, for a message or for a file that people edit.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn finish(mut self) -> Result<String, NotFinite> {
        self.text.push_str("}\n");
        self.not_finite.map_or(Ok(self.text), Err)
    }
}

/// A type that can be written as a value.
pub trait ToJson {
    /// Appends the value; `false` when JSON cannot hold it.
    fn write(&self, out: &mut String) -> bool;
}

macro_rules! plain_to_json {
    ($($plain:ty),*) => {$(
        impl ToJson for $plain {
            fn write(&self, out: &mut String) -> bool {
                write!(out, "{self}").is_ok()
            }
        }
    )*};
}

plain_to_json!(u32, u64, usize, i64, bool);

impl ToJson for f64 {
    /// The shortest text that reads back as the same number.
    fn write(&self, out: &mut String) -> bool {
        let text = format!("{self:?}");
        out.push_str(text.strip_suffix(".0").unwrap_or(&text));
        self.is_finite()
    }
}

impl ToJson for &str {
    fn write(&self, out: &mut String) -> bool {
        push_quoted(out, self);
        true
    }
}

impl ToJson for String {
    fn write(&self, out: &mut String) -> bool {
        self.as_str().write(out)
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, out: &mut String) -> bool {
        match self {
            Some(value) => value.write(out),
            None => {
                out.push_str("null");
                true
            }
        }
    }
}

impl<T: ToJson> ToJson for &[T] {
    fn write(&self, out: &mut String) -> bool {
        out.push('[');
        let mut all_finite = true;
        for (index, value) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            all_finite &= value.write(out);
        }
        out.push(']');
        all_finite
    }
}

/// Returns a value in its written form.
pub(crate) fn written(value: impl ToJson) -> String {
    let mut text = String::new();
    value.write(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_unknown_values_are_left_out() {
        let mut line = JsonLine::new();
        line.put("v", 100_u64);
        line.put_known("a", Some(1.5));
        line.put_known("b", None::<u64>);
        line.put_text("c", "");
        line.put("d", ["x\"\n", "ü"].as_slice());
        line.put_list::<u64>("e", &[]);
        assert_eq!(line.finish().unwrap(), "{\"v\":100,\"a\":1.5,\"d\":[\"x\\\"\\n\",\"ü\"]}\n");
    }

    #[test]
    fn numbers_take_their_shortest_form() {
        let mut text = String::new();
        let all = [57.0, 0.1, 1e300, 1.25e-9, -0.5];
        assert!(all.as_slice().write(&mut text));
        assert_eq!(text, "[57,0.1,1e300,1.25e-9,-0.5]");
    }

    #[test]
    fn a_number_that_is_none_names_its_key() {
        let mut line = JsonLine::new();
        line.put("fine", 1.0);
        line.put("samples", [1.0, f64::NAN].as_slice());
        assert_eq!(line.finish(), Err(NotFinite { key: "samples" }));
    }

    #[test]
    fn what_is_unknown_in_a_list_is_null() {
        let mut line = JsonLine::new();
        line.put("a", [Some(1.5), None].as_slice());
        assert_eq!(line.finish().unwrap(), "{\"a\":[1.5,null]}\n");
    }
}
