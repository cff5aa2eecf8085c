//! The keys of one table, and the lines of their errors.

use super::NamePattern;
use perftest_core::model::Tolerance;
use perftest_process::describe_no_toml;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct RulesText<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

/// One table of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'a> {
    source: RulesText<'a>,
    table: &'a DeTable<'a>,
    /// The table's first byte.
    start: usize,
}

impl RulesText<'_> {
    pub(super) fn wrong(&self, place: Range<usize>, why: &str) -> String {
        format!("{}:{}: {why}", self.path.display(), self.line(place.start))
    }

    /// Refuses text that the tests' smaller parser cannot read: every test would fail.
    pub(super) fn refuse_what_tests_cannot_read(&self) -> Result<(), String> {
        let read = toml_span::parse(self.text).map(drop);
        read.map_err(|error| {
            self.wrong(error.span.start..error.span.end, &describe_no_toml(&error))
        })
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }
}

impl<'a> Entries<'a> {
    /// Returns the table at `place`; `what` describes the expected one.
    pub(super) fn of(
        source: RulesText<'a>,
        value: &'a Spanned<DeValue<'a>>,
        what: &str,
    ) -> Result<Self, String> {
        let wrong = || source.wrong(value.span(), &format!("{what} is a table of keys"));
        let table = value.get_ref().as_table().ok_or_else(wrong)?;
        let start = table.keys().map(|key| key.span().start).min();
        Ok(Self { source, table, start: start.unwrap_or(value.span().start) })
    }

    /// Number of the table's first line, from 1.
    pub(super) fn line(&self) -> usize {
        self.source.line(self.start)
    }

    pub(super) fn source(&self) -> RulesText<'a> {
        self.source
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    pub(super) fn value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// Returns an error with the line of a key, or of the table without that key.
    pub(super) fn wrong(&self, key: &str, why: &str) -> String {
        let key = self.table.get_key_value(key).map(|(key, _)| key.span());
        self.source.wrong(key.unwrap_or(self.start..self.start), why)
    }

    /// Refuses the first key, in file order, that is not one of these.
    pub(super) fn only(&self, known: &[&str], why: impl Fn(&str) -> String) -> Result<(), String> {
        let unknown = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            Some(key) => Err(self.source.wrong(key.span(), &why(key.get_ref()))),
            None => Ok(()),
        }
    }

    /// Reads the value of a key with `parse`, and refuses one that is not what it `should` be.
    pub(super) fn read<T>(
        &self,
        key: &str,
        should: &str,
        parse: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let wrong = || self.wrong(key, &format!("`{key}` is {should}"));
        parse(value.get_ref()).map(Some).ok_or_else(wrong)
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, String> {
        self.read(key, "a text in quotes", DeValue::as_str)
    }

    /// Reads a text that is not blank.
    pub(super) fn words(&self, key: &str) -> Result<Option<String>, String> {
        match self.text(key)?.map(str::trim) {
            Some("") => {
                Err(self.wrong(key, &format!("`{key}` is empty: write a text, or remove the key")))
            }
            text => Ok(text.map(ToOwned::to_owned)),
        }
    }

    pub(super) fn pattern(&self, key: &str) -> Result<Option<NamePattern>, String> {
        Ok(self.words(key)?.map(NamePattern::new))
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, String> {
        let number =
            |value: &DeValue<'_>| plain(value)?.parse().ok().filter(|it: &f64| it.is_finite());
        self.read(key, "a number, such as 0.99", number)
    }

    /// Reads a whole number, at least 1.
    pub(super) fn count(&self, key: &str) -> Result<Option<u32>, String> {
        let count = |value: &DeValue<'_>| {
            value.as_integer()?;
            plain(value)?.parse().ok().filter(|count| *count > 0_u32)
        };
        self.read(key, "a whole number of values, at least 1", count)
    }

    /// Reads `5%`, 0.05, 1.05, or `none`.
    pub(super) fn effect(&self, key: &str) -> Result<Option<Option<Tolerance>>, String> {
        let effect = |value: &DeValue<'_>| {
            let text = value.as_str().map(ToOwned::to_owned).or_else(|| plain(value))?;
            if text == "none" { Some(None) } else { text.parse().ok().map(Some) }
        };
        self.read(key, "a share such as \"5%\" or 0.05, or \"none\"", effect)
    }

    /// Reads `30d` in seconds; a whole number means seconds, as in Bencher.
    pub(super) fn seconds(&self, key: &str) -> Result<Option<u32>, String> {
        let in_seconds = |value: &DeValue<'_>| match value {
            DeValue::Integer(_) => plain(value)?.parse().ok().filter(|seconds| *seconds > 0),
            value => value.as_str().and_then(seconds),
        };
        self.read(key, "a time such as \"30d\" or \"12h\", or in seconds", in_seconds)
    }
}

/// Returns a number without underscores, whatever its base.
fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(whole) => {
            i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|it| it.to_string())
        }
        DeValue::Float(float) => float.as_str().parse().ok().map(|it: f64| format!("{it:?}")),
        _ => None,
    }
}

fn seconds(text: &str) -> Option<u32> {
    const UNITS: [(char, u32); 5] =
        [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];
    let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let count: u32 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    count.checked_mul(seconds).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_whole_number_with_its_unit() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("2m", Some(120)),
            ("12h", Some(43_200)),
            ("30d", Some(2_592_000)),
            ("4 w", Some(2_419_200)),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
        for text in ["", "d", "0d", "-3d", "1.5d", "30", "d30", "30y", "99999999w"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
