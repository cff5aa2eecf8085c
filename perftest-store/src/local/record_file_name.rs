//! The names of files with records: the same in every store of a project.

use super::layout::names_of_history;
use crate::Digest;
use crate::file_name::{LONGEST, readable_part};
use perftest_core::list::IntoList;
use perftest_core::model::BenchmarkId;
use perftest_core::text::Text;
use std::fmt;
use std::path::{Path, PathBuf};

/// Digits of the hash at the end of a file's name.
const HASH_DIGITS: usize = 8;

/// The name of a file with records, below the directory of a project.
///
/// A name never leaves that directory, wherever it comes from.
///
/// ```
/// use perftest_store::RecordFileName;
/// let name = "runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl";
/// assert_eq!(RecordFileName::parse(name).unwrap().as_str(), name);
/// assert_eq!(RecordFileName::parse("runs/../../secret.jsonl"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordFileName(String);

impl RecordFileName {
    /// Returns the name, with `/` between its parts; `None` if no store has such a file.
    pub fn parse(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.parts("/").collect();
        let is_known = match parts[..] {
            ["events.jsonl" | "models.jsonl"] => true,
            ["contexts", file] => file.strip_suffix(".json").is_some_and(Digest::is_hex16),
            ["runs" | "judgements", testbed, file] => {
                is_file_name(testbed) && file.strip_suffix(".jsonl").is_some_and(is_file_name)
            }
            _ => false,
        };
        is_known.then(|| Self(name.to_owned()))
    }

    /// Returns the name of a file below the directory of a project; `None` if it has no records.
    pub(crate) fn of_path(relative: &Path) -> Option<Self> {
        let parts = relative.iter().map(|part| part.to_str()).into_list_of_some();
        Self::parse(&parts?.iter().joined("/"))
    }

    /// Returns the name of the file with the runs of a test on a testbed.
    pub fn of_history(testbed: &str, benchmark: &BenchmarkId) -> Self {
        Self(format!("runs/{}", names_of_history(testbed, benchmark).iter().joined("/")))
    }

    /// The name, with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn below(&self, directory: &Path) -> PathBuf {
        self.0.parts("/").fold(directory.to_owned(), |path, part| path.join(part))
    }

    /// Returns whether each line is a record. A context is a whole file.
    pub fn has_lines(&self) -> bool {
        self.0.ends_with(".jsonl")
    }

    /// Returns whether the file has runs.
    pub fn is_history(&self) -> bool {
        self.0.starts_with("runs/")
    }

    /// Returns whether the file has decisions.
    pub fn has_decisions(&self) -> bool {
        self.0 == "events.jsonl"
    }

    /// Returns whether the file is of a testbed, also at another speed, or of no testbed.
    pub fn is_of_testbed(&self, testbed: &str) -> bool {
        let wanted = readable_part(testbed);
        self.testbed_and_test().is_none_or(|(of_file, _)| {
            let rest = of_file.strip_prefix(&wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }

    /// Returns whether the file may be of a test with this part in its name, or is of no test. The
    /// file's name has the test's name in a short form, so a file of another test may match.
    pub fn is_of_test(&self, part: &str) -> bool {
        let wanted = readable_part(part);
        self.testbed_and_test()
            .is_none_or(|(_, test)| test.len() + 1 >= LONGEST || test.has(&wanted))
    }

    /// The readable parts of a file that is of one testbed and one test.
    fn testbed_and_test(&self) -> Option<(&str, &str)> {
        let mut parts = self.0.parts("/").skip(1);
        let (testbed, file) = (parts.next()?, parts.next()?);
        Some((without_hash(testbed), without_hash(file.strip_suffix(".jsonl")?)))
    }
}

impl fmt::Display for RecordFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether [`file_name`](crate::file_name::file_name) could have made this name.
fn is_file_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (HASH_DIGITS..=LONGEST + 1 + HASH_DIGITS).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
}

fn without_hash(name: &str) -> &str {
    name.cut_last('.').map_or("", |(readable, _)| readable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_name::file_name;

    fn of_run(testbed: &str, test: &str) -> RecordFileName {
        let (testbed, test) = (file_name(testbed, testbed), file_name(test, test));
        RecordFileName::parse(&format!("runs/{testbed}/{test}.jsonl")).unwrap()
    }

    #[test]
    fn every_name_of_a_store_is_one_and_no_other() {
        let long = "x".repeat(300);
        for test in ["codec::frame::encode", "größe", "..", "ключ", &long] {
            of_run("local/7f3a2b", test);
        }
        for name in ["events.jsonl", "models.jsonl", "contexts/0123456789abcdef.json"] {
            assert!(RecordFileName::parse(name).is_some(), "{name}");
        }
        for name in [
            "",
            "project.json",
            "executables/0123456789abcdef.json",
            "sync/0123456789abcdef.json",
            "runs/../events.jsonl",
            "runs/a.12345678/../../x.12345678.jsonl",
            "runs/a.12345678/.12345678.jsonl",
            "runs/a\\b.12345678/x.12345678.jsonl",
            "/events.jsonl",
            "contexts/../../secret.json",
        ] {
            assert_eq!(RecordFileName::parse(name), None, "{name}");
        }
        let too_long = format!("runs/{}/x.12345678.jsonl", "y".repeat(120));
        assert_eq!(RecordFileName::parse(&too_long), None);
    }

    #[test]
    fn a_file_is_of_its_testbed_at_any_speed_and_of_no_other() {
        let name = |testbed| of_run(testbed, "codec::encode");
        for testbed in ["ci/7f3a", "ci/7f3a@3.1GHz-10.2us"] {
            assert!(name(testbed).is_of_testbed("ci/7f3a"), "{testbed}");
        }
        for testbed in ["ci/7f3b", "local/7f3a", "ci/7f3a2b", "ci"] {
            assert!(!name(testbed).is_of_testbed("ci/7f3a"), "{testbed}");
        }
        assert!(RecordFileName::parse("events.jsonl").unwrap().is_of_testbed("ci/7f3a"));
    }

    #[test]
    fn a_file_is_of_a_test_by_any_part_of_its_name() {
        let name = of_run("ci/7f3a", "codec::frame::encode");
        for part in ["codec::frame::encode", "frame::encode", "encode", "frame"] {
            assert!(name.is_of_test(part), "{part}");
        }
        assert!(!name.is_of_test("decode"));
        let long = of_run("ci/7f3a", &format!("{}::encode", "long".repeat(40)));
        assert!(long.is_of_test("encode"));
        assert!(RecordFileName::parse("events.jsonl").unwrap().is_of_test("encode"));
    }
}
