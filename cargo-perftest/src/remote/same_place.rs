//! The place with which records were exchanged before.

use super::{Remote, RemoteError, SyncState};
use crate::exit::Result;
use perftest_store::RecordFile;

/// Lists the files of a remote.
///
/// # Errors
/// When the remote cannot be reached, or may be another place than before, such as a disk that is not mounted. What it
/// gets would count as sent, and what it lacks would be a project without a history.
pub(super) fn files_of_same_place(
    remote: &mut dyn Remote,
    state: &SyncState,
) -> Result<Vec<RecordFile>> {
    let files = remote.files()?;
    let is_suspect = files.is_empty() && state.has_places();
    match remote.other_place().filter(|_| is_suspect) {
        Some(why) => Err(RemoteError::new(why).into()),
        None => Ok(files),
    }
}
