//! A store that lives as long as its test.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files of a store by their paths in it.
pub type StoreFiles = BTreeMap<PathBuf, Vec<u8>>;

/// A directory for the history of one end-to-end test, removed when dropped.
#[derive(Debug)]
pub struct TempStore {
    directory: TempDir,
}

impl TempStore {
    /// An empty one.
    ///
    /// # Panics
    /// When no temporary directory can be made.
    #[expect(clippy::new_without_default, reason = "making a directory is no default value")]
    pub fn new() -> Self {
        Self { directory: TempDir::new().expect("a temporary directory can be made") }
    }

    /// What `PERFTEST_STORE` is set to.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes it empty again.
    ///
    /// # Panics
    /// When something in it cannot be removed.
    pub fn clear(&self) {
        let emptied = fs::remove_dir_all(self.path()).and_then(|()| fs::create_dir(self.path()));
        emptied.unwrap_or_else(|error| panic!("{}: {error}", self.path().display()));
    }

    /// Its files.
    ///
    /// # Panics
    /// When one cannot be read.
    pub fn files(&self) -> StoreFiles {
        let content = |file: PathBuf| {
            let bytes =
                fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let path = file.strip_prefix(self.path()).expect("it is below the store").to_owned();
            (path, bytes)
        };
        files_below(self.path()).into_iter().map(content).collect()
    }

    /// Gives it these files and no others.
    ///
    /// # Panics
    /// When one cannot be written.
    pub fn fill(&self, files: &StoreFiles) {
        self.clear();
        for (path, bytes) in files {
            let path = self.path().join(path);
            let directory = path.parent().expect("a file is in a directory");
            let written = fs::create_dir_all(directory).and_then(|()| fs::write(&path, bytes));
            written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }

    /// Removes the executables that are kept to be compared with.
    pub fn forget_executables(&self) {
        let mut files = files_below(self.path());
        files.retain(|file| file.components().any(|it| it.as_os_str() == "executables"));
        for file in files {
            fs::remove_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }

    /// All history files, sorted.
    pub fn histories(&self) -> Vec<PathBuf> {
        let mut files = files_below(self.path());
        files.retain(|file| {
            file.extension().is_some_and(|it| it == "jsonl")
                && file.components().any(|it| it.as_os_str() == "runs")
        });
        files.sort();
        files
    }

    /// The history file of the test whose function has this name.
    ///
    /// # Panics
    /// When there is none, or more than one.
    #[track_caller]
    pub fn history(&self, function: &str) -> PathBuf {
        let mut found = self.histories_of(function);
        assert_eq!(found.len(), 1, "histories of {function}: {:?}", self.histories());
        found.remove(0)
    }

    /// The records of the test whose function has this name, oldest first.
    ///
    /// # Panics
    /// When there is no such history.
    #[track_caller]
    pub fn records(&self, function: &str) -> Vec<String> {
        let text = fs::read_to_string(self.history(function)).expect("a history can be read");
        text.lines().map(str::to_owned).collect()
    }

    /// The records of the test whose function has this name in all its series: one series after
    /// the other, oldest first in each.
    ///
    /// # Panics
    /// When a history cannot be read.
    #[track_caller]
    pub fn records_of_all_series(&self, function: &str) -> Vec<Value> {
        self.histories_of(function).iter().flat_map(|file| values(file)).collect()
    }

    /// Returns those that count for the baseline: a run that was disturbed from start to end does not.
    ///
    /// # Panics
    /// When a history cannot be read.
    #[track_caller]
    pub fn baseline_runs(&self, function: &str) -> Vec<Value> {
        let mut records = self.records_of_all_series(function);
        records.retain(|record| record["counts_for_baseline"] == true);
        records
    }

    /// The newest record with a verdict of the test whose function has this name, in all its
    /// series: a fresh process of a confirmation has none of its own.
    ///
    /// # Panics
    /// When there is none, or a history cannot be read.
    #[track_caller]
    pub fn newest(&self, function: &str) -> Value {
        let mut records = self.records_of_all_series(function);
        records.retain(|record| !record["verdict"].is_null());
        let newest = records.into_iter().max_by_key(|it| it["id"].as_str().map(str::to_owned));
        newest.unwrap_or_else(|| panic!("no verdict on {function} in {:?}", self.histories()))
    }

    /// The last judged run of each series in the newest session, whatever else stands in the files.
    ///
    /// # Panics
    /// When a history cannot be read.
    #[track_caller]
    pub fn newest_judged(&self) -> Vec<Value> {
        let id = |record: &Value| record["id"].as_str().map(str::to_owned);
        let newest_of = |history: PathBuf| {
            let text = fs::read_to_string(history).expect("a history can be read");
            let records = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            records.filter(|record: &Value| !record["verdict"].is_null()).max_by_key(id)
        };
        let mut newest: Vec<Value> = self.histories().into_iter().filter_map(newest_of).collect();
        let session =
            newest.iter().max_by_key(|&record| id(record)).map(|it| it["session"].clone());
        newest.retain(|record| Some(&record["session"]) == session.as_ref());
        newest
    }

    /// Whether no series began because the machine went on at another speed than before.
    ///
    /// # Panics
    /// When a history cannot be read.
    #[track_caller]
    pub fn is_of_one_speed(&self) -> bool {
        let is_of_other = |record: &Value| {
            record["testbed"].as_str().is_some_and(|testbed| testbed.contains('@'))
        };
        !self.histories().iter().flat_map(|file| values(file)).any(|record| is_of_other(&record))
    }

    /// Changes each record of the test whose function has this name.
    ///
    /// # Panics
    /// When there is not exactly one history of it, or it cannot be read or written.
    #[track_caller]
    pub fn rewrite(&self, function: &str, mut change: impl FnMut(&mut Value)) {
        let file = self.history(function);
        let mut records = values(&file);
        records.iter_mut().for_each(&mut change);
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(&file, lines).expect("a history can be written");
    }

    fn histories_of(&self, function: &str) -> Vec<PathBuf> {
        let ending = format!("-{function}.");
        let mut found = self.histories();
        found.retain(|file| {
            file.file_name().is_some_and(|name| name.to_string_lossy().contains(&ending))
        });
        found
    }
}

#[track_caller]
fn values(history: &Path) -> Vec<Value> {
    let text = fs::read_to_string(history).expect("a history can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

/// All files below a directory; none when there is no such directory.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() { files_below(&path) } else { vec![path] }
        })
        .collect()
}
