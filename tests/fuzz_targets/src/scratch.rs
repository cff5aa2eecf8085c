//! A directory for the files of one try.

use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Where files are in memory: a try syncs often.
const IN_MEMORY: &str = "/dev/shm";

thread_local! {
    static ROOT: TempDir = new_root();
}

fn new_root() -> TempDir {
    let memory = Path::new(IN_MEMORY);
    let is_asked_elsewhere = std::env::var_os("TMPDIR").is_some();
    let root = if memory.is_dir() && !is_asked_elsewhere {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    root.unwrap()
}

/// Calls `work` with an empty directory.
pub(crate) fn in_empty_directory<T>(work: impl FnOnce(&Path) -> T) -> T {
    ROOT.with(|root| {
        let directory = root.path().join("try");
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        fs::create_dir(&directory).unwrap();
        work(&directory)
    })
}
