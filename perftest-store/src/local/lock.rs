//! One writer at a time, over all processes.

use crate::regular_file::open_stored;
use crate::{Digest, WaitedTime};
use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Longest wait for a lock while its file does not change, on a machine that lets this process run.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A lock until it is dropped; the system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    held: File,
}

impl Lock {
    /// Waits until no other process reads or writes `data`, which others may replace. Creates `data` if it does not exist.
    ///
    /// # Errors
    /// When it cannot be locked. [`is_timeout`] recognises the error when another process holds the
    /// lock for ten seconds without writing.
    pub(crate) fn for_replacing(data: &Path) -> io::Result<Self> {
        Self::of_present(&lock_file(data), data)
    }

    /// Waits like [`for_replacing`](Self::for_replacing), for a file outside of a store: no lock is left beside it.
    pub(crate) fn for_users_file(data: &Path) -> io::Result<Self> {
        let lock_file = if cfg!(windows) { temporary_lock_file(data)? } else { data.to_owned() };
        Self::of_present(&lock_file, data)
    }

    fn of_present(lock_file: &Path, data: &Path) -> io::Result<Self> {
        loop {
            let held = open_stored(lock_file, File::options().append(true).create(true))?;
            wait(data, LONGEST_WAIT, || held.try_lock())?;
            let lock = Self { held };
            if lock.is_of(data)? {
                return Ok(lock);
            }
        }
    }

    /// Waits until no process writes `data`, so that no half-written record is read. Where locking
    /// is impossible (no file yet, a read-only or a foreign file system), reads without a lock: a
    /// line cut short is skipped anyway.
    ///
    /// # Errors
    /// When another process holds the lock for ten seconds without writing.
    pub(crate) fn for_reading(data: &Path) -> io::Result<Option<Self>> {
        let Ok(held) = open_stored(&lock_file(data), File::options().read(true)) else {
            return Ok(None);
        };
        match wait(data, LONGEST_WAIT, || held.try_lock_shared()) {
            Ok(()) => Ok(Some(Self { held })),
            Err(error) if is_timeout(&error) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns whether the locked file is still the one of this name.
    #[cfg(unix)]
    fn is_of(&self, data: &Path) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let locked = self.held.metadata()?;
        let is_same =
            |named: fs::Metadata| (named.dev(), named.ino()) == (locked.dev(), locked.ino());
        Ok(fs::metadata(data).is_ok_and(is_same))
    }

    /// A separate lock file is never replaced.
    #[cfg(not(unix))]
    fn is_of(&self, _data: &Path) -> io::Result<bool> {
        self.held.metadata().map(|_| true)
    }
}

/// Returns whether the wait for a lock timed out.
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    // A network file system has its own time-outs.
    error.kind() == ErrorKind::TimedOut && error.raw_os_error().is_none()
}

/// The data file itself, except on Windows: there a lock is mandatory and would also exclude other
/// readers of the data.
fn lock_file(data: &Path) -> PathBuf {
    if cfg!(windows) { data.with_extension("jsonl.lock") } else { data.to_owned() }
}

/// A file among the temporary ones of the user, the same whatever the path to `data` is. Its directory has to exist.
fn temporary_lock_file(data: &Path) -> io::Result<PathBuf> {
    let directory = data.parent().filter(|it| !it.as_os_str().is_empty());
    let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")))?;
    let path = directory.join(data.file_name().unwrap_or_default());
    let name = Digest::of(path.to_string_lossy().as_bytes()).hex16();
    Ok(env::temp_dir().join(format!("perftest-{name}.lock")))
}

/// Tries until the lock is held. With many writers each waits for several others, so the [`WaitedTime`] begins again
/// with each change of the file.
fn wait(
    data: &Path,
    longest: Duration,
    try_lock: impl Fn() -> Result<(), TryLockError>,
) -> io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(2);
    let (mut waited, mut state) = (WaitedTime::start(), None);
    loop {
        match try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => {}
        }
        let now = state_of(data);
        if state != now {
            (waited, state) = (WaitedTime::start(), now);
        } else if waited.until_now() > longest {
            let seconds = longest.as_secs();
            let why = format!(
                "another process has held its lock for {seconds} s without writing; end that process \
                 and run again"
            );
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
        std::thread::sleep(PAUSE);
    }
}

fn state_of(data: &Path) -> Option<(u64, SystemTime)> {
    let found = fs::metadata(data).ok()?;
    Some((found.len(), found.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::scratch;
    use std::io::Write;
    use std::time::Instant;

    #[test]
    fn a_lock_that_an_idle_process_holds_is_not_waited_for_for_ever() {
        let directory = scratch("lock-idle");
        let file = directory.join("data");
        let _holder = Lock::for_replacing(&file).unwrap();
        let other = File::open(&file).unwrap();
        let refused = wait(&file, Duration::from_millis(20), || other.try_lock()).unwrap_err();
        assert!(is_timeout(&refused), "{refused}");
        let refused = wait(&file, Duration::from_millis(20), || other.try_lock_shared());
        assert!(is_timeout(&refused.unwrap_err()));
    }

    #[test]
    fn while_others_write_in_turn_the_wait_goes_on() {
        let directory = scratch("lock-busy");
        let path = directory.join("data");
        let holder = Lock::for_replacing(&path).unwrap();
        let other = File::open(&path).unwrap();
        // Even a busy machine lets the other thread write once within that.
        let longest = Duration::from_secs(1);
        let begin = Instant::now();
        let (mut file, mut holder) =
            (File::options().append(true).open(&path).unwrap(), Some(holder));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while begin.elapsed() < 3 * longest {
                    file.write_all(b"x").unwrap();
                    std::thread::sleep(longest / 40);
                }
                holder.take();
            });
            wait(&path, longest, || other.try_lock()).unwrap();
        });
        assert!(begin.elapsed() >= 3 * longest);
    }

    /// As with Ctrl-Z, a paused virtual machine, or no processor for a while.
    #[test]
    fn a_time_in_which_the_waiting_process_was_stopped_is_no_wait() {
        let directory = scratch("lock-stopped");
        let file = directory.join("data");
        fs::write(&file, "").unwrap();
        let longest = Duration::from_millis(200);
        let tries = std::cell::Cell::new(0);
        let waited = wait(&file, longest, || {
            tries.set(tries.get() + 1);
            match tries.get() {
                1 => Err(TryLockError::WouldBlock),
                2 => {
                    std::thread::sleep(2 * longest);
                    Err(TryLockError::WouldBlock)
                }
                _ => Ok(()),
            }
        });
        assert!(waited.is_ok(), "{waited:?}");
        assert_eq!(tries.get(), 3);
    }

    #[test]
    fn a_lock_that_is_not_beside_its_file_is_the_same_by_every_path() {
        let directory = scratch("lock-temporary");
        fs::create_dir(directory.join("sub")).unwrap();
        let lock = |path: &str| temporary_lock_file(&directory.join(path)).unwrap();
        let manifest = lock("Cargo.toml");
        assert_eq!(lock("sub/../Cargo.toml"), manifest);
        assert!(lock("sub/Cargo.toml") != manifest && lock("perftest.toml") != manifest);
        assert_eq!(manifest.parent(), Some(&*env::temp_dir()));
    }

    #[test]
    fn a_lock_of_a_file_that_was_replaced_is_none() {
        let directory = scratch("lock-replaced");
        let (path, new) = (directory.join("data"), directory.join("new"));
        let lock = Lock::for_replacing(&path).unwrap();
        assert!(lock.is_of(&path).unwrap());
        fs::write(&new, "new").unwrap();
        fs::rename(&new, &path).unwrap();
        assert_eq!(lock.is_of(&path).unwrap(), cfg!(not(unix)));
    }
}
