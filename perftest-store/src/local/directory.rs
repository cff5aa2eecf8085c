//! Directories and whole files that survive a power loss.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Creates a directory with all its parents, and syncs each parent.
pub fn create_durably(directory: &Path) -> io::Result<()> {
    if directory.is_dir() || directory.as_os_str().is_empty() {
        return Ok(());
    }
    let parent = directory.parent().unwrap_or(Path::new(""));
    create_durably(parent)?;
    match fs::create_dir(directory) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync(parent),
    }
}

/// Creates a directory durably and acts in it. A move of the project removes empty directories, level by level: those
/// that are gone meanwhile are created again.
pub(crate) fn act_in<T>(directory: &Path, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    /// More than the levels of a project, each of which may be removed just when it is there again.
    const MOST_TRIES: usize = 10;
    let mut tries = 1;
    loop {
        match create_durably(directory).and_then(|()| act()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MOST_TRIES => {
                tries += 1;
            }
            done => return done,
        }
    }
}

/// Syncs the entries of a directory. Windows syncs them by itself and cannot open directories.
pub(crate) fn sync(directory: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let here = Path::new(".");
    File::open(if directory.as_os_str().is_empty() { here } else { directory })?.sync_all()
}

/// Replaces a whole file: readers see the whole old or the whole new one. The permissions stay.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |temporary| {
        write_synced(temporary, &mut File::options(), bytes)?;
        keep_permissions(path, temporary)
    })?;
    sync(path.parent().unwrap_or(Path::new("")))
}

/// Replaces like [`replace`], but no other user can read or write the new file, whatever the umask and the permissions
/// of the old file allow.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only there it has a mode"))]
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    replace_by(path, |temporary| write_synced(temporary, &mut options.clone(), bytes))?;
    sync(path.parent().unwrap_or(Path::new("")))
}

/// Replaces like [`replace`], for data that may be lost or damaged in a power loss.
pub(crate) fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |temporary| {
        File::create_new(temporary)?.write_all(bytes)?;
        keep_permissions(path, temporary)
    })
}

/// The end of a file's name while it is written, or after its writer was killed.
const UNFINISHED: &str = "perftest-unfinished";

/// Fills a temporary file beside `path` by `write`. The file then replaces `path`.
fn replace_by(path: &Path, write: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let temporary = temporary_name(path);
    // A killed process may have had the same number.
    let _ = fs::remove_file(&temporary);
    let written = act_in(path.parent().unwrap_or(Path::new("")), || write(&temporary))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // No other code knows this name; the caller gets the first error.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Returns a name that no other thread or process writes to.
fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{count}.{UNFINISHED}", std::process::id()));
    path.with_file_name(name)
}

/// Returns whether a file is half-written, by a running or a killed process.
pub fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == UNFINISHED)
}

/// Removes half-written copies of `path` from killed processes. Requires the lock of `path`: then
/// no process writes a copy.
#[inline]
pub(crate) fn remove_unfinished(path: &Path) {
    let begin = format!("{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    remove_such(directory.unwrap_or(Path::new(".")), &|entry| {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&begin) && is_unfinished(entry)
    });
}

/// Removes files and directories with such a name that are too old for a living process. What cannot be
/// removed is no error.
pub fn remove_left_behind(directory: &Path, is_such: &dyn Fn(&Path) -> bool) {
    const OLD: Duration = Duration::from_secs(3600);
    let is_old = |path: &Path| {
        let modified = fs::metadata(path).and_then(|it| it.modified()).ok();
        let age = modified.and_then(|it| SystemTime::now().duration_since(it).ok());
        age.is_some_and(|age| age > OLD)
    };
    remove_such(directory, &|path| is_such(path) && is_old(path));
}

/// Removes such files, and such directories with their contents. What cannot be removed is no error.
pub fn remove_such(directory: &Path, is_such: &dyn Fn(&Path) -> bool) {
    for path in entries(directory) {
        if is_such(&path) {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
}

/// Returns the paths of what is in a directory; of nothing where it cannot be read.
pub fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if let Ok(listing) = fs::read_dir(directory) {
        for entry in listing.flatten() {
            paths.push(entry.path());
        }
    }
    paths
}

/// Follows no link that somebody else may have put there.
fn write_synced(path: &Path, options: &mut OpenOptions, bytes: &[u8]) -> io::Result<()> {
    let mut file = options.write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Gives a file the permissions of `old`, if that exists.
fn keep_permissions(old: &Path, file: &Path) -> io::Result<()> {
    fs::metadata(old).map_or(Ok(()), |it| fs::set_permissions(file, it.permissions()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::local::scratch;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_private_file_is_its_users_alone_whatever_the_one_before_allowed() {
        let directory = scratch("private");
        let file = directory.join("new/file");
        for text in ["one", "two"] {
            replace_private(&file, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{text}");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
        }
    }
}
