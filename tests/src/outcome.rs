//! The output of a process for a user.

use std::fmt;
use std::process::Output;

/// The end of a process: both streams and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
}

impl Outcome {
    /// Panics with everything that was printed, unless the process ended with `code`.
    ///
    /// # Panics
    /// When it ended otherwise.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Whether standard output has all of `parts`.
    pub fn has(&self, parts: &[&str]) -> bool {
        parts.iter().all(|part| self.stdout.contains(part))
    }

    /// Panics with everything that was printed, unless standard output has all of `parts`.
    ///
    /// # Panics
    /// When one is missing.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "standard output lacks {part:?}\n{self}");
        }
        self
    }

    /// The same for standard error.
    ///
    /// # Panics
    /// When one is missing.
    #[track_caller]
    pub fn warns(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "standard error lacks {part:?}\n{self}");
        }
        self
    }

    /// The line of standard output with the end of the test.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn line_of(&self, test: &str) -> &str {
        let beginning = format!("test {test} ... ");
        let line = self.stdout.lines().find_map(|line| line.strip_prefix(&beginning));
        line.unwrap_or_else(|| panic!("no line begins with {beginning:?}\n{self}"))
    }

    /// Names of the tests that were started, in order.
    pub fn started(&self) -> Vec<&str> {
        let name = |line: &'_ str| -> Option<std::ops::Range<usize>> {
            let rest = line.strip_prefix("test ")?;
            Some(5..5 + rest.find(" ... ")?)
        };
        self.stdout.lines().filter_map(|line| name(line).map(|range| &line[range])).collect()
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit code {:?}", self.code)?;
        writeln!(f, "---- standard output\n{}", self.stdout)?;
        writeln!(f, "---- standard error\n{}", self.stderr)
    }
}
