//! Exit codes of the tool.

use perftest_store::StoreError;
use std::fmt;
use std::io;
use std::process::{ExitCode, Termination};

/// The end of a command that was done: its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandEnd {
    /// 0.
    Done,
    /// 1: a finding: a test is slower or has drifted, an alert is open, an acceptance is stale.
    No,
    /// 2: a test could not be compared.
    NotCompared,
    /// 3: a test is not decided, which fails when it is asked for, here or by the test.
    Undecided,
    /// 4: a test could not be judged or recorded, for a reason outside of its code, or did not run; or there was no run
    /// to check, in a job that must fail on findings.
    Unjudged,
    /// 6: no verdict can be expected on this machine now.
    Unfit,
    /// What the test runner exits with: not for speed alone.
    OfRunner(u8),
}

impl Termination for CommandEnd {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::No => 1,
            Self::NotCompared => 2,
            Self::Undecided => 3,
            Self::Unjudged => 4,
            Self::Unfit => 6,
            Self::OfRunner(code) => code,
        })
    }
}

/// The result of a command, or of a part of one.
pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// The error of a command; each kind has its own exit code.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// 2: the command line cannot be answered; the text has the correction.
    Usage(String),
    /// 5: the history cannot be read or written.
    Store(StoreError),
    /// 5: a remote cannot be reached, read or written.
    Remote(String),
    /// 5: the answer could not be written.
    Output(io::Error),
}

/// Refuses a command line that cannot be answered; the text has the correction.
///
/// # Errors
/// Always.
pub(crate) fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(CommandError::Usage(why.into()))
}

impl CommandError {
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Store(_) | Self::Remote(_) | Self::Output(_) => ExitCode::from(5),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Remote(text) => f.write_str(text),
            Self::Store(error) => error.fmt(f),
            Self::Output(error) => write!(f, "the answer could not be written: {error}"),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
