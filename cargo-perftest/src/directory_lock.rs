//! A directory that one process at a time uses.

use crate::report::print_progress;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// The locked file. Whoever empties the directory leaves it: another process may wait for it.
pub(crate) const DIRECTORY_LOCK: &str = "lock";

/// Makes the directory and locks it until the file is dropped. Waits while another process has it, and says so: `others`
/// is what that process does.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn lock_directory(root: &Path, others: &str) -> io::Result<File> {
    fs::create_dir_all(root)?;
    let file = File::create(root.join(DIRECTORY_LOCK))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            print_progress(&format_args!("another {others} is running; waiting for it"));
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
        Ok(()) => {}
    }
    Ok(file)
}

/// Locks a directory that is there; `None` where another process has it.
pub(crate) fn lock_if_free(root: &Path) -> Option<File> {
    let file = File::open(root.join(DIRECTORY_LOCK)).ok()?;
    file.try_lock().is_ok().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_directory_is_free_when_the_lock_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("new");
        let lock = lock_directory(&root, "comparison").unwrap();
        let other = File::open(root.join(DIRECTORY_LOCK)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        other.lock().unwrap();
    }
}
