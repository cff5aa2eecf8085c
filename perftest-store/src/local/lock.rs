//! One writer at a time, over all processes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Held until dropped; the system gives it back when the process dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// Waits until nobody else reads or writes `data`, which may not exist yet.
    pub(crate) fn for_writing(data: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(lock_file(data))?;
        file.lock()?;
        Ok(Self { _held: file })
    }

    /// Waits until nobody writes `data`, so that a record half written is never seen. Where that
    /// cannot be had (nothing there yet, a read-only or a foreign file system), reading goes on
    /// without: a line cut short is skipped anyway.
    pub(crate) fn for_reading(data: &Path) -> Option<Self> {
        let file = File::open(lock_file(data)).ok()?;
        file.lock_shared().ok()?;
        Some(Self { _held: file })
    }
}

/// The data file itself, except on Windows: there a lock is mandatory and would keep readers of
/// other kinds away from the data.
fn lock_file(data: &Path) -> PathBuf {
    if cfg!(windows) { data.with_extension("jsonl.lock") } else { data.to_owned() }
}
