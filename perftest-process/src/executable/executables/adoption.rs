//! Takes executables over from another store, for the tool.

use super::{Executables, packed_file, write};
use perftest_store::{StoreError, WaitedTime, open_stored};
use std::fs::{self, File};
use std::io::Read;
use std::thread;
use std::time::Duration;

/// Longest wait for a process that keeps an executable: it packs and writes one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Executables {
    /// Copies the executables of the same project in another store that are not kept here, within the
    /// limits of all. Each counts as used when either store used it last. Returns how many were added. Waits while another process keeps one: the caller may remove the
    /// other store behind it.
    ///
    /// # Errors
    /// When they cannot be read or written, or the other process does not end within half a minute.
    pub fn adopt(&self, other: &Self) -> Result<usize, StoreError> {
        let mut kept = other.kept_by_last_use();
        kept.retain(|(it, used)| {
            let is_kept = self.is_kept(&it.hash);
            let here = fs::metadata(self.description(&it.hash)).and_then(|file| file.modified());
            if is_kept && here.is_ok_and(|here| here < *used) {
                self.set_last_use(&it.hash, *used);
            }
            !is_kept
        });
        if kept.is_empty() {
            return Ok(0);
        }
        let _lock = self.lock_within(LONGEST_WAIT)?;
        for (it, used) in &kept {
            for (from, to) in [
                (packed_file(&other.directory, &it.hash), packed_file(&self.directory, &it.hash)),
                (other.description(&it.hash), self.description(&it.hash)),
            ] {
                let reading = |error| StoreError::reading(&from, error);
                let mut file = open_stored(&from, File::options().read(true)).map_err(reading)?;
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(reading)?;
                write(&to, &bytes)?;
            }
            self.set_last_use(&it.hash, *used);
        }
        self.prune("");
        let stayed = kept.iter().filter(|(it, _)| matches!(self.find(&it.hash), Ok(Some(_))));
        Ok(stayed.count())
    }

    /// Waits for the lock.
    fn lock_within(&self, longest: Duration) -> Result<File, StoreError> {
        const PAUSE: Duration = Duration::from_millis(5);
        let mut waited = WaitedTime::start();
        loop {
            if let Some(lock) = self.lock()? {
                return Ok(lock);
            }
            if waited.until_now() >= longest {
                let seconds = longest.as_secs();
                let why = format!(
                    "another process has held its lock for {seconds} s; end that process and run again"
                );
                return Err(StoreError::Locked { path: self.directory.join("lock"), why });
            }
            thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executable::kept_executable::Launch;
    use perftest_store::conformance::scratch;
    use perftest_store::{Digest, Project};
    use std::path::Path;

    /// Two stores, of which the second one keeps an executable.
    fn stores(root: &Path) -> [Executables; 2] {
        let stores = ["one", "other"].map(|it| Executables::open(root, &Project::of_identity(it)));
        let (program, bytes) = (root.join("program"), [7; 4_000]);
        fs::write(&program, bytes).unwrap();
        let hash = Digest::of_large_block(&bytes).hex16();
        assert!(stores[1].keep(&program, &[], &hash, &Launch::default()).unwrap());
        stores
    }

    #[test]
    fn none_is_left_out_because_another_process_keeps_one() {
        let root = scratch("adopt-busy");
        let [store, other] = stores(&root);
        let held = store.lock().unwrap();
        assert!(held.is_some());
        let adopted = thread::scope(|scope| {
            let adopted = scope.spawn(|| store.adopt(&other));
            thread::sleep(Duration::from_millis(50));
            drop(held);
            adopted.join().unwrap()
        });
        assert_eq!(adopted.unwrap(), 1);
    }

    #[test]
    fn a_lock_that_is_never_released_is_an_error() {
        let root = scratch("adopt-held");
        let [store, _] = stores(&root);
        let _held = store.lock().unwrap();
        let refused = store.lock_within(Duration::ZERO).unwrap_err().to_string();
        assert!(refused.contains("another process has held its lock"), "{refused}");
    }
}
