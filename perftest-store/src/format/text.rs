//! Texts between quotes, with JSON's escapes.

use std::borrow::Cow;

/// Appends a text in quotes.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(needs_escape) {
        out.push_str(&rest[..at]);
        push_escaped(out, rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(character: char) -> bool {
    character < ' ' || character == '"' || character == '\\'
}

fn push_escaped(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        _ => out.push_str(&format!("\\u{byte:04x}")),
    }
}

/// Returns the text that stands between quotes. `None` if it has an escape that JSON does not have.
pub(super) fn unescaped(written: &str) -> Option<Cow<'_, str>> {
    // Nearly all texts are written as they are. Searches with the standard library's compiled code.
    if !written.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(written));
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (character, after) = read_escape(escape)?;
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// Returns the character of an escape, which begins after its backslash, and what follows.
fn read_escape(escape: &str) -> Option<(char, &str)> {
    let character = match escape.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_utf16(&escape[1..]),
        _ => return None,
    };
    Some((character, &escape[1..]))
}

/// Returns the character of one or two numbers of UTF-16, and what follows.
fn read_utf16(escape: &str) -> Option<(char, &str)> {
    let (first, after) = read_hex(escape)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((character, after));
    }
    let (second, after) = read_hex(after.strip_prefix("\\u")?)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, after))
}

fn read_hex(text: &str) -> Option<(u16, &str)> {
    let (digits, after) = text.split_at_checked(4)?;
    // The standard library also takes a sign.
    let digits = Some(digits).filter(|it| it.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    Some((u16::from_str_radix(digits, 16).ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = String::new();
        push_quoted(&mut out, text);
        out
    }

    #[test]
    fn every_character_is_written_as_a_full_writer_writes_it() {
        let characters = (0..0x300).chain([0x2028, 0xfeff, 0x1f980]).filter_map(char::from_u32);
        let text: String = characters.collect();
        assert_eq!(quoted(&text), serde_json::to_string(&text).unwrap());
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn every_text_reads_back_as_it_was() {
        let characters = (0..0x300).chain([0x2028, 0xfeff, 0x1f980]).filter_map(char::from_u32);
        for text in characters.map(|it| format!("{it}a{it}{it}")) {
            let written = quoted(&text);
            assert_eq!(unescaped(&written[1..written.len() - 1]).as_deref(), Some(text.as_str()));
        }
    }

    #[test]
    fn an_escape_is_read_as_a_full_parser_reads_it() {
        for written in [
            r#"\"\\\/\b\f\n\r\t"#,
            r"\u0041\u00e9\u2028\uFEFF",
            r"\ud83e\udd80 a \uD83E\uDD80",
            r"\",
            r"\x",
            r"\é",
            r"\u",
            r"\u12",
            r"\u+123",
            r"\u12é",
            r"\ud83e",
            r"\ud83e\n",
            r"\ud83e\u0041",
            r"\ud83ea",
            r"\udd80",
            r"\udd80\ud83e",
        ] {
            let expected: Option<String> = serde_json::from_str(&format!("\"{written}\"")).ok();
            assert_eq!(unescaped(written).map(Cow::into_owned), expected, "{written}");
        }
    }
}
