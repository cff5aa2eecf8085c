//! The interface to a place that many machines share.

use super::{RemoteError, whole_files};
use perftest_store::{
    AddedRecords, LinePage, LinesWanted, NewRecords, ReadPlace, Record, RecordFile, RecordFileName,
};

/// A place that keeps the files of records of one project for many machines.
///
/// Several machines may use the same place at once.
pub(crate) trait Remote: Send {
    /// Lists the files with their sizes, sorted by name. A place without this project has none.
    ///
    /// # Errors
    /// When the place cannot be reached or read.
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError>;

    /// Describes a place, such as a branch, that does not exist, and the push that makes it. `None` where it exists.
    /// Known after [`files`](Self::files).
    fn missing_place(&self) -> Option<String> {
        None
    }

    /// Returns the directories of other projects in a place, where they are known after [`files`](Self::files).
    fn other_projects(&self) -> Vec<String> {
        Vec::new()
    }

    /// Describes why a place that has no file any more may be another one than before. `None` where it is the same.
    fn other_place(&self) -> Option<String> {
        None
    }

    /// The address that this machine's settings give the place, without credentials, where the address of the remote
    /// leaves it to them; else empty.
    fn set_address(&self) -> String {
        String::new()
    }

    /// Reads the records behind a place of each wanted file, in the order of `wanted`. A file that cannot be
    /// read does not affect the others.
    ///
    /// # Errors
    /// When the place cannot be reached.
    fn read(&mut self, wanted: &[ReadRequest]) -> EachFile<NewRecords>;

    /// Reads lines for a command that answers from the remote, in the order of `wanted`. More lines than wanted
    /// are no error. A file that cannot be read does not affect the others. A place that can only be read from the
    /// start of a file returns all of its lines.
    ///
    /// # Errors
    /// When the place cannot be reached.
    fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
        whole_files::lines(wanted, |names| whole_files::read_whole(names, |files| self.read(files)))
    }

    /// Returns about how many bytes of records one call of [`add`](Self::add) gets. What it has added stays when a
    /// later call fails.
    fn most_bytes(&self) -> usize {
        4 << 20
    }

    /// Adds records to files, each once, in the order of `batches`. After `Ok` they survive a crash of this
    /// machine and of the remote. A file that cannot be written does not affect the others.
    ///
    /// # Errors
    /// When the place cannot be reached or written. Some records may have been added: adding them again
    /// changes nothing.
    fn add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords>;
}

/// A result for each file, in the order of the question, unless the place cannot be reached.
pub(crate) type EachFile<T> = Result<Vec<Result<T, RemoteError>>, RemoteError>;

/// A file to read, and the place up to which it was read before.
#[derive(Debug, Clone)]
pub(crate) struct ReadRequest {
    pub(crate) name: RecordFileName,
    pub(crate) place: ReadPlace,
}

/// Records to add to a file.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) name: RecordFileName,
    pub(crate) records: Vec<Record>,
}
