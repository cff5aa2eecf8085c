//! A directory that one process at a time uses.

use crate::report::print_progress;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Makes the directory and locks it until the file is dropped. Waits while another process has it, and says so: `others`
/// is what that process does.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn lock_directory(root: &Path, others: &str) -> io::Result<File> {
    fs::create_dir_all(root)?;
    let file = File::create(root.join("lock"))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_directory_is_free_when_the_lock_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("new");
        let lock = lock_directory(&root, "comparison").unwrap();
        let other = File::open(root.join("lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        other.lock().unwrap();
    }
}
