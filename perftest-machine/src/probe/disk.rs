//! A probe of the disk's speed, for tests whose time depends on a disk.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Written and synced each time: one block of a file system.
const BLOCK: [u8; 4096] = [0x5a; 4096];

/// Times the write and sync of a small file, which is removed in the end.
///
/// It disturbs other users of the disk and takes up to some milliseconds, so it runs only for tests
/// that request it.
#[derive(Debug)]
pub struct DiskProbe {
    path: PathBuf,
    file: File,
}

impl DiskProbe {
    /// A probe of the disk that holds `directory`.
    ///
    /// # Errors
    /// Why no file can be made there.
    pub fn new(directory: &Path) -> Result<Self, String> {
        let path = directory.join(format!("perftest-disk-probe-{}", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|error| format!("no file for the disk probe: {error}"))?;
        Ok(Self { path, file })
    }

    /// Time to write and sync 4 KiB, in nanoseconds.
    ///
    /// # Errors
    /// Why the disk did not take them.
    pub fn take_ns(&mut self) -> Result<f64, String> {
        let start = Instant::now();
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(&BLOCK))
            .and_then(|()| self.file.sync_data())
            .map_err(|error| format!("the disk probe failed: {error}"))?;
        Ok(start.elapsed().as_nanos() as f64)
    }
}

impl Drop for DiskProbe {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let mut probe = DiskProbe::new(directory.path()).unwrap();
        assert!(probe.take_ns().unwrap() > 0.0);
        drop(probe);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_is_not_there_is_reported() {
        let why = DiskProbe::new(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(why.contains("no file"), "{why}");
    }
}
