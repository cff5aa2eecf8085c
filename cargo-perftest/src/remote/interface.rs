//! The interface to a place that many machines share.

use super::RemoteError;
use perftest_store::{AddedRecords, NewRecords, ReadPlace, Record, RecordFile, RecordFileName};

/// A place that keeps the files of records of one project for many machines.
///
/// Several machines may use the same place at once.
pub(crate) trait Remote {
    /// Lists the files with their sizes, sorted by name. A place without this project has none.
    ///
    /// # Errors
    /// When the place cannot be reached or read.
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError>;

    /// Reads the records behind a place of each wanted file, in the order of `wanted`. A file that cannot be
    /// read does not affect the others.
    ///
    /// # Errors
    /// When the place cannot be reached.
    fn read(
        &mut self,
        wanted: &[Wanted],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError>;

    /// Adds records to files, each once, in the order of `batches`. After `Ok` they survive a crash of this
    /// machine and of the remote. A file that cannot be written does not affect the others.
    ///
    /// # Errors
    /// When the place cannot be reached or written. Some records may have been added: adding them again
    /// changes nothing.
    fn add(
        &mut self,
        batches: &[Batch],
    ) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError>;
}

/// A file to read, and the place up to which it was read before.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) name: RecordFileName,
    pub(crate) place: ReadPlace,
}

/// Records to add to a file.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) name: RecordFileName,
    pub(crate) records: Vec<Record>,
}
