//! Keeps good test executables, to be measured beside a slower one.

#[cfg(any(test, feature = "tool"))]
mod adoption;

use super::code::code_of_file;
use super::kept_executable::{KeptExecutable, Launch, description_file, packed_file};
use crate::owner::{Owner, create_private_directory};
use perftest_core::list::IntoList;
use perftest_core::order::sort_by;
use perftest_store::{Digest, Project, StoreError, directory, open_stored, read_stored_text};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Largest size of a description.
const MOST_DESCRIPTION_BYTES: u64 = 1 << 20;

/// The kept test executables of one project: compressed, each once. The least recently used one is
/// removed first.
///
/// This is a cache: the next good run keeps a lost executable again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executables {
    directory: PathBuf,
    /// Most executables of one test target.
    most_of_target: usize,
    /// Most compressed bytes in total.
    most_bytes: u64,
}

impl Executables {
    /// Largest number of executables of one test target. Tests of one target have different last
    /// good builds. With four, a library of 19 tests lost those of two tests within eight commits,
    /// and those tests then had no build to compare with.
    pub const MOST_OF_TARGET: usize = 16;
    /// Most compressed bytes of a project.
    pub const MOST_BYTES: u64 = 256 << 20;

    /// Returns the executables of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        Self {
            directory: project.directory(root).join("executables"),
            most_of_target: Self::MOST_OF_TARGET,
            most_bytes: Self::MOST_BYTES,
        }
    }

    /// Keeps `executable`, whose hash is `hash` ([`CodeState::executable`]) with the shared libraries that cargo built,
    /// for which the loader looks in `library_path`. A kept one only counts as used. Returns whether it was written now.
    ///
    /// Does not keep, without an error: a file larger than [`KeptExecutable::LARGEST_BYTES`]; one
    /// that was rebuilt since `hash` was computed; and any file while another process keeps one.
    ///
    /// [`CodeState::executable`]: perftest_core::model::CodeState::executable
    ///
    /// # Errors
    /// When `hash` is no digest, or the files cannot be read or written.
    pub fn keep(
        &self,
        executable: &Path,
        library_path: &[PathBuf],
        hash: &str,
        launch: &Launch,
    ) -> Result<bool, StoreError> {
        if self.renew(hash) {
            return Ok(false);
        }
        let reading = |error| StoreError::reading(executable, error);
        if fs::metadata(executable).map_err(reading)?.len() > KeptExecutable::LARGEST_BYTES {
            return Ok(false);
        }
        let Some(_lock) = self.lock()? else {
            return Ok(false);
        };
        let bytes = fs::read(executable).map_err(reading)?;
        if code_of_file(executable, library_path, None).map_err(reading)?.executable != hash {
            return Ok(false);
        }
        let kept = KeptExecutable::new(&self.directory, hash, &bytes, launch.clone());
        // The description comes last: if it exists, the bytes exist too.
        write(&packed_file(&self.directory, hash), &lz4_flex::block::compress(&bytes))?;
        write(&self.description(hash), kept.encode()?.as_bytes())?;
        self.prune(hash);
        Ok(true)
    }

    /// Returns the kept executable with this hash; `None` if it is not kept.
    ///
    /// # Errors
    /// When `hash` is no digest, or the description of the executable cannot be read.
    pub fn find(&self, hash: &str) -> Result<Option<KeptExecutable>, StoreError> {
        check_hash(hash)?;
        let path = self.description(hash);
        let text = match read_stored_text(&path, MOST_DESCRIPTION_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::reading(&path, error)),
        };
        match KeptExecutable::decode(&self.directory, &text) {
            Ok(kept) if kept.hash == hash => Ok(Some(kept)),
            Ok(_) => Err(StoreError::Unreadable { path, why: "it is of another one".to_owned() }),
            Err(error) => Err(StoreError::of_line(&path, error)),
        }
    }

    /// Makes an executable the most recently used one. Returns whether it is kept, with its bytes
    /// and a readable description. A file that is never run because others could have written it is
    /// not kept: the next good run replaces it.
    pub fn renew(&self, hash: &str) -> bool {
        let is_kept = self.is_kept(hash);
        if is_kept {
            self.set_last_use(hash, SystemTime::now());
        }
        is_kept
    }

    fn is_kept(&self, hash: &str) -> bool {
        let is_whole = matches!(self.find(hash), Ok(Some(kept)) if kept.packed_bytes() > 0);
        is_whole && !self.has_refused_file(hash)
    }

    fn set_last_use(&self, hash: &str, used: SystemTime) {
        if let Ok(file) = File::options().append(true).open(self.description(hash)) {
            // A read-only place keeps the old order.
            let _ = file.set_modified(used);
        }
    }

    /// Whether a file of this executable never runs, but a new one in its place would. In a directory
    /// that cannot be written, or is refused itself, there is no such one.
    fn has_refused_file(&self, hash: &str) -> bool {
        let Ok(owner) = Owner::of_process(&self.directory) else { return false };
        let files = [self.description(hash), packed_file(&self.directory, hash)];
        owner.check_directory(&self.directory).is_ok()
            && files.iter().any(|path| owner.open(path).is_err())
    }

    fn description(&self, hash: &str) -> PathBuf {
        description_file(&self.directory, hash)
    }

    /// Returns `None` while another process holds the lock.
    fn lock(&self) -> Result<Option<File>, StoreError> {
        let path = self.directory.join("lock");
        let writing = |error| StoreError::writing(&path, error);
        directory::create_durably(self.directory.parent().unwrap_or(Path::new("")))
            .and_then(|()| create_private_directory(&self.directory))
            .map_err(writing)?;
        let options = &mut File::options();
        let file = open_stored(&path, options.append(true).create(true)).map_err(writing)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(writing(error)),
        }
    }

    /// Removes executables beyond the limits, least recently used first, and never `newest`. Also
    /// removes files without a description. The next call retries what could not be removed.
    fn prune(&self, newest: &str) {
        let mut used = self.kept_by_last_use();
        sort_by(&mut used, &|(a, of_a), (b, of_b)| {
            (a.hash != newest).cmp(&(b.hash != newest)).then_with(|| of_b.cmp(of_a))
        });
        let (mut targets, mut bytes) = (Vec::<&str>::new(), 0);
        for (kept, _) in &used {
            let size = kept.packed_bytes();
            let of_target = targets.iter().count_where(|target| **target == kept.launch.target);
            let fits = of_target < self.most_of_target && bytes + size <= self.most_bytes;
            if fits || kept.hash == newest {
                targets.push(&kept.launch.target);
                bytes += size;
            } else {
                let _ = fs::remove_file(self.description(&kept.hash));
                let _ = fs::remove_file(packed_file(&self.directory, &kept.hash));
            }
        }
        self.remove_what_killed_processes_left();
    }

    /// Requires the lock: then no other process writes here.
    fn remove_what_killed_processes_left(&self) {
        let is_left = |path: &Path| {
            directory::is_unfinished(path)
                || has_extension(path, "tmp")
                || has_extension(path, "lz4") && !path.with_extension("json").is_file()
        };
        directory::remove_such(&self.directory, &is_left);
    }

    /// Returns the executables with a readable description, and the time of their last use.
    fn kept_by_last_use(&self) -> Vec<(KeptExecutable, SystemTime)> {
        let known = |path: PathBuf| {
            let hash = path.file_stem()?.to_str()?.to_owned();
            let modified = fs::metadata(&path).and_then(|it| it.modified()).ok()?;
            Some((self.find(&hash).ok()??, modified))
        };
        let mut entries = directory::entries(&self.directory);
        entries.retain(|path| has_extension(path, "json"));
        entries.into_iter().filter_map(known).into_list()
    }
}

/// Nothing that others can write ever runs, so the umask does not choose the mode.
fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    directory::replace_private(path, bytes).map_err(|error| StoreError::writing(path, error))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|it| it == extension)
}

/// Refuses text that is no digest, because a digest becomes part of a file name.
fn check_hash(hash: &str) -> Result<(), StoreError> {
    if Digest::is_hex16(hash) {
        return Ok(());
    }
    let why = format!("`{hash}` is no executable: that is 16 lower-case hex digits");
    Err(StoreError::Invalid { why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::time::Duration;

    /// Returns some bytes that hardly compress, as an executable with its digest.
    fn executable(directory: &Path, number: u64) -> (PathBuf, String) {
        let mut state = number + 1;
        let bytes: Vec<u8> = (0..4_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let path = directory.join(format!("program-{number}"));
        fs::write(&path, &bytes).unwrap();
        (path, Digest::of_large_block(&bytes).hex16())
    }

    fn limited(directory: &Path) -> Executables {
        Executables { directory: directory.to_owned(), most_of_target: 2, most_bytes: 10_000 }
    }

    /// Keeps the executable, and sets its last use to this many seconds ago.
    fn keep(store: &Executables, number: u64, target: &str, seconds_ago: u64) -> String {
        let (path, hash) = executable(&store.directory, number);
        let launch = Launch { target: target.into(), ..Launch::default() };
        assert!(store.keep(&path, &[], &hash, &launch).unwrap());
        let then = SystemTime::now() - Duration::from_secs(seconds_ago);
        let file = File::options().append(true).open(store.description(&hash)).unwrap();
        file.set_modified(then).unwrap();
        hash
    }

    fn kept(store: &Executables, hashes: &[&String]) -> Vec<bool> {
        hashes.iter().map(|hash| store.find(hash).unwrap().is_some()).collect()
    }

    #[test]
    fn of_a_target_the_one_used_longest_ago_goes_first() {
        let directory = scratch("target");
        let store = limited(&directory);
        let old = keep(&store, 1, "perf", 90);
        let used = keep(&store, 2, "perf", 100);
        assert!(store.renew(&used));
        let new = keep(&store, 3, "perf", 0);
        assert_eq!(kept(&store, &[&old, &used, &new]), [false, true, true]);
        assert!(!packed_file(&store.directory, &old).exists());
    }

    #[test]
    fn executables_of_another_store_are_copied_once_within_the_limits() {
        let directories = ["adopt", "adopt-other", "adopt-none"].map(scratch);
        let [store, other, empty] = directories.each_ref().map(|it| limited(it));
        let own = keep(&store, 1, "perf", 50);
        let [old, new] = [keep(&other, 2, "perf", 90), keep(&other, 3, "bench", 10)];
        // Two fit: those that were used last in either store.
        assert_eq!(store.adopt(&other).unwrap(), 1);
        assert_eq!(kept(&store, &[&own, &old, &new]), [true, false, true]);
        let copied = [&store, &other].map(|it| fs::read(packed_file(&it.directory, &new)).unwrap());
        assert_eq!(copied[0], copied[1]);
        assert_eq!((store.adopt(&other).unwrap(), store.adopt(&store).unwrap()), (0, 0));
        assert_eq!(store.adopt(&empty).unwrap(), 0);
    }

    #[test]
    fn an_executable_of_both_stores_counts_as_used_when_either_used_it_last() {
        let directories = ["adopt-used", "adopt-used-other", "adopt-used-third"].map(scratch);
        let [store, other, third] = directories.each_ref().map(|it| limited(it));
        let [oldest, shared] = [keep(&store, 1, "perf", 90), keep(&store, 2, "perf", 80)];
        let newest = keep(&other, 3, "perf", 10);
        [1, 2].into_iter().zip([90, 80]).for_each(|(number, ago)| {
            keep(&third, number, "perf", ago);
        });
        let used = |hash: &String| fs::metadata(store.description(hash)).unwrap().modified();
        let before = used(&shared).unwrap();
        assert_eq!((store.adopt(&other).unwrap(), store.adopt(&third).unwrap()), (1, 0));
        assert_eq!(kept(&store, &[&oldest, &shared, &newest]), [false, true, true]);
        assert!(used(&shared).unwrap() < before + Duration::from_secs(10));
        third.set_last_use(&shared, SystemTime::now());
        assert_eq!(store.adopt(&third).unwrap(), 0);
        assert!(used(&shared).unwrap() > before + Duration::from_secs(70));
    }

    #[test]
    fn no_target_takes_the_place_of_another_before_the_bytes_are_used_up() {
        let directory = scratch("bytes");
        let store = limited(&directory);
        let first = keep(&store, 1, "a", 30);
        let second = keep(&store, 2, "b", 20);
        assert_eq!(kept(&store, &[&first, &second]), [true, true]);
        let third = keep(&store, 3, "c", 10);
        assert_eq!(kept(&store, &[&first, &second, &third]), [false, true, true]);
    }

    #[test]
    fn the_newest_is_kept_though_it_is_larger_than_all_may_be_together() {
        let directory = scratch("alone");
        let store = Executables { most_bytes: 100, ..limited(&directory) };
        let first = keep(&store, 1, "a", 30);
        let second = keep(&store, 2, "a", 20);
        assert_eq!(kept(&store, &[&first, &second]), [false, true]);
    }

    #[test]
    fn what_a_killed_process_left_goes_when_the_next_is_kept() {
        let directory = scratch("strays");
        let store = limited(&directory);
        let strays = ["1.lz4.7-0.perftest-unfinished", "0123456789abcdef.lz4"];
        let strays = strays.map(|name| store.directory.join(name));
        strays.iter().for_each(|path| fs::write(path, "left").unwrap());
        let hash = keep(&store, 1, "a", 0);
        assert!(strays.iter().all(|path| !path.exists()));
        assert_eq!(kept(&store, &[&hash]), [true]);
    }

    #[test]
    fn while_another_process_keeps_one_nothing_is_kept() {
        let directory = scratch("busy");
        let store = limited(&directory);
        let (path, hash) = executable(&store.directory, 1);
        let held = store.lock().unwrap();
        assert!(!store.keep(&path, &[], &hash, &Launch::default()).unwrap());
        drop(held);
        assert!(store.keep(&path, &[], &hash, &Launch::default()).unwrap());
    }
}
