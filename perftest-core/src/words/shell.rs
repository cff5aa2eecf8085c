//! Quotes names in commands that a person copies.

use crate::text::Text;
use std::borrow::Cow;

/// Returns a name as an argument of a shell, in quotes if it needs them.
///
/// ```
/// use perftest_core::words::quoted;
/// assert_eq!(quoted("codec::encode::64"), "codec::encode::64");
/// assert_eq!(quoted("fill::Vec<u8>"), "'fill::Vec<u8>'");
/// assert_eq!(quoted("parse::it's"), r"'parse::it'\''s'");
/// ```
pub fn quoted(name: &str) -> Cow<'_, str> {
    // `#` begins a comment only at the beginning of a word.
    let is_plain = |letter: char| letter.is_alphanumeric() || "_:-./%+=@#".contains(letter);
    if !name.is_empty() && !name.starts_with('#') && name.chars().all(is_plain) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("'{}'", name.replaced("'", r"'\''")))
    }
}
