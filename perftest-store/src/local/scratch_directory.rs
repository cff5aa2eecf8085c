//! Directories for tests.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A directory for a test; gone with its files when dropped.
#[derive(Debug)]
pub struct ScratchDirectory(PathBuf);

/// Creates an empty directory for a test.
///
/// # Panics
/// When the directory cannot be created.
pub fn scratch(name: &str) -> ScratchDirectory {
    let name = format!("perftest-store-{name}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a temporary directory can be created");
    // The names of its files, as git and others give them.
    ScratchDirectory(directory.canonicalize().expect("the directory was just created"))
}

impl AsRef<Path> for ScratchDirectory {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Deref for ScratchDirectory {
    type Target = PathBuf;

    fn deref(&self) -> &PathBuf {
        &self.0
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
