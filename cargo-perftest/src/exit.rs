//! How the tool ends.

use perftest_store::StoreError;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a command that did what it was asked ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandEnd {
    /// 0.
    Done,
    /// 1: something is not as it should be: a test has drifted, an alert is open, an acceptance is stale.
    No,
    /// 4: there was no run to judge, in a job that is to fail where something is out of line.
    Nothing,
    /// 6: no verdict can be expected on this machine now.
    Unfit,
}

impl CommandEnd {
    pub(crate) fn code(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::No => ExitCode::FAILURE,
            Self::Nothing => ExitCode::from(4),
            Self::Unfit => ExitCode::from(6),
        }
    }
}

/// Why a command could not do what it was asked; each kind has its own exit code.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// 2: the question cannot be answered as it was put; the text says how to put it.
    Usage(String),
    /// 5: the history cannot be read or written.
    Store(StoreError),
    /// 5: the answer could not be written.
    Output(io::Error),
}

impl CommandError {
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Store(_) | Self::Output(_) => ExitCode::from(5),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => f.write_str(text),
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
