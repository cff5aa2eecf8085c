//! Escapes the text of users inside of pages and pictures.

use std::fmt::Write;

/// Escapes text for an element or a quoted attribute of HTML or SVG.
pub(crate) fn for_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            // HTML or XML forbids it.
            it if it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}')
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// Escapes JSON for a block of the page: the same value, without a character that could end the block. These
/// characters occur only in strings of JSON, where the escape has the same meaning.
pub(crate) fn for_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const HOSTILE: &str = "</script><!--<script>alert('x')//&\"\u{2028}\u{202e}\n\0";

    #[test]
    fn a_block_of_json_is_the_same_value_and_ends_no_block() {
        let block = for_script(&json!({ HOSTILE: HOSTILE }).to_string());
        assert!(!block.contains(['<', '>', '&', '\u{2028}', '\n']), "{block}");
        let value: Value = serde_json::from_str(&block).unwrap();
        assert_eq!(value[HOSTILE], HOSTILE);
    }

    #[test]
    fn a_text_of_the_page_has_no_markup() {
        let text = for_markup(HOSTILE);
        assert!(!text.contains(['<', '>', '"', '\'', '\0']), "{text}");
        assert!(text.starts_with("&lt;/script&gt;"), "{text}");
        let attribute = "<a href=\"x\">&\0\u{ffff}\u{1b}";
        let escaped = "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}";
        assert_eq!(for_markup(attribute), escaped);
    }
}
