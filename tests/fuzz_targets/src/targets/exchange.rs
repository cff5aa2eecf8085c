//! Records that are copied between stores.

use super::history::{append_bytes, history_file, open, project};
use crate::scratch::in_empty_directory;
use perftest_store::conformance::example_run;
use perftest_store::{ReadPlace, Record, RecordFileName, RecordFiles, Store, StoreError};
use std::collections::BTreeSet;

/// Copies a history with the data in it to another store: each record once, however often it is copied.
pub(super) fn run(data: &[u8]) {
    names_stay_inside(data);
    in_empty_directory(|root| {
        let [here, there] = ["here", "there"].map(|name| root.join(name));
        open(&here).append(&example_run(0)).unwrap();
        let path = history_file(&here);
        append_bytes(&path, data);
        append_bytes(&path, b"\n");
        let [here, there] = [here, there].map(|root| RecordFiles::open(&root, &project()));
        let [file] = here.list().unwrap().try_into().unwrap();
        let new = match here.read(&file.name, &ReadPlace::default()) {
            Ok(new) => new,
            Err(StoreError::OtherVersion { .. }) => return,
            Err(error) => panic!("{error}"),
        };
        let added = there.add(&file.name, &new.records).unwrap();
        assert_eq!(added.added + added.known, new.records.len());
        assert_eq!(there.add(&file.name, &new.records).unwrap().added, 0);
        assert_eq!(there.insert(&file.name, new.records.clone()).unwrap().added, 0);
        let copied = there.read(&file.name, &ReadPlace::default()).unwrap();
        assert_eq!(copied.damaged, []);
        assert_eq!(copied.records.len(), added.added);
        let texts: BTreeSet<&str> = copied.records.iter().map(Record::text).collect();
        assert!(new.records.iter().all(|record| texts.contains(record.text())));
        assert!(here.read(&file.name, &new.place).unwrap().records.is_empty());
    });
}

/// A name that another machine sends never leads out of the directory of the project.
fn names_stay_inside(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for name in text.lines().filter_map(RecordFileName::parse) {
        let parts = name.as_str().split('/');
        assert!(parts.into_iter().all(|part| !part.is_empty() && !part.starts_with('.')), "{name}");
    }
}
