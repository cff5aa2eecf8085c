//! Changes whole small files without losing parallel changes.

use super::directory;
use super::lock::Lock;
use crate::regular_file::read_regular_text;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Largest size of a file that is changed as a whole.
const MOST_BYTES: u64 = 64 << 20;

/// Replaces the text of a file by the result of `change`. The text of a missing file is empty. If
/// `change` returns `None`, the file stays unchanged.
///
/// All callers of this function wait for each other. Readers see the whole old or the whole new
/// text, even after a power loss. A symbolic link and the permissions stay. Half-written files of
/// killed processes are removed.
///
/// # Errors
/// Those of `change`; when the file cannot be read or written, is no regular file or no UTF-8; when another
/// process holds the lock of the file for ten seconds in which it writes nothing.
pub fn change_file(
    path: &Path,
    change: impl FnOnce(&str) -> io::Result<Option<String>>,
) -> io::Result<()> {
    let path = target_of(path)?;
    act_under(Lock::for_users_file, &path, || {
        // Where the lock is a file of its own, a new file is not there yet.
        let text = read_regular_text(&path, MOST_BYTES).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(String::new()),
            _ => Err(error),
        })?;
        match change(&text)? {
            Some(text) => directory::replace(&path, text.as_bytes()),
            None => Ok(()),
        }
    })
}

/// Reads and replaces a file of a store by `act`, while all other callers of this function wait. Creates a missing
/// file, which may be empty then. Half-written files of killed processes are removed.
///
/// # Errors
/// Those of `act`; when the file cannot be created or is no regular file; when another process holds the lock of the file
/// for ten seconds in which it writes nothing.
pub fn act_alone(path: &Path, act: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    act_under(Lock::for_replacing, path, act)
}

fn act_under(
    lock: fn(&Path) -> io::Result<Lock>,
    path: &Path,
    act: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    directory::create_durably(path.parent().unwrap_or(Path::new("")))?;
    let _lock = lock(path)?;
    directory::remove_unfinished(path);
    act()
}

/// Returns the file itself, or the target of a symbolic link.
#[inline]
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if is_link { fs::canonicalize(path) } else { Ok(path.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::scratch;

    fn append(path: &Path, line: &str) {
        change_file(path, |text| Ok(Some(format!("{text}{line}\n")))).unwrap();
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn eight_at_once_lose_no_change() {
        let directory = scratch("change-crowd");
        let path = directory.join("file.txt");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let path = &path;
                scope.spawn(move || (0..25).for_each(|it| append(path, &format!("{thread} {it}"))));
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 8 * 25);
        assert_eq!(names(&directory), ["file.txt"]);
    }

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_change() {
        let directory = scratch("change-left");
        let path = directory.join("file.txt");
        let others = ["file.txt", "other.txt.7-0.perftest-unfinished", "file.txt.bak"];
        fs::write(directory.join("file.txt.7-0.perftest-unfinished"), "half").unwrap();
        others[1..].iter().for_each(|name| fs::write(directory.join(name), "").unwrap());
        append(&path, "one");
        let mut expected = others;
        expected.sort_unstable();
        assert_eq!(names(&directory), expected);
    }

    #[test]
    fn a_change_that_is_none_leaves_the_file_as_it_is() {
        let directory = scratch("change-none");
        let path = directory.join("file.txt");
        append(&path, "one");
        let modified = || fs::metadata(&path).unwrap().modified().unwrap();
        let before = modified();
        change_file(&path, |_| Ok(None)).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), modified()), ("one\n", before));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = scratch("change-link");
        let (file, link) = (directory.join("file.txt"), directory.join("link.txt"));
        append(&file, "one");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file.txt", &link).unwrap();
        append(&link, "two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_file(&file).unwrap();
        let refused = change_file(&link, |text| Ok(Some(text.to_owned())));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
