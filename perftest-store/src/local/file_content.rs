//! The content of a file with records, in memory.

use super::add_records::{AddedRecords, missing_in};
use super::append::is_readable;
use super::record::{ReadPlace, Record, is_place_in, place_in};
use super::record_file_name::RecordFileName;
use super::record_files::{NewRecords, lines_behind, record_of_text};
use crate::StoreError;
use std::io::Cursor;
use std::path::PathBuf;

/// The content of a file that is in no store of this machine, such as one in a branch of git.
///
/// ```
/// use perftest_store::{FileContent, ReadPlace, RecordFileName};
///
/// let name = RecordFileName::parse("events.jsonl").unwrap();
/// let line = "{\"kind\":\"novelty\",\"v\":1}\n";
/// let content = FileContent::new(name.clone(), "branch:events.jsonl".into(), line.into());
/// let records = content.read(&ReadPlace::default())?.records;
/// let mut other = FileContent::new(name, "other:events.jsonl".into(), Vec::new());
/// assert_eq!(other.add(&records)?.added, 1);
/// assert_eq!(other.bytes(), content.bytes());
/// # Ok::<(), perftest_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct FileContent {
    name: RecordFileName,
    /// Where it is, for messages.
    place: PathBuf,
    bytes: Vec<u8>,
}

impl FileContent {
    /// Creates the content of a file; empty if there is no such file. Messages name the file by `place`.
    pub fn new(name: RecordFileName, place: PathBuf, bytes: Vec<u8>) -> Self {
        Self { name, place, bytes }
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads records as [`RecordFiles::read`](crate::RecordFiles::read) does.
    ///
    /// # Errors
    /// When the file was written in another version of the format.
    pub fn read(&self, place: &ReadPlace) -> Result<NewRecords, StoreError> {
        let is_known = is_place_in(&self.bytes, place);
        if self.name.has_lines() {
            let begin = if is_known { place.clone() } else { ReadPlace::default() };
            return lines_behind(&self.place, &mut Cursor::new(&self.bytes), begin);
        }
        if is_known && place.end > 0 || self.bytes.is_empty() {
            return Ok(NewRecords { place: place.clone(), ..NewRecords::default() });
        }
        let text = std::str::from_utf8(&self.bytes).unwrap_or_default();
        Ok(record_of_text(&self.place, text, place_in(&self.bytes, self.bytes.len() as u64)))
    }

    /// Adds records as [`RecordFiles::add`](crate::RecordFiles::add) does.
    ///
    /// # Errors
    /// When the file was written in another version of the format.
    pub fn add(&mut self, records: &[Record]) -> Result<AddedRecords, StoreError> {
        let begin = self.bytes.len() as u64;
        let added =
            if self.name.has_lines() { self.add_lines(records)? } else { self.add_text(records) };
        let known = records.len() - added;
        let place = place_in(&self.bytes, self.bytes.len() as u64);
        Ok(AddedRecords { added, known, begin, place })
    }

    fn add_lines(&mut self, records: &[Record]) -> Result<usize, StoreError> {
        for line in self.bytes.rsplit(|byte| *byte == b'\n') {
            match is_readable(line) {
                Ok(true) => break,
                Ok(false) => {}
                Err(version) => {
                    return Err(StoreError::OtherVersion { path: self.place.clone(), version });
                }
            }
        }
        let new = missing_in(&self.bytes, records);
        // A line without its end is not finished.
        if !new.is_empty() && self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.push(b'\n');
        }
        for record in &new {
            self.bytes.extend_from_slice(record.text().as_bytes());
            self.bytes.push(b'\n');
        }
        Ok(new.len())
    }

    /// Writes a whole small file once.
    fn add_text(&mut self, records: &[Record]) -> usize {
        match records {
            [record, ..] if self.bytes.is_empty() => {
                self.bytes = record.text().into();
                1
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example_run::example_run;
    use crate::local::scratch;
    use crate::{JsonlStore, Project, RecordFiles, Store};
    use std::fs;

    /// A store with two runs, its files, and the name of the history.
    fn store(name: &str) -> (crate::local::ScratchDirectory, RecordFiles, RecordFileName) {
        let root = scratch(name);
        let project = Project::of_identity("example.org/team/codec");
        let store = JsonlStore::open(&root, &project);
        (1..=2).for_each(|ordinal| store.append(&example_run(ordinal)).unwrap());
        let files = RecordFiles::open(&root, &project);
        let name = files.list().unwrap().remove(0).name;
        (root, files, name)
    }

    fn content(name: &RecordFileName, bytes: &[u8]) -> FileContent {
        FileContent::new(name.clone(), "branch:file".into(), bytes.to_vec())
    }

    #[test]
    fn a_content_is_read_and_extended_as_a_file_is() {
        let (_root, files, name) = store("content-file");
        let path = files.path(&name);
        let whole = fs::read(&path).unwrap();
        let records = files.read(&name, &ReadPlace::default()).unwrap().records;
        let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for begin in
            [&b""[..], &whole[..first_line], &whole[..whole.len() - 1], b"garbage\n", b"{\"v\":1"]
        {
            fs::write(&path, begin).unwrap();
            let mut content = content(&name, begin);
            let [there, here] =
                [files.read(&name, &ReadPlace::default()), content.read(&ReadPlace::default())]
                    .map(|new| new.unwrap());
            assert_eq!((&here.records, &here.place), (&there.records, &there.place));
            let lines = |new: &NewRecords| new.damaged.iter().map(|it| it.line).collect::<Vec<_>>();
            assert_eq!(lines(&here), lines(&there));
            let [there, here] =
                [files.add(&name, &records), content.add(&records)].map(|it| it.unwrap());
            assert_eq!(
                (here.added, here.known, here.begin, &here.place),
                (there.added, there.known, there.begin, &there.place)
            );
            assert_eq!(content.bytes(), fs::read(&path).unwrap());
            assert_eq!(content.add(&records).unwrap().added, 0);
            assert_eq!(content.read(&here.place).unwrap().place, here.place);
        }
    }

    #[test]
    fn a_content_of_another_version_is_left_as_it_is() {
        let (_root, files, name) = store("content-version");
        let records = files.read(&name, &ReadPlace::default()).unwrap().records;
        let mut later = content(&name, b"{\"v\":200}\n");
        for refused in [later.read(&ReadPlace::default()).map(drop), later.add(&records).map(drop)]
        {
            assert!(matches!(refused, Err(StoreError::OtherVersion { version: 200, .. })));
        }
        assert_eq!(later.bytes(), b"{\"v\":200}\n");
    }

    #[test]
    fn a_whole_small_file_is_written_once() {
        let name = RecordFileName::parse("contexts/0123456789abcdef.json").unwrap();
        let text = "{\"rustc\":\"1.95\"}\n";
        let record = Record::of_text(&name, text, None).unwrap();
        let mut file = content(&name, b"");
        let added: Vec<usize> =
            (0..2).map(|_| file.add(std::slice::from_ref(&record)).unwrap().added).collect();
        assert_eq!((added, file.bytes()), (vec![1, 0], text.as_bytes()));
        let read = file.read(&ReadPlace::default()).unwrap();
        assert_eq!(read.records, [record]);
        assert!(file.read(&read.place).unwrap().records.is_empty());
        let damaged = content(&name, b"{").read(&ReadPlace::default()).unwrap();
        assert_eq!((damaged.records.len(), damaged.damaged.len()), (0, 1));
    }
}
