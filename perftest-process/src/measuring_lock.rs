//! One measuring process at a time on this machine, for this user.

use crate::owner::{Owner, create_private_directory};
use perftest_core::text::Text;
use perftest_store::WaitedTime;
use perftest_store::{open_stored, read_at_most};
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The name of the lock file.
const NAME: &str = "perftest-measuring.lock";
/// Most bytes that are read from the lock file.
const LONGEST_HOLDER: u64 = 1024;

/// A lock that the measuring process holds. It ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct MeasuringLock {
    file: Option<File>,
}

impl Drop for MeasuringLock {
    /// Gives the lock up also for processes that this one forked, which have the file open, too.
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Where that fails, the lock ends with the file.
            let _ = file.unlock();
        }
    }
}

/// Why the lock is not available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockError {
    /// A process holds it: `process 1234 (codec::encode)`.
    Held {
        /// The description of that process.
        by: String,
    },
    /// Another user could have replaced the file.
    Unusable {
        /// The problem, and the next step.
        why: String,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { by } => write!(f, "the measuring lock is held by {by}"),
            Self::Unusable { why } => write!(f, "the measuring lock cannot be used: {why}"),
        }
    }
}

impl std::error::Error for LockError {}

impl MeasuringLock {
    /// Returns the path in the user's runtime directory, or else in the user's own directory below
    /// the temporary one. Creates that directory if it is missing.
    ///
    /// # Errors
    /// [`LockError::Unusable`] when that directory is a link, belongs to another user, or others
    /// can write it.
    pub fn path(runtime: Option<&Path>, temporary: &Path) -> Result<PathBuf, LockError> {
        if let Some(runtime) = runtime.filter(|directory| directory.is_dir()) {
            return Ok(runtime.join(NAME));
        }
        let own = Owner::of_process(temporary).and_then(|owner| {
            let directory = temporary.join(owner.directory_name());
            create_private_directory(&directory).map(|()| (owner, directory))
        });
        // If no directory can be created there is no lock.
        let Ok((owner, directory)) = own else {
            return Ok(temporary.join(NAME));
        };
        match owner.refusal_of_directory(&directory) {
            Ok(None) => Ok(directory.join(NAME)),
            Ok(Some(why)) => Err(unusable(&directory, &why)),
            Err(error) => Err(unusable(&directory, &error.to_string())),
        }
    }

    /// Waits for the lock at `path` up to `longest`. `holder` describes this process to others,
    /// beside its number.
    ///
    /// If no lock file can be created, the lock counts as held.
    ///
    /// # Errors
    /// When another process still holds it then, or when the file at `path` is not ours.
    pub fn acquire(path: &Path, holder: &str, longest: Duration) -> Result<Self, LockError> {
        Self::wait_for(path, holder, longest, |_| None)
    }

    /// Waits like [`acquire`](Self::acquire), and up to `longest` for each process that holds the lock meanwhile: many that
    /// wait take turns.
    ///
    /// # Errors
    /// When one process holds it for longer, or when the file at `path` is not ours.
    pub fn acquire_in_turn(
        path: &Path,
        holder: &str,
        longest: Duration,
    ) -> Result<Self, LockError> {
        Self::wait_for(path, holder, longest, held_since)
    }

    fn wait_for(
        path: &Path,
        holder: &str,
        longest: Duration,
        held_since: impl Fn(&File) -> Option<SystemTime>,
    ) -> Result<Self, LockError> {
        let options = &mut OpenOptions::new();
        // The file's content belongs to the holder.
        let opened = open_stored(path, options.read(true).write(true).create(true));
        let file = match opened {
            Ok(file) => file,
            Err(error) if fs::symlink_metadata(path).is_ok() => {
                return Err(unusable(path, &error.to_string()));
            }
            Err(_) => return Ok(Self { file: None }),
        };
        match wait(longest, || held_since(&file), || file.try_lock()) {
            Ok(()) => {
                // The description is optional: processes that cannot read it wait too.
                let _ = write_holder(&file, holder);
                Ok(Self { file: Some(file) })
            }
            Err(TryLockError::Error(_)) => Ok(Self { file: None }),
            Err(TryLockError::WouldBlock) => Err(LockError::Held { by: holder_in(&file) }),
        }
    }
}

/// Tries until the lock is held, up to `longest` of [`WaitedTime`] that begins again with each change of `held_since`.
fn wait(
    longest: Duration,
    held_since: impl Fn() -> Option<SystemTime>,
    try_lock: impl Fn() -> Result<(), TryLockError>,
) -> Result<(), TryLockError> {
    const PAUSE: Duration = Duration::from_millis(5);
    let (mut waited, mut since) = (WaitedTime::start(), held_since());
    loop {
        let now = held_since();
        if since != now {
            (waited, since) = (WaitedTime::start(), now);
        }
        let is_over = waited.until_now() >= longest;
        match try_lock() {
            Err(TryLockError::WouldBlock) if !is_over => std::thread::sleep(PAUSE),
            ended => return ended,
        }
    }
}

fn unusable(path: &Path, why: &str) -> LockError {
    let path = path.display();
    LockError::Unusable {
        why: format!(
            "`{path}`: {why}. Remove it, or set XDG_RUNTIME_DIR to a directory of your own"
        ),
    }
}

/// Writes the first line. What an earlier holder wrote behind it stays: a file that is cut waits for its disk, some
/// milliseconds a test.
fn write_holder(mut file: &File, holder: &str) -> io::Result<()> {
    file.write_all(format!("process {} ({holder})\n", std::process::id()).as_bytes())
}

/// When the holder wrote its line. Other threads of its process write the same number, and other runs the same name.
fn held_since(file: &File) -> Option<SystemTime> {
    file.metadata().and_then(|it| it.modified()).ok()
}

fn holder_in(mut file: &File) -> String {
    let mut bytes = Vec::new();
    // On Windows other processes cannot read a locked file.
    let _ = read_at_most(&mut file, LONGEST_HOLDER, &mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    match text.each_line().next() {
        Some(line) => line.chars().filter(|it| !it.is_control()).collect(),
        None => "another process".to_owned(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    fn acquire(path: &Path) -> Result<MeasuringLock, LockError> {
        MeasuringLock::acquire(path, "codec::encode", Duration::ZERO)
    }

    fn why(refused: Result<impl fmt::Debug, LockError>) -> String {
        refused.unwrap_err().to_string()
    }

    #[test]
    fn who_has_no_runtime_directory_has_one_of_his_own_in_the_temporary_one() {
        let temporary = scratch("lock-own");
        let gone = Some(Path::new("/nowhere/run"));
        let path = MeasuringLock::path(gone, &temporary).unwrap();
        let directory = path.parent().unwrap();
        assert_eq!(directory.parent(), Some(temporary.as_path()));
        assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(MeasuringLock::path(None, &temporary), Ok(path), "each time the same");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1, "nothing else is left there");
    }

    #[test]
    fn a_directory_that_others_can_write_is_refused() {
        let temporary = scratch("lock-open");
        let directory = MeasuringLock::path(None, &temporary).unwrap();
        let directory = directory.parent().unwrap();
        fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(why(MeasuringLock::path(None, &temporary)).contains("others can write it"));
        fs::remove_dir(directory).unwrap();
        symlink("/", directory).unwrap();
        assert!(why(MeasuringLock::path(None, &temporary)).contains("a link"));
    }

    #[test]
    fn who_waits_in_vain_is_reported_who_holds_it() {
        let directory = scratch("lock-held");
        let path = directory.join(NAME);
        let held = acquire(&path).unwrap();
        let process = std::process::id();
        assert_eq!(
            why(acquire(&path)),
            format!("the measuring lock is held by process {process} (codec::encode)")
        );
        drop(held);
        assert!(acquire(&path).is_ok());
    }

    /// As with Ctrl-Z, a paused container, or no processor for a while.
    #[test]
    fn a_time_in_which_the_waiting_process_was_stopped_is_no_wait() {
        let longest = Duration::from_millis(500);
        let tries = std::cell::Cell::new(0);
        let waited = wait(
            longest,
            || None,
            || {
                tries.set(tries.get() + 1);
                match tries.get() {
                    1 | 3 => Err(TryLockError::WouldBlock),
                    2 => {
                        std::thread::sleep(2 * longest);
                        Err(TryLockError::WouldBlock)
                    }
                    _ => Ok(()),
                }
            },
        );
        assert!(waited.is_ok(), "{waited:?}");
        assert_eq!(tries.get(), 4);
    }

    #[test]
    fn who_waits_in_turn_waits_as_long_for_each_holder_and_not_for_one_that_hangs() {
        let directory = scratch("lock-turns");
        let path = directory.join(NAME);
        let held = acquire(&path).unwrap();
        let longest = Duration::from_millis(400);
        let in_turn = || MeasuringLock::acquire_in_turn(&path, "codec::decode", longest);
        assert!(why(in_turn()).contains("held by process"), "one holder");
        let taking_turns = std::thread::spawn(move || {
            for _ in 0..20 {
                std::thread::sleep(longest / 8);
                write_holder(held.file.as_ref().unwrap(), "codec::encode").unwrap();
            }
        });
        assert!(MeasuringLock::acquire(&path, "codec::decode", longest).is_err(), "no turns");
        assert!(in_turn().is_ok());
        taking_turns.join().unwrap();
    }

    #[test]
    fn a_copy_of_the_open_file_does_not_hold_the_lock() {
        let directory = scratch("lock-copy");
        let path = directory.join(NAME);
        let held = acquire(&path).unwrap();
        let _of_forked_process = held.file.as_ref().unwrap().try_clone().unwrap();
        drop(held);
        assert!(acquire(&path).is_ok());
    }

    #[test]
    fn the_holder_is_named_although_an_earlier_one_had_a_longer_name() {
        let directory = scratch("lock-shorter");
        let path = directory.join(NAME);
        drop(acquire(&path).unwrap());
        let _held = MeasuringLock::acquire(&path, "f", Duration::ZERO).unwrap();
        let by = format!("process {} (f)", std::process::id());
        assert_eq!(acquire(&path).unwrap_err(), LockError::Held { by });
    }

    #[test]
    fn what_is_no_regular_file_is_neither_waited_for_nor_followed() {
        let directory = scratch("lock-odd");
        let pipe = directory.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(why(acquire(&pipe)).contains("cannot be used: `"));
        let link = directory.join("link");
        symlink(directory.join("target"), &link).unwrap();
        assert!(why(acquire(&link)).contains("it is a symbolic link"));
        assert!(!directory.join("target").exists());
        assert!(why(acquire(&directory)).contains("cannot be used"));
    }

    #[test]
    fn where_no_lock_can_be_made_there_is_nothing_to_wait_for() {
        assert!(acquire(Path::new("/nowhere/lock")).is_ok());
        let nowhere = MeasuringLock::path(None, Path::new("/nowhere")).unwrap();
        assert!(acquire(&nowhere).is_ok());
    }
}
