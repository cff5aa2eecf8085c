//! Takes executables over from another store, for the tool.

use super::{Executables, packed_file, write};
use perftest_store::{StoreError, open_stored};
use std::fs::File;
use std::io::Read;

impl Executables {
    /// Copies the executables of the same project in another store that are not kept here, within the
    /// limits of all. Returns how many were added; none while another process keeps one.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn adopt(&self, other: &Self) -> Result<usize, StoreError> {
        let mut kept = other.kept_by_last_use();
        kept.retain(|(it, _)| !self.renew(&it.hash));
        if kept.is_empty() {
            return Ok(0);
        }
        let Some(_lock) = self.lock()? else {
            return Ok(0);
        };
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
            if let Ok(file) = File::options().append(true).open(self.description(&it.hash)) {
                // Without its time it counts as used now.
                let _ = file.set_modified(*used);
            }
        }
        self.prune("");
        let stayed = kept.iter().filter(|(it, _)| matches!(self.find(&it.hash), Ok(Some(_))));
        Ok(stayed.count())
    }
}
