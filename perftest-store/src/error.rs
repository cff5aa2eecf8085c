//! Errors of a store; each message has a way out.

use crate::SCHEMA;
use crate::format::LineError;
use crate::local::lock::is_timeout;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason of a failure in the store. The message names the file and the way out.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The place cannot be written.
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The disk is full, or the user's quota of it is used up; the earlier content of the file is unharmed.
    Full {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process has held the lock for too long.
    Locked {
        /// The file.
        path: PathBuf,
        /// The length of the wait, and the next step.
        why: String,
    },
    /// Written in another version of the format; left untouched.
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// The file cannot be read, or no line of it can.
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file to be executed could have been written by another user.
    Untrusted {
        /// The file or directory.
        path: PathBuf,
        /// The user who could have written it.
        why: String,
    },
    /// A place on another machine cannot be reached or read.
    Remote {
        /// What is wrong, and the next step.
        why: String,
    },
    /// One history of a place on another machine cannot be read.
    RemoteHistory {
        /// What is wrong, and the next step.
        why: String,
    },
    /// The given data cannot be recorded.
    Invalid {
        /// What is wrong.
        why: String,
    },
}

impl StoreError {
    /// The error of a line that this file cannot have.
    pub fn of_line(path: &Path, error: LineError) -> Self {
        let path = path.to_owned();
        match error {
            LineError::Damaged(why) => Self::Unreadable { path, why },
            LineError::OtherVersion(version) => Self::OtherVersion { path, version },
        }
    }

    /// Classifies a failure to write this file.
    pub fn writing(path: &Path, source: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
        let path = path.to_owned();
        if is_timeout(&source) {
            return Self::Locked { path, why: source.to_string() };
        }
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge | WriteZero => Self::Full { path, source },
            _ => Self::Unwritable { path, source },
        }
    }

    /// Describes the error of a [full](Self::Full) disk: the beginning of a sentence that goes on with the file.
    pub fn no_room_to_write(source: &io::Error) -> &'static str {
        match source.kind() {
            io::ErrorKind::QuotaExceeded => "the disk quota has no room left to write",
            _ => "no room left to write",
        }
    }

    /// Classifies a failure to read this file.
    pub fn reading(path: &Path, source: io::Error) -> Self {
        let (path, why) = (path.to_owned(), source.to_string());
        if is_timeout(&source) {
            Self::Locked { path, why }
        } else {
            Self::Unreadable { path, why }
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritable { path, source } => write!(
                f,
                "cannot write {}: {source}; allow it, or point PERFTEST_STORE at a directory on a \
                 local disk that can be written",
                path.display()
            ),
            Self::Full { path, source } => write!(
                f,
                "{} {}; nothing recorded before was lost; free some space, or \
                 point PERFTEST_STORE at another disk",
                Self::no_room_to_write(source),
                path.display()
            ),
            Self::Locked { path, why } => write!(f, "cannot lock {}: {why}", path.display()),
            Self::OtherVersion { path, version } => write!(
                f,
                "{} was written by another version of perftest (format {version}, this one has \
                 {SCHEMA}) and is left as it is; use that version, or start a new store: \
                 PERFTEST_STORE=NEW_DIRECTORY cargo test",
                path.display()
            ),
            Self::Unreadable { path, why } => write!(
                f,
                "cannot read {}: {why}; move it away to start again, or restore it from a copy",
                path.display()
            ),
            Self::Untrusted { path, why } => write!(
                f,
                "nothing of {} is executed: {why}; or point PERFTEST_STORE at a directory of your own",
                path.display()
            ),
            Self::Remote { why } | Self::RemoteHistory { why } | Self::Invalid { why } => {
                f.write_str(why)
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unwritable { source, .. } | Self::Full { source, .. } => Some(source),
            _ => None,
        }
    }
}
