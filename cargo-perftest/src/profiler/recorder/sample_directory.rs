//! A directory that only this user can read: samples have parts of the memory of the sampled process.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Begins the name of each directory; the process that made it follows.
const BEGINNING: &str = "perftest-samples-";

/// A directory that is removed with this.
#[derive(Debug)]
pub(super) struct SampleDirectory(PathBuf);

impl SampleDirectory {
    /// Makes a directory, and removes those of processes that were killed.
    pub(super) fn new() -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let parent = std::env::temp_dir();
        remove_left_behind(&parent);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = parent.join(format!("{BEGINNING}{process}-{count}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// A file in the directory.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for SampleDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn remove_left_behind(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(BEGINNING)?.split('-').next());
        let process = process.and_then(|text| text.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_is_this_users_own_and_goes_with_its_owner() {
        let directory = SampleDirectory::new().unwrap();
        let mode = fs::metadata(&directory.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = directory.0.clone();
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let place = |process: u32| parent.path().join(format!("{BEGINNING}{process}-0"));
        // No process has the largest number.
        let (dead, alive) = (place(u32::MAX), place(std::process::id()));
        [&dead, &alive].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        remove_left_behind(parent.path());
        assert_eq!([dead.exists(), alive.exists()], [false, true]);
    }
}
