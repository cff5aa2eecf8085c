//! What a store and a remote have exchanged.

use crate::exit::Result;
use perftest_store::{
    Digest, Project, ReadPlace, RecordFileName, StoreError, act_alone, directory, read_stored_text,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The version of the file.
const VERSION: u64 = 1;
/// A larger file is none of ours.
const MOST_BYTES: u64 = 64 << 20;

/// The places up to which files were sent and received, and the histories that were received only in part. The places
/// only save work: a lost or an old state sends and receives records again, and no record is added twice.
#[derive(Debug)]
pub(crate) struct SyncState {
    path: PathBuf,
    places: Places,
    /// What was found out about histories since the file was read or written.
    found: BTreeMap<String, Extent>,
    /// Whether all records are received again, also runs that became parts of summaries.
    is_again: bool,
}

/// How much of a history was received.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// Runs between the first and the newest ones are missing.
    Cut,
    /// No run of the remote is missing.
    Whole,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Places {
    v: u64,
    /// The remote, for people.
    remote: String,
    /// The name of the project's files then.
    #[serde(default)]
    project: String,
    /// The address that the settings of the machine gave the remote, without credentials; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    set_address: String,
    /// Of the files of this store, with the size of the remote's file then.
    pushed: BTreeMap<String, (u64, String, u64)>,
    /// Of the files of the remote.
    pulled: BTreeMap<String, (u64, String)>,
    /// Histories of which this store lacks runs between the first and the newest ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    cut: BTreeSet<String>,
}

impl Places {
    /// Reads a file; `None` if it cannot be read.
    fn in_file(path: &Path) -> Option<Self> {
        let text = read_stored_text(path, MOST_BYTES).ok()?;
        serde_json::from_str(&text).ok().filter(|it: &Self| it.v == VERSION)
    }

    /// Reads the file of a remote. A file that cannot be read has no places. Nor has one that was written under another
    /// name of the project, as before it had an `origin`: under its present name the remote has nothing of it yet.
    fn read(path: &Path, remote: &str, project: &str) -> Self {
        let places = Self::in_file(path).filter(|it| it.remote == remote).unwrap_or_default();
        let is_of_project = places.project == project;
        let (pushed, pulled) =
            if is_of_project { (places.pushed, places.pulled) } else { Default::default() };
        Self {
            v: VERSION,
            remote: remote.to_owned(),
            project: project.to_owned(),
            pushed,
            pulled,
            ..places
        }
    }

    fn mark(&mut self, name: &str, extent: Extent) {
        match extent {
            Extent::Cut => self.cut.insert(name.to_owned()),
            Extent::Whole => self.cut.remove(name),
        };
    }
}

impl SyncState {
    /// Reads the state between the store at `root` and a remote. A file that cannot be read is an empty
    /// state.
    pub(crate) fn load(root: &Path, project: &Project, remote: &str) -> Self {
        let name = format!("{}.json", Digest::of(remote.as_bytes()).hex16());
        let path = project.directory(root).join("sync").join(name);
        let places = Places::read(&path, remote, &project.slug);
        Self::of(path, places)
    }

    fn of(path: PathBuf, places: Places) -> Self {
        Self { path, places, found: BTreeMap::new(), is_again: false }
    }

    /// Reads the states between the store at `root` and all its remotes.
    pub(crate) fn all(root: &Path, project: &Project) -> Vec<Self> {
        let entries = fs::read_dir(project.directory(root).join("sync")).into_iter().flatten();
        let paths = entries.flatten().map(|entry| entry.path());
        paths.filter_map(|path| Some(Self::of(path.clone(), Places::in_file(&path)?))).collect()
    }

    /// Marks the histories that are cut by the states `others`, of a store or a project whose records `project` in the
    /// store at `root` gets. Also those that were received here from their start: only the remote knows whether what is
    /// missing there came later.
    pub(crate) fn adopt_cuts(root: &Path, project: &Project, others: Vec<Self>) -> Result<()> {
        for there in others.into_iter().filter(|it| !it.places.cut.is_empty()) {
            let mut here = Self::load(root, project, there.remote());
            there.places.cut.iter().for_each(|name| here.mark(name, Extent::Cut));
            here.save()?;
        }
        Ok(())
    }

    /// The place in a file of this store up to which it was sent.
    pub(crate) fn place_sent(&self, name: &RecordFileName) -> ReadPlace {
        let sent = self.places.pushed.get(name.as_str()).cloned().unwrap_or_default();
        ReadPlace { end: sent.0, mark: sent.1 }
    }

    /// Moves the place in a file of this store whose lines have moved.
    pub(crate) fn move_place_sent(&mut self, name: &RecordFileName, place: ReadPlace) {
        if let Some(sent) = self.places.pushed.get_mut(name.as_str()) {
            (sent.0, sent.1) = (place.end, place.mark);
        }
    }

    /// Replaces the file: a crash leaves the old or the new one. What other processes have found out about other histories
    /// meanwhile stays; their places may be lost.
    pub(crate) fn save(&mut self) -> Result<()> {
        let replaced = act_alone(&self.path, || {
            let Places { remote, project, .. } = &self.places;
            self.places.cut = Places::read(&self.path, remote, project).cut;
            self.found.iter().for_each(|(name, extent)| self.places.mark(name, *extent));
            let text = serde_json::to_string(&self.places)?;
            directory::replace(&self.path, text.as_bytes())
        });
        replaced.map_err(|error| StoreError::writing(&self.path, error))?;
        self.found.clear();
        Ok(())
    }

    fn mark(&mut self, name: &str, extent: Extent) {
        self.places.mark(name, extent);
        self.found.insert(name.to_owned(), extent);
    }

    /// The address of the remote.
    pub(crate) fn remote(&self) -> &str {
        &self.places.remote
    }

    /// Returns whether only the first and the newest runs of a history were received.
    pub(crate) fn is_cut(&self, name: &RecordFileName) -> bool {
        self.places.cut.contains(name.as_str())
    }

    /// Sends and receives all records again, also runs that became parts of summaries. A history stays cut until its
    /// missing runs are received.
    pub(crate) fn begin_again(&mut self) {
        self.forget();
        self.is_again = true;
    }

    /// Forgets the places if the settings gave the remote another address before: that was another place.
    pub(crate) fn forget_unless_at(&mut self, set_address: String) {
        let before = std::mem::replace(&mut self.places.set_address, set_address);
        if !before.is_empty() && before != self.places.set_address {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.places.pushed.clear();
        self.places.pulled.clear();
    }

    /// Returns whether anything was sent or received.
    pub(super) fn has_places(&self) -> bool {
        !self.places.pushed.is_empty() || !self.places.pulled.is_empty()
    }

    pub(super) fn is_again(&self) -> bool {
        self.is_again
    }

    /// The place up to which a file of this store was sent to a remote whose file has this size now. A
    /// remote that has become smaller was lost or made again: then nothing was sent.
    pub(super) fn pushed(&self, name: &RecordFileName, remote_bytes: u64) -> ReadPlace {
        let pushed = self.places.pushed.get(name.as_str());
        let (end, mark, _) = pushed.filter(|it| it.2 <= remote_bytes).cloned().unwrap_or_default();
        ReadPlace { end, mark }
    }

    pub(super) fn set_pushed(
        &mut self,
        name: &RecordFileName,
        place: ReadPlace,
        remote_bytes: u64,
    ) {
        let place = (place.end, place.mark, remote_bytes);
        self.places.pushed.insert(name.as_str().to_owned(), place);
    }

    /// The place up to which a file of the remote was received.
    pub(super) fn pulled(&self, name: &RecordFileName) -> ReadPlace {
        let (end, mark) = self.places.pulled.get(name.as_str()).cloned().unwrap_or_default();
        ReadPlace { end, mark }
    }

    pub(super) fn set_pulled(&mut self, name: &RecordFileName, place: ReadPlace) {
        self.places.pulled.insert(name.as_str().to_owned(), (place.end, place.mark));
    }

    pub(super) fn set_cut(&mut self, name: &RecordFileName) {
        self.mark(name.as_str(), Extent::Cut);
    }

    /// Removes the mark of a history that lacks no run of the remote any more.
    pub(super) fn set_whole(&mut self, name: &RecordFileName) {
        self.mark(name.as_str(), Extent::Whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_there_again_and_a_damaged_file_is_an_empty_state() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let load = |remote| SyncState::load(root.path(), &project, remote);
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let place = ReadPlace { end: 7, mark: "00112233445566ff".into() };
        let mut state = load("dir:a");
        state.set_pushed(&name, place.clone(), 9);
        state.save().unwrap();
        assert_eq!((load("dir:a").pushed(&name, 9), load("dir:a").pulled(&name).end), (place, 0));
        assert_eq!(load("dir:b").pushed(&name, 9), ReadPlace::default());
        fs::write(&state.path, "{").unwrap();
        assert_eq!(load("dir:a").pushed(&name, 9), ReadPlace::default());
    }

    #[test]
    fn places_of_another_origin_do_not_count() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let place = ReadPlace { end: 7, mark: String::new() };
        let mut state = SyncState::load(root.path(), &project, "git:perf");
        state.set_pushed(&name, place.clone(), 9);
        state.set_pulled(&name, place);
        let ends = |state: &SyncState| (state.pushed(&name, 9).end, state.pulled(&name).end);
        // It was not known before.
        for address in ["example.org/team/codec", "example.org/team/codec"] {
            state.forget_unless_at(address.to_owned());
            assert_eq!(ends(&state), (7, 7));
        }
        state.forget_unless_at("example.org/fork/codec".to_owned());
        assert_eq!(ends(&state), (0, 0));
    }

    #[test]
    fn places_under_another_name_of_the_project_do_not_count_and_what_is_missing_here_does() {
        let root = tempfile::tempdir().unwrap();
        let [before, now] = ["codec", "example.org/team/codec"].map(Project::of_identity);
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let mut state = SyncState::load(root.path(), &before, "dir:a");
        state.set_pushed(&name, ReadPlace { end: 7, mark: String::new() }, 9);
        state.set_cut(&name);
        state.save().unwrap();
        // As the first command does after the project got an `origin`.
        fs::rename(before.directory(root.path()), now.directory(root.path())).unwrap();
        let mut state = SyncState::load(root.path(), &now, "dir:a");
        assert_eq!((state.has_places(), state.is_cut(&name)), (false, true));
        state.set_pushed(&name, ReadPlace { end: 5, mark: String::new() }, 5);
        state.save().unwrap();
        let state = SyncState::load(root.path(), &now, "dir:a");
        assert_eq!((state.pushed(&name, 5).end, state.is_cut(&name)), (5, true));
    }

    #[test]
    fn a_history_stays_cut_until_it_is_whole_also_where_all_is_received_again() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let load = || SyncState::load(root.path(), &project, "dir:a");
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let mut state = load();
        state.set_cut(&name);
        state.begin_again();
        state.save().unwrap();
        assert!(load().is_cut(&name));
        state.set_whole(&name);
        state.save().unwrap();
        assert!(!load().is_cut(&name));
    }

    #[test]
    fn what_two_processes_find_out_at_once_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let load = || SyncState::load(root.path(), &project, "dir:a");
        let name = RecordFileName::parse("events.jsonl").unwrap();
        // As `gc`, which has loaded the states before it collects.
        let save_places = |mut other: SyncState| {
            other.set_pushed(&name, ReadPlace { end: 7, mark: String::new() }, 9);
            other.move_place_sent(&name, ReadPlace { end: 5, mark: String::new() });
            other.save().unwrap();
            assert_eq!(load().place_sent(&name).end, 5);
        };
        let (mut one, other) = (load(), load());
        one.set_cut(&name);
        one.save().unwrap();
        save_places(other);
        assert!(load().is_cut(&name));
        let other = load();
        one.set_whole(&name);
        one.save().unwrap();
        save_places(other);
        assert!(!load().is_cut(&name));
        let mut other = load();
        other.set_cut(&name);
        other.save().unwrap();
        // What one has saved already is no news.
        one.save().unwrap();
        assert!(load().is_cut(&name));
    }

    #[test]
    fn a_remote_that_became_smaller_was_sent_nothing() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let mut state = SyncState::load(root.path(), &project, "dir:a");
        let name = RecordFileName::parse("events.jsonl").unwrap();
        state.set_pushed(&name, ReadPlace { end: 7, mark: String::new() }, 9);
        assert_eq!([8, 9, 10].map(|bytes| state.pushed(&name, bytes).end), [0, 7, 7]);
    }
}
