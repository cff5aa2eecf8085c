//! Parts of statements that servers of all versions understand.

use std::fmt::Display;

/// Writes a text as a literal.
///
/// Source: "String literals" in ClickHouse's reference of its syntax.
pub(super) fn literal(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\0', "\\0");
    format!("'{text}'")
}

/// Writes values with commas between them.
pub(super) fn list(values: impl IntoIterator<Item = impl Display>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(", ")
}

/// Reads a row of so many tab-separated values; `None` if it is none.
///
/// Source: "TabSeparated" in ClickHouse's reference of its formats.
pub(super) fn values<const VALUES: usize>(row: &str) -> Option<[String; VALUES]> {
    // A hostile row may have hundreds of millions of values.
    let values: Option<Vec<String>> = row.splitn(VALUES + 1, '\t').map(unescaped).collect();
    values?.try_into().ok()
}

/// Reads a tab-separated value; `None` if its end is missing.
fn unescaped(value: &str) -> Option<String> {
    let (mut text, mut rest) = (String::with_capacity(value.len()), value);
    while let Some((before, after)) = rest.split_once('\\') {
        let escaped = after.chars().next()?;
        text.push_str(before);
        text.push(match escaped {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            other => other,
        });
        rest = &after[escaped.len_utf8()..];
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_separated_value_is_read_without_its_escapes() {
        for (value, text) in [
            ("", ""),
            ("plain größe", "plain größe"),
            ("a\\tb\\nc\\\\n\\'\\0", "a\tb\nc\\n'\0"),
            ("\\b\\f\\r\\\"", "\u{8}\u{c}\r\""),
        ] {
            assert_eq!(unescaped(value).as_deref(), Some(text));
        }
        assert_eq!(unescaped("cut short\\"), None);
    }

    #[test]
    fn a_row_has_its_values_and_none_more() {
        assert_eq!(values("a\t\tb\\tc"), Some(["a", "", "b\tc"].map(String::from)));
        for row in ["a\tb", "a\tb\tc\td", "Code: 241. DB::Exception: Memory limit", "a\t\tb\\"] {
            assert_eq!(values::<3>(row), None, "{row}");
        }
    }

    #[test]
    fn values_have_commas_between_them() {
        assert_eq!(
            (list([1, 2, 3]), list([literal("a'")]), list([0; 0])),
            ("1, 2, 3".into(), "'a\\''".into(), String::new())
        );
    }
}
