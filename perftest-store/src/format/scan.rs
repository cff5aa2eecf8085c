//! Finds the keys and values of one JSON object without reading the values.
//!
//! Every test process loads a history, mostly in an unoptimised build. There, a general parser
//! costs ten times as much as this code. The scan only finds the end of each value, and the reader
//! of a value checks it.

/// Typical bytes of a key with its value.
const BYTES_OF_ENTRY: usize = 24;

/// Returns keys and values of the object in their written form: keys without their quotes, values
/// with theirs. `None` if `text` is not one complete object.
pub(super) fn scan_object(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut scanner = Scanner { text, at: 0 };
    // The allocator frees the few keys of a short line faster than a large block.
    let mut entries = Vec::with_capacity((text.len() / BYTES_OF_ENTRY).clamp(16, 128));
    scanner.expect(b'{')?;
    if scanner.peek()? == b'}' {
        scanner.at += 1;
        return scanner.is_at_end().then_some(entries);
    }
    loop {
        scanner.peek()?;
        let key = scanner.text()?;
        scanner.expect(b':')?;
        scanner.peek()?;
        entries.push((key, scanner.value()?));
        match scanner.take()? {
            b',' => {}
            b'}' => return scanner.is_at_end().then_some(entries),
            _ => return None,
        }
    }
}

/// Returns the items of the list in their written form. `None` if `text` is not one complete list.
pub(super) fn scan_list(text: &str) -> Option<Vec<&str>> {
    let mut scanner = Scanner { text, at: 0 };
    let mut items = Vec::new();
    scanner.expect(b'[')?;
    if scanner.peek()? == b']' {
        scanner.at += 1;
        return scanner.is_at_end().then_some(items);
    }
    loop {
        scanner.peek()?;
        items.push(scanner.value()?);
        match scanner.take()? {
            b',' => {}
            b']' => return scanner.is_at_end().then_some(items),
            _ => return None,
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Returns the next byte that is not blank, without consuming it.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            let byte = bytes[self.at];
            // Our own lines have no blanks.
            if byte > b' ' || !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Consumes the next byte that is not blank.
    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.take()? == byte).then_some(())
    }

    fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    fn value(&mut self) -> Option<&'a str> {
        match self.text.as_bytes()[self.at] {
            b'"' => self.string(),
            b'[' => self.plain_list().or_else(|| self.nested()),
            b'{' => self.nested(),
            _ => self.scalar(),
        }
    }

    /// Reads a text with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.text()?;
        Some(&self.text[start..self.at])
    }

    /// Reads a text, and returns what is between its quotes.
    fn text(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at + 1);
        if bytes[self.at] != b'"' {
            return None;
        }
        let mut end = end_of_plain_text(bytes, start);
        while *bytes.get(end)? == b'\\' {
            end = end_of_plain_text(bytes, end + 2);
        }
        // Text that a power loss cut off may continue with zeroes.
        if bytes[end] != b'"' {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..end])
    }

    /// Reads a list of numbers up to its end, most of a record.
    fn plain_list(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let end = place_of(bytes, start + 1, |word| {
            same(word, b']') | same(word, b'"') | same(word, b'[')
        });
        // Another bracket may be part of a text, or the end of another list.
        if *bytes.get(end)? != b']' {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..=end])
    }

    /// Reads a list or an object up to its end.
    fn nested(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut depth = 0_usize;
        while self.at < bytes.len() {
            match bytes[self.at] {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                b'\t' | b'\r' | b'\n' => {}
                0..0x20 => return None,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(&self.text[start..self.at]);
            }
        }
        None
    }

    /// Reads a number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        while self.at < bytes.len() && IS_OF_SCALAR[bytes[self.at] as usize] {
            self.at += 1;
        }
        (self.at > start).then_some(&self.text[start..self.at])
    }
}

/// Whether a byte may be part of a number, `true`, `false` or `null`.
const IS_OF_SCALAR: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.');
        byte += 1;
    }
    table
};

/// Returns the place of the first byte from `at` on that ends a text, begins an escape or is a control character.
fn end_of_plain_text(bytes: &[u8], mut at: usize) -> usize {
    loop {
        // One comparison finds quotes and control characters, and what is between them: the blank and `!`.
        at = place_of(bytes, at, |word| below(word, b'"' + 1) | same(word, b'\\'));
        if !matches!(bytes.get(at), Some(b' ' | b'!')) {
            return at;
        }
        at += 1;
    }
}

/// Returns the place of the first byte from `at` on that `marks` finds, or the end. Searches eight bytes at once;
/// `marks` returns the high bits of the bytes of a word that are looked for, of which the lowest one is right.
fn place_of(bytes: &[u8], mut at: usize, marks: impl Fn(u64) -> u64) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = marks(u64::from_le_bytes(*eight));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < bytes.len() && marks(u64::from(bytes[at]) * ONES) == 0 {
        at += 1;
    }
    at
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Returns the high bit of each byte that is below `limit`, up to 128; the lowest one is right.
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * limit as u64) & !word & HIGH
}

/// Returns the high bit of each byte that is this one; the lowest one is right.
const fn same(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * byte as u64), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::encode_run;
    use serde_json::Value;

    /// Parses the same object value by value.
    fn read(text: &str) -> Option<Value> {
        let entries = scan_object(text)?;
        let object = entries.into_iter().map(|(key, value)| {
            let key: String = serde_json::from_str(&format!("\"{key}\"")).ok()?;
            Some((key, serde_json::from_str(value).ok()?))
        });
        object.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
    }

    #[test]
    fn objects_are_read_as_a_full_parser_reads_them() {
        let record = encode_run(&example_run(3)).unwrap();
        for text in [
            "{}",
            " { } ",
            r#"{"a":1,"b":-2.5e-3,"c":true,"d":null,"e":"","f":[],"g":{}}"#,
            r#"{ "a" : [ 1 , "]" , {"x":"}\""} ] ,	"b\"c" : "\\" }"#,
            r#"{"ключ":"значение 🦀","\u00e9":"\n\\\""}"#,
            &record,
        ] {
            assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn a_text_ends_where_its_first_special_byte_is() {
        for length in 0..20 {
            for byte in 0..=255 {
                for place in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    let is_special = matches!(byte, b'"' | b'\\' | 0..0x20);
                    let expected = if is_special { place } else { length };
                    assert_eq!(end_of_plain_text(&bytes, 0), expected, "{byte} at {place}");
                    // Behind it others do not matter.
                    bytes[place + 1..].fill(b'"');
                    let expected = if is_special { place } else { length.min(place + 1) };
                    assert_eq!(end_of_plain_text(&bytes, 0), expected, "{byte} at {place}");
                }
            }
        }
    }

    #[test]
    fn no_part_of_a_record_passes_for_a_whole_one() {
        let record = encode_run(&example_run(3)).unwrap();
        let record = record.trim_end();
        for end in (0..record.len()).filter(|end| record.is_char_boundary(*end)) {
            assert_eq!(scan_object(&record[..end]), None, "{end}");
        }
    }

    #[test]
    fn what_a_full_parser_takes_for_an_object_is_taken_here_whatever_byte_is_changed() {
        let record = r#"{"a":[1,"x"],"b":"y\"z","c":-1.5e3,"d":{"e":null},"f":true}"#;
        for at in 0..record.len() {
            for byte in b" \"\\[]{},:09-xEe\0\n\x7f" {
                let mut bytes = record.as_bytes().to_vec();
                bytes[at] = *byte;
                let Ok(text) = str::from_utf8(&bytes) else {
                    continue;
                };
                if let Ok(Value::Object(object)) = serde_json::from_str(text) {
                    // A repeated key appears twice here, and once there.
                    assert!(scan_object(text).is_some_and(|it| it.len() >= object.len()), "{text}");
                }
            }
        }
    }
}
