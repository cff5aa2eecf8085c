//! The tests that the tool has chosen by their identities. A runner selects by names, which tests of several packages
//! share.

use perftest_core::model::BenchmarkId;
use perftest_store::read_regular_text;
use std::path::Path;

/// The environment variable with the file of the tests that run. A test process leaves all others out.
pub const CHOSEN_VARIABLE: &str = "PERFTEST_CHOSEN";

/// Ends each name. No argument of a process has it, so no test that a runner selects has it in its name.
const END: char = '\0';
/// Largest size of the file, enough for a million tests.
const MOST_BYTES: u64 = 256 << 20;

/// Tests, by their identities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenTests {
    names: String,
}

impl ChosenTests {
    /// Creates a choice of these tests.
    #[cfg(any(test, feature = "tool"))]
    pub fn new<'a>(tests: impl IntoIterator<Item = &'a BenchmarkId>) -> Self {
        let mut names = String::new();
        for test in tests {
            names.push_str(test.as_str());
            names.push(END);
        }
        Self { names }
    }

    /// The content of the file.
    #[cfg(any(test, feature = "tool"))]
    pub fn as_str(&self) -> &str {
        &self.names
    }

    /// Reads the file.
    ///
    /// # Errors
    /// A message with the variable, when the file cannot be read.
    pub fn read(file: &Path) -> Result<Self, String> {
        match read_regular_text(file, MOST_BYTES) {
            Ok(names) => Ok(Self { names }),
            Err(error) => {
                Err(format!("{CHOSEN_VARIABLE}={} cannot be read: {error}", file.display()))
            }
        }
    }

    /// Returns whether a test is among them.
    pub fn has(&self, benchmark: &BenchmarkId) -> bool {
        self.names.split_terminator(END).any(|name| name == benchmark.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    #[test]
    fn whole_names_are_chosen_whatever_is_in_them() {
        let id = |name: &str| BenchmarkId::from_recorded(name);
        let chosen = [id("a::perf::words"), id("a::perf::lines::one\ntwo")];
        let directory = scratch("chosen");
        std::fs::create_dir_all(&directory).unwrap();
        let file = directory.join("chosen");
        std::fs::write(&file, ChosenTests::new(&chosen).as_str()).unwrap();
        let read = ChosenTests::read(&file).unwrap();
        assert!(chosen.iter().all(|it| read.has(it)));
        for other in ["b::perf::words", "a::perf::word", "a::perf::words::8", "two", ""] {
            assert!(!read.has(&id(other)), "{other:?}");
        }
    }

    #[test]
    fn a_file_that_is_gone_is_reported_with_its_variable() {
        let refused = ChosenTests::read(Path::new("/nowhere/chosen")).unwrap_err();
        assert!(refused.starts_with("PERFTEST_CHOSEN=/nowhere/chosen cannot"), "{refused}");
    }
}
