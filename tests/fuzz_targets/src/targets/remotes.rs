//! What remotes are, say and were sent.

use super::history::{append_bytes, history_file, open, project};
use crate::remote::clickhouse::{quoted, rewritten, row_values};
use crate::remote::git::files_in_tree;
use crate::remote::{Batch, ReadRequest, Remote, RemoteAddress, RemoteError, SyncState, lines_of};
use crate::scratch::in_empty_directory;
use perftest_store::conformance::example_run;
use perftest_store::{
    AddedRecords, LineStore, NewRecords, Query, ReadPlace, RecordFile, RecordFiles, Store,
    StoreError,
};
use std::fs;
use std::path::Path;

/// The remote of the states.
const ADDRESS: &str = "dir:/srv/perf";

/// A history is the same read from a store, and from a remote with its lines. What was sent is the beginning of a file;
/// what is read of a branch and of a place is the same when it is written again.
pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    text.lines().for_each(of_address);
    text.lines().for_each(of_mark);
    text.lines().for_each(of_row);
    of_branch(&text);
    in_empty_directory(|root| {
        of_state(&root.join("state"), data);
        of_lines(&root.join("lines"), data);
    });
}

/// A place that a remote gave is the same when it was written.
fn of_mark(mark: &str) {
    let place = rewritten(&ReadPlace { end: 7, mark: mark.to_owned() });
    assert_eq!(rewritten(&place), place);
}

fn of_row(row: &str) {
    of_values::<1>(row);
    of_values::<3>(row);
}

/// A row of a ClickHouse server has its values and none more. Written as literals they are read again as they were.
fn of_values<const VALUES: usize>(row: &str) {
    let Some(values) = row_values::<VALUES>(row) else { return };
    assert_eq!(row.split('\t').count(), VALUES, "{row:?}");
    // A literal may have a tab.
    let written = values.clone().map(|value| quoted(&value).replace('\t', "\\t"));
    assert_eq!(row_values(&written.join("\t")), Some(values), "{row:?}");
}

/// An address that is accepted is printed as it was given, and has no password.
fn of_address(text: &str) {
    let Ok(address) = text.parse::<RemoteAddress>() else { return };
    let printed = address.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&address), "{printed}");
    if let RemoteAddress::Postgres { url } | RemoteAddress::ClickHouse { url } = &address {
        let (_, place) = url.split_once("//").unwrap();
        let user = place.split_once('@').map_or("", |(user, _)| user);
        assert!(!user.contains(':') && !url.contains("password="), "{url}");
    }
}

/// Files in the answer of `git ls-tree` are those of the project.
fn of_branch(text: &str) {
    let Some(files) = files_in_tree(text, &project()) else { return };
    let line = |(file, blob): &(RecordFile, String)| {
        assert!(!blob.is_empty() && !blob.contains(char::is_whitespace), "{blob:?}");
        format!("100644 blob {blob} {}\tv1/{}/{}\0", file.bytes, project().slug, file.name)
    };
    let written: String = files.iter().map(line).collect();
    assert_eq!(files_in_tree(&written, &project()), Some(files));
}

/// The data is what a store remembers of a remote. A place in it is that of all records before, or none.
fn of_state(root: &Path, data: &[u8]) {
    let store = open(root);
    (0..3).for_each(|ordinal| store.append(&example_run(ordinal)).unwrap());
    let load = || SyncState::load(root, &project(), ADDRESS);
    load().save().unwrap();
    let directory = project().directory(root).join("sync");
    let file = fs::read_dir(directory).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, data).unwrap();
    let files = RecordFiles::open(root, &project());
    let [listed] = files.list().unwrap().try_into().unwrap();
    let place = load().place_sent(&listed.name);
    let all = files.read(&listed.name, &ReadPlace::default()).unwrap();
    let new = files.read(&listed.name, &place).unwrap();
    assert!(all.records.ends_with(&new.records), "{place:?}");
    assert_eq!(new.place, all.place);
    load().save().unwrap();
    assert_eq!(load().place_sent(&listed.name), place);
}

/// A remote with the files of a store.
struct StoreFiles(RecordFiles);

impl Remote for StoreFiles {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        Ok(self.0.list()?)
    }

    fn read(
        &mut self,
        wanted: &[ReadRequest],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError> {
        let read = |it: &ReadRequest| Ok(self.0.read(&it.name, &it.place)?);
        Ok(wanted.iter().map(read).collect())
    }

    fn add(&mut self, _: &[Batch]) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError> {
        Err(RemoteError::new("it is only read"))
    }
}

fn of_lines(root: &Path, data: &[u8]) {
    let (store, runs) = (open(root), [0, 1].map(example_run));
    store.append(&runs[0]).unwrap();
    append_bytes(&history_file(root), data);
    append_bytes(&history_file(root), b"\n");
    if store.append(&runs[1]).is_err() {
        return;
    }
    let files = StoreFiles(RecordFiles::open(root, &project()));
    let remote = LineStore::new(lines_of(Box::new(files)));
    for limit in [1, usize::MAX] {
        let query = Query { limit, ..Query::like(&runs[0]) };
        let here = match store.load(&query) {
            Ok(loaded) => loaded.value.runs,
            // A reader from the end may find what is readable before it comes to another version.
            Err(StoreError::OtherVersion { .. }) => return,
            Err(error) => panic!("{error}"),
        };
        let there = match remote.load(&query) {
            Ok(loaded) => loaded.value.runs,
            Err(_) if limit == 1 => continue,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(there, here);
    }
}
