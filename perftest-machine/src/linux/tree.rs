//! The kernel's small text files, below a root.

use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use perftest_core::order::sort;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The longest part of a file that is read. The largest file, `/proc/stat` of a machine with many
/// processors and interrupts, has the needed values in its first line.
const READ_LIMIT_BYTES: u64 = 64 * 1024;

/// Files below a root directory. Paths have no leading slash.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The tree below `root`: `/` on a real machine.
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory that everything lies below.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a file for reading.
    pub(super) fn open(&self, path: impl AsRef<Path>) -> SensorAnswer<File> {
        let path = path.as_ref();
        File::open(self.root.join(path)).map_err(|error| unreadable(path, &error))
    }

    /// The first 64 KiB of a file. Bytes that are no UTF-8 become replacement characters, which
    /// no parser accepts.
    #[inline(never)]
    pub(super) fn read(&self, path: impl AsRef<Path>) -> SensorAnswer<String> {
        self.read_at(path.as_ref())
    }

    fn read_at(&self, path: &Path) -> SensorAnswer<String> {
        let mut bytes = Vec::with_capacity(1024);
        self.open(path)?
            .take(READ_LIMIT_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(path, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Parses a file with `parser`.
    #[inline(never)]
    pub(super) fn parse<T>(
        &self,
        path: impl AsRef<Path>,
        parser: fn(&str) -> Option<T>,
    ) -> SensorAnswer<T> {
        self.parse_at(path.as_ref(), parser)
    }

    fn parse_at<T>(&self, path: &Path, parser: fn(&str) -> Option<T>) -> SensorAnswer<T> {
        let text = self.read_at(path)?;
        parser(&text).ok_or_else(|| not_understood(path, &text))
    }

    /// Whether there is something at `path`.
    #[inline(never)]
    pub(super) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.root.join(path).exists()
    }

    /// The entries of a directory, sorted; none when it cannot be read.
    #[inline(never)]
    pub(super) fn entries(&self, directory: impl AsRef<Path>) -> Vec<PathBuf> {
        self.entries_of(directory.as_ref())
    }

    fn entries_of(&self, directory: &Path) -> Vec<PathBuf> {
        let Ok(listing) = fs::read_dir(self.root.join(directory)) else {
            return Vec::new();
        };
        let mut entries: Vec<_> =
            listing.flatten().map(|entry| directory.join(entry.file_name())).into_list();
        sort(&mut entries);
        entries
    }

    /// The entries of a directory named `prefix`, a number, `suffix`; sorted by the number.
    #[inline(never)]
    pub(super) fn numbered(
        &self,
        directory: impl AsRef<Path>,
        prefix: &str,
        suffix: &str,
    ) -> Vec<(u32, PathBuf)> {
        numbered_among(self.entries(directory), prefix, suffix)
    }
}

fn numbered_among(entries: Vec<PathBuf>, prefix: &str, suffix: &str) -> Vec<(u32, PathBuf)> {
    let number_of = |path: &Path| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        number(name.strip_prefix(prefix)?.strip_suffix(suffix)?)
    };
    let mut numbered = Vec::<(u32, PathBuf)>::new();
    for path in entries {
        if let Some(number) = number_of(&path) {
            let place = numbered.partition_point(|(its, _)| *its <= number);
            numbered.insert(place, (number, path));
        }
    }
    numbered
}

/// Why a file, at `path` without its leading slash, could not be opened or read.
fn unreadable(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotFound => format!("/{path} does not exist"),
        ErrorKind::PermissionDenied => format!("/{path} may not be read"),
        kind => format!("/{path} cannot be read: {kind}"),
    }
}

/// Why a file that does not have the expected format has no value.
fn not_understood(path: &Path, text: &str) -> String {
    let path = path.display();
    match text.trim() {
        "" => format!("/{path} is empty"),
        _ => format!("/{path} is not understood"),
    }
}

/// Parses a number, ignoring white space around it.
#[inline(never)]
pub(super) fn number<T: FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_missing_file_is_named_in_the_reason() {
        let root = tempfile::tempdir().unwrap();
        let absence = Tree::new(root.path()).read("proc/loadavg").unwrap_err();
        assert_eq!(absence, "/proc/loadavg does not exist");
    }

    #[test]
    fn an_empty_and_a_foreign_file_give_different_reasons() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("empty"), "").unwrap();
        fs::write(root.path().join("foreign"), "<unsupported>\n").unwrap();
        let tree = Tree::new(root.path());
        let reason = |path: &str| tree.parse(path, number::<u64>).unwrap_err().to_string();
        assert_eq!(reason("empty"), "/empty is empty");
        assert_eq!(reason("foreign"), "/foreign is not understood");
    }

    #[test]
    fn a_huge_file_is_cut_at_the_limit() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("huge"), vec![b'7'; 1 << 20]).unwrap();
        let text = Tree::new(root.path()).read("huge").unwrap();
        assert_eq!(text.len() as u64, READ_LIMIT_BYTES);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_number() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("binary"), [0xff, 0x00, 0xfe, b'1']).unwrap();
        assert!(Tree::new(root.path()).parse("binary", number::<u64>).is_err());
    }

    #[test]
    fn a_directory_and_a_loop_of_links_in_place_of_a_file_are_absent() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("directory")).unwrap();
        symlink("loop", root.path().join("loop")).unwrap();
        let tree = Tree::new(root.path());
        for path in ["directory", "loop"] {
            let reason = tree.read(path).unwrap_err().to_string();
            assert!(reason.starts_with(&format!("/{path} cannot be read")), "{reason}");
        }
    }

    #[test]
    fn numbered_entries_come_by_number_and_without_their_neighbours() {
        let root = tempfile::tempdir().unwrap();
        for name in ["cpu10", "cpu2", "cpufreq", "cpuidle", "cpu", "cpu3x"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        let found = Tree::new(root.path()).numbered("", "cpu", "");
        assert_eq!(found, [(2, PathBuf::from("cpu2")), (10, PathBuf::from("cpu10"))]);
    }
}
