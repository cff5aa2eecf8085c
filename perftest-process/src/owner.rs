//! Checks that only the user of this process could have written a file.
//!
//! The check precedes the execution of a stored file, and the use of a place that users share. It
//! does nothing on systems other than unix: there a user's directories are private unless shared.

use perftest_store::{StoreError, open_stored};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The mode bits that let others write a file.
#[cfg(unix)]
const WRITE_BY_OTHERS: u32 = 0o022;

/// The user of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    #[cfg(unix)]
    user: u32,
}

impl Owner {
    /// Returns the owner of a file that this process has just created.
    pub(crate) fn of_created(file: &File) -> io::Result<Self> {
        #[cfg(unix)]
        return Ok(Self { user: std::os::unix::fs::MetadataExt::uid(&file.metadata()?) });
        #[cfg(not(unix))]
        file.metadata().map(|_| Self {})
    }

    /// Returns the user of this process. Creates a file in `directory` to find out, and removes it.
    pub(crate) fn of_process(directory: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("perftest-{}-{count}.tmp", std::process::id()));
        let file = File::create_new(&path)?;
        // A file that stays behind is empty.
        let _ = fs::remove_file(&path);
        Self::of_created(&file)
    }

    /// The name of the user's own directory beside those of other users.
    pub(crate) fn directory_name(self) -> String {
        #[cfg(unix)]
        return format!("perftest-{}", self.user);
        #[cfg(not(unix))]
        "perftest".to_owned()
    }

    /// Why a directory is not trusted: it is a link, belongs to another user, or others can write
    /// it.
    pub(crate) fn refusal_of_directory(self, path: &Path) -> io::Result<Option<String>> {
        let metadata = fs::symlink_metadata(path)?;
        if metadata.is_dir() {
            return Ok(self.refusal(path, &metadata));
        }
        Ok(Some("it is no directory itself, but perhaps a link to one".to_owned()))
    }

    /// Refuses an untrusted directory.
    ///
    /// # Errors
    /// [`StoreError::Untrusted`], or when the directory cannot be read.
    pub(crate) fn check_directory(self, path: &Path) -> Result<(), StoreError> {
        let refusal =
            self.refusal_of_directory(path).map_err(|error| StoreError::reading(path, error))?;
        refusal.map_or(Ok(()), |why| Err(untrusted(path, why)))
    }

    /// Opens a regular file for reading. Refuses a link, and a file that belongs to another user or
    /// that others can write.
    ///
    /// # Errors
    /// [`StoreError::Untrusted`], or when the file cannot be read.
    pub(crate) fn open(self, path: &Path) -> Result<File, StoreError> {
        let file = open_stored(path, File::options().read(true));
        let file = file.map_err(|error| StoreError::reading(path, error))?;
        let metadata = file.metadata().map_err(|error| StoreError::reading(path, error))?;
        self.refusal(path, &metadata).map_or(Ok(file), |why| Err(untrusted(path, why)))
    }

    #[cfg(unix)]
    fn refusal(self, path: &Path, metadata: &Metadata) -> Option<String> {
        use std::os::unix::fs::MetadataExt;
        let (user, mode) = (metadata.uid(), metadata.mode() & 0o7777);
        if user != self.user {
            return Some(format!(
                "it belongs to user {user}, and this process runs as user {}",
                self.user
            ));
        }
        let is_open = mode & WRITE_BY_OTHERS != 0;
        is_open.then(|| {
            format!("others can write it (mode {mode:o}): chmod go-w '{}'", path.display())
        })
    }

    #[cfg(not(unix))]
    fn refusal(self, _: &Path, _: &Metadata) -> Option<String> {
        None
    }
}

fn untrusted(path: &Path, why: String) -> StoreError {
    StoreError::Untrusted { path: path.to_owned(), why }
}

/// Creates a directory that no other user can enter, unless it exists. Its parent must exist.
///
/// # Errors
/// Those of the system.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only there it has a mode"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}
