//! Escapes foreign text in Markdown.

use super::one_line;
use crate::text::Text;

/// Escapes a text for a cell of a table, or for any place in Markdown that takes HTML. It becomes no mark-up,
/// tag, link, mention or end of a cell.
///
/// ```
/// use perftest_core::words::markdown_text;
/// assert_eq!(markdown_text("codec::sort_by_key::Vec"), "codec::sort_by_key::Vec");
/// assert_eq!(markdown_text("a|b\n<i>_x_ `y`"), "a&#124;b &#60;i&#62;&#95;x&#95; &#96;y&#96;");
/// assert_eq!(markdown_text("@me #1 [1.01, 1.05]"), "@<!-- -->me #<!-- -->1 [1.01, 1.05]");
/// assert_eq!(markdown_text("[a](b)"), "[a]&#40;b)");
/// ```
pub fn markdown_text(text: &str) -> String {
    let line = one_line(text);
    let letters: Vec<char> = line.chars().collect();
    let is_in_word = |index: usize| {
        let beside = [index.checked_sub(1), index.checked_add(1)];
        let mut beside = beside.map(|index| index.and_then(|it| letters.get(it))).into_iter();
        beside.all(|letter| letter.is_some_and(|letter| letter.is_alphanumeric()))
    };
    let mut text = String::with_capacity(line.len());
    for (index, letter) in letters.iter().enumerate() {
        let is_plain = !letter.is_ascii_punctuation()
            || ":.,-/()[]=+%;'".contains(*letter)
            // Inside of a word it emphasises nothing.
            || *letter == '_' && is_in_word(index);
        if is_plain {
            text.push(*letter);
        } else if matches!(letter, '@' | '#') {
            // GitHub finds mentions in the text that is shown: an escape would not hide them.
            text.push(*letter);
            text.push_str("<!-- -->");
        } else {
            text.push_str(&format!("&#{};", u32::from(*letter)));
        }
    }
    // Links, and what GitHub takes for an address.
    text.replaced("](", "]&#40;").replaced("://", ":&#47;&#47;").replaced("www.", "www&#46;")
}
