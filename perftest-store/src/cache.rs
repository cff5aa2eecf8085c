//! Small results that take a while to compute, shared by processes.

use crate::local::{Layout, directory};
use crate::regular_file::read_stored_text;
use crate::{Digest, Project};
use perftest_core::list::IntoList;
use perftest_core::order::sort;
use perftest_core::text::Text;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Separates the parts of a key. No stored text contains it.
const SEPARATOR: &str = "\u{1f}";

/// Largest size of a stored text.
const MOST_BYTES: u64 = 64 << 20;

/// Texts of a project, each under a key that names everything the text depends on.
///
/// A damaged text counts as absent, and a text that could not be written is computed again: a cache
/// causes no error.
///
/// ```
/// use perftest_store::{Cache, Project};
///
/// # let root = std::env::temp_dir().join(format!("perftest-doc-cache-{}", std::process::id()));
/// let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
/// let cache = Cache::open(&root, &project);
/// cache.put(&["answer", "1"], "42");
/// assert_eq!(cache.get(&["answer", "1"]).as_deref(), Some("42"));
/// assert_eq!(cache.get(&["answer", "2"]), None);
/// # std::fs::remove_dir_all(root).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    directory: PathBuf,
    most_entries: usize,
}

impl Cache {
    /// Largest number of texts for a project.
    pub const MOST_ENTRIES: usize = 100;

    /// Returns the cache of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        let directory = Layout::new(root, project).cache();
        Self { directory, most_entries: Self::MOST_ENTRIES }
    }

    /// Returns the text under this key; `None` if there is none.
    pub fn get(&self, key: &[&str]) -> Option<String> {
        let text = read_stored_text(&self.file(key), MOST_BYTES).ok()?;
        let (digest, key_and_value) = text.cut('\n')?;
        let is_whole = digest == Digest::of_large_block(key_and_value.as_bytes()).hex16();
        let (found, value) = key_and_value.cut('\n').filter(|_| is_whole)?;
        // Two keys may share a digest, and then a file.
        (found == joined(key)).then(|| value.to_owned())
    }

    /// Stores a text under this key, and replaces an earlier one. Deletes the oldest texts when
    /// there are too many.
    pub fn put(&self, key: &[&str], value: &str) {
        let key_and_value = format!("{}\n{value}", joined(key));
        let digest = Digest::of_large_block(key_and_value.as_bytes()).hex16();
        let text = format!("{digest}\n{key_and_value}");
        if directory::replace_unsynced(&self.file(key), text.as_bytes()).is_ok() {
            self.prune();
        }
    }

    fn file(&self, key: &[&str]) -> PathBuf {
        self.directory.join(Digest::of_fields(key.iter().copied()).hex16())
    }

    fn prune(&self) {
        directory::remove_left_behind(&self.directory, &directory::is_unfinished);
        let dated = directory::entries(&self.directory).into_iter().filter_map(|path| {
            let modified = fs::symlink_metadata(&path).and_then(|it| it.modified()).ok()?;
            Some((modified, path))
        });
        let mut files: Vec<(SystemTime, PathBuf)> = dated.into_list();
        sort(&mut files);
        let beyond = files.len().saturating_sub(self.most_entries);
        for (_, path) in &files[..beyond] {
            // The next call tries again.
            let _ = fs::remove_file(path);
        }
    }
}

/// Joins a key to one line.
fn joined(key: &[&str]) -> String {
    key.iter().joined(SEPARATOR).replaced("\n", " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::scratch;
    use std::time::Duration;

    fn cache(directory: &Path, most_entries: usize) -> Cache {
        Cache { directory: directory.to_owned(), most_entries }
    }

    #[test]
    fn a_text_of_several_lines_comes_back_and_a_later_one_replaces_it() {
        let directory = scratch("cache-text");
        let cache = cache(&directory, 5);
        for text in ["", "one\ntwo\n\n", "three"] {
            cache.put(&["log", "f1"], text);
            assert_eq!(cache.get(&["log", "f1"]).as_deref(), Some(text));
        }
        assert_eq!(cache.get(&["log", "f2"]), None);
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_text_is_absent_wherever_the_damage_is() {
        let directory = scratch("cache-damage");
        let cache = cache(&directory, 5);
        cache.put(&["log", "f1"], "one\ntwo\n");
        let file = cache.file(&["log", "f1"]);
        let whole = fs::read(&file).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(&file, &damaged).unwrap();
            assert_eq!(cache.get(&["log", "f1"]), None, "changed at {place}");
            fs::write(&file, &whole[..place]).unwrap();
            assert_eq!(cache.get(&["log", "f1"]), None, "cut at {place}");
        }
    }

    #[test]
    fn another_keys_text_in_the_same_file_is_not_taken() {
        let directory = scratch("cache-shared");
        let cache = cache(&directory, 5);
        cache.put(&["log", "f1"], "one");
        fs::rename(cache.file(&["log", "f1"]), cache.file(&["log", "f2"])).unwrap();
        assert_eq!(cache.get(&["log", "f2"]), None);
    }

    #[test]
    fn the_oldest_texts_go_when_there_are_too_many() {
        let directory = scratch("cache-many");
        let cache = cache(&directory, 2);
        for (number, seconds_ago) in [("1", 30), ("2", 20), ("3", 10)] {
            cache.put(&[number], number);
            let file = fs::File::options().append(true).open(cache.file(&[number])).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).unwrap();
        }
        cache.put(&["4"], "4");
        let kept = ["1", "2", "3", "4"].map(|number| cache.get(&[number]).is_some());
        assert_eq!(kept, [false, false, true, true]);
    }

    #[test]
    fn a_place_that_cannot_be_written_keeps_nothing_and_is_no_error() {
        let root = scratch("cache-unwritable");
        fs::write(root.join("file"), "in the way").unwrap();
        let cache = Cache { directory: root.join("file"), most_entries: 5 };
        cache.put(&["log"], "one");
        assert_eq!(cache.get(&["log"]), None);
    }
}
