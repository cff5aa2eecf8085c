//! One measuring process at a time on this machine, for this user.

use crate::Digest;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Held while measuring; released when dropped, or by the system when the process dies.
#[derive(Debug)]
pub struct MeasuringLock {
    _file: Option<File>,
}

impl MeasuringLock {
    /// Where it is: in the user's runtime directory, else in the temporary one under a name of the
    /// user's own, which the home directory gives.
    pub fn path(runtime: Option<&Path>, home: Option<&Path>, temporary: &Path) -> PathBuf {
        if let Some(runtime) = runtime.filter(|directory| directory.is_dir()) {
            return runtime.join("perftest-measuring.lock");
        }
        let home = home.map_or(&[][..], |home| home.as_os_str().as_encoded_bytes());
        temporary.join(format!("perftest-measuring-{}.lock", Digest::of(home).hex8()))
    }

    /// Waits for the lock at `path` up to `longest`; `None` when another process still holds it then.
    ///
    /// Where no lock file can be made there is nothing to wait for, and it counts as held.
    pub fn acquire(path: &Path, longest: Duration) -> Option<Self> {
        let Ok(file) = OpenOptions::new().create(true).append(true).open(path) else {
            return Some(Self { _file: None });
        };
        let deadline = Instant::now() + longest;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(Self { _file: Some(file) }),
                Err(TryLockError::Error(_)) => return Some(Self { _file: None }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_runtime_directory_has_a_name_of_his_own_in_the_temporary_one() {
        let path = |home: &str| MeasuringLock::path(None, Some(Path::new(home)), Path::new("/tmp"));
        assert_ne!(path("/home/a"), path("/home/b"));
        let gone = Some(Path::new("/nowhere/run"));
        assert_eq!(
            MeasuringLock::path(gone, Some(Path::new("/home/a")), Path::new("/tmp")),
            path("/home/a")
        );
    }

    #[test]
    fn where_no_lock_can_be_made_there_is_nothing_to_wait_for() {
        assert!(MeasuringLock::acquire(Path::new("/nowhere/lock"), Duration::ZERO).is_some());
    }
}
