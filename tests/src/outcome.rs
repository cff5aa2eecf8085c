//! The output of a process for a user.

use serde_json::Value;
use std::fmt;
use std::io::Write;
use std::process::{Command, Output, Stdio};

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
    /// Runs a command to its end.
    ///
    /// # Panics
    /// When it cannot be started, or prints anything but UTF-8.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let output = command.output();
        Self::in_utf8(output.unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program())))
    }

    /// Runs a command that reads this from standard input.
    ///
    /// # Panics
    /// When it cannot be started, or prints anything but UTF-8.
    #[track_caller]
    pub fn of_piped(command: &mut Command, input: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command can be started");
        // Who ends without reading does not want it.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
        Self::in_utf8(child.wait_with_output().expect("the command can be waited for"))
    }

    #[track_caller]
    fn in_utf8(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
        let code = output.status.code();
        Self { stdout: text(output.stdout), stderr: text(output.stderr), code }
    }

    /// Standard output of a process that succeeded without a word beside it.
    ///
    /// # Panics
    /// When it failed, or wrote to standard error.
    #[track_caller]
    pub fn answer(self) -> String {
        assert!(self.code == Some(0) && self.stderr.is_empty(), "{self}");
        self.stdout
    }

    /// Exit code and standard error of a process that answered nothing.
    ///
    /// # Panics
    /// When standard output has something, or a signal ended the process.
    #[track_caller]
    pub fn refusal(self) -> (i32, String) {
        assert_eq!(self.stdout, "", "{self}");
        (self.code.unwrap_or_else(|| panic!("{self}")), self.stderr)
    }

    /// Exit code and all that was printed.
    pub fn in_all(self) -> (Option<i32>, String) {
        (self.code, self.stdout + &self.stderr)
    }

    /// The lines of standard output, each of them JSON.
    ///
    /// # Panics
    /// When one is something else.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        let value =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self}"));
        self.stdout.lines().map(value).collect()
    }

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
