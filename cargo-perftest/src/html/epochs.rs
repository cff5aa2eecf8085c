//! Where the toolchain, the machine's settings or the configuration changed within a history.

use perftest_core::words::one_line;
use serde_json::{Map, Value};

/// A change of something beside the code, from a run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EpochMark {
    /// Id of its first run.
    pub(crate) run: String,
    pub(crate) words: String,
}

/// Largest number of fields in a description.
const DESCRIBED: usize = 4;
/// Largest number of characters of a value.
const LONGEST: usize = 60;

/// Describes the difference between two contexts of runs.
pub(crate) fn epoch_words(before: Option<&str>, after: Option<&str>) -> String {
    let fields = |json: Option<&str>| serde_json::from_str::<Map<String, Value>>(json?).ok();
    let (Some(before), Some(after)) = (fields(before), fields(after)) else {
        return "another toolchain or system".into();
    };
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differing: Vec<&String> =
        names.into_iter().filter(|name| before.get(*name) != after.get(*name)).collect();
    let described = differing.iter().take(DESCRIBED).map(|name| {
        let [before, after] = [before.get(*name), after.get(*name)].map(value_in_words);
        format!("{name}: {before} -> {after}")
    });
    let mut words = described.collect::<Vec<String>>().join("; ");
    if differing.len() > DESCRIBED {
        words.push_str(&format!("; and {} more", differing.len() - DESCRIBED));
    }
    one_line(&words).into_owned()
}

fn value_in_words(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "unknown".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_names_what_became_other_and_nothing_else() {
        let before = r#"{"v":1,"kernel":"6.1","rustc":"1.89.0","boost":true}"#;
        let after =
            r#"{"v":1,"kernel":"6.8","rustc":"1.89.0","governor":"powersave","boost":true}"#;
        let words = epoch_words(Some(before), Some(after));
        assert_eq!(words, "governor: unknown -> powersave; kernel: 6.1 -> 6.8");
    }

    #[test]
    fn a_context_that_was_not_kept_or_is_none_is_no_reason_to_stop() {
        for other in [None, Some("no JSON"), Some("[1]")] {
            assert_eq!(epoch_words(Some("{}"), other), "another toolchain or system");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let context = |letter: &str| format!(r#"{{"machine":"{}"}}"#, letter.repeat(100));
        let words = epoch_words(Some(&context("ä")), Some(&context("ö")));
        assert!(words.starts_with("machine: ää") && words.ends_with("öö.."), "{words}");
        assert!(words.chars().count() < 150, "{words}");
    }
}
