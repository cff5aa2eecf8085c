//! One measuring process at a time on this machine, for this user.

use perftest_store::Digest;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Held while measuring; released when dropped, or by the system when the process dies.
pub(crate) struct MeasuringLock {
    _file: Option<File>,
}

impl MeasuringLock {
    /// Waits for the lock up to `longest`; `None` when another process still holds it then.
    ///
    /// Where no lock file can be made there is nothing to wait for, and it counts as held.
    pub(crate) fn acquire(longest: Duration) -> Option<Self> {
        let Ok(file) = OpenOptions::new().create(true).append(true).open(path()) else {
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

/// In the user's runtime directory, else in the temporary one under a name of the user's own.
fn path() -> PathBuf {
    let directories = directories::BaseDirs::new();
    let runtime = directories.as_ref().and_then(|it| it.runtime_dir().map(PathBuf::from));
    let home = directories.map_or_else(PathBuf::new, |it| it.home_dir().to_owned());
    let user = Digest::of(home.as_os_str().as_encoded_bytes()).hex8();
    match runtime.filter(|directory| directory.is_dir()) {
        Some(directory) => directory.join("perftest-measuring.lock"),
        None => std::env::temp_dir().join(format!("perftest-measuring-{user}.lock")),
    }
}
