//! Receives the new records of a remote.

use super::baseline_runs::MergedCode;
use super::exchange_result::ExchangeResult;
use super::newest_runs::{self, NewestRuns};
use super::same_place::files_of_same_place;
use super::{ReadRequest, Remote, SyncState};
use crate::args::ScopeOptions;
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use crate::report::{histories, progress};
use crate::testbed::Testbed;
use perftest_store::{NewRecords, Project, RecordFile, RecordFileName, RecordFiles, Testbeds};
use std::collections::HashSet;

/// Most bytes that are received together, unless one file has more.
const MOST_BYTES: u64 = 32 << 20;
/// Most files that are received together.
const MOST_FILES: usize = 500;

/// Which files are received. Decisions, rules and contexts always are: they are small.
#[derive(Debug, Default)]
pub(crate) struct PullScope {
    /// Only histories of this testbed and of those that share its history, at any speed; `None` for all.
    pub(crate) testbed: Option<String>,
    /// Only histories of tests with one of these parts in their names; all if empty.
    pub(crate) tests: Vec<String>,
    /// Only so many of the newest runs of a history that was never received; `None` for all.
    pub(crate) newest: Option<usize>,
    /// Only runs, for display.
    pub(crate) is_show_only: bool,
}

impl PullScope {
    /// The histories that the command line asks for.
    pub(crate) fn of(options: &ScopeOptions) -> Self {
        let of_this_machine = || Testbed::of_this_machine().name();
        let testbed = options.testbed.clone().unwrap_or_else(of_this_machine);
        let testbed = (!options.all).then_some(testbed);
        Self { testbed, tests: options.tests.clone(), newest: options.newest, is_show_only: false }
    }

    /// The testbeds of the histories; `None` for all.
    fn testbeds(&self, testbeds: &Testbeds) -> Option<Vec<String>> {
        self.testbed.as_ref().map(|testbed| {
            let mut members = testbeds.members_of(testbed);
            // The fingerprint of this machine may have no history yet.
            members.push(testbed.clone());
            members
        })
    }

    fn includes(&self, name: &RecordFileName, testbeds: Option<&[String]>) -> bool {
        (!self.is_show_only || name.is_history())
            && testbeds.is_none_or(|all| all.iter().any(|testbed| name.is_of_testbed(testbed)))
            && self.names(name)
    }

    fn names(&self, name: &RecordFileName) -> bool {
        self.tests.is_empty() || self.tests.iter().any(|part| name.is_of_test(part))
    }
}

/// What a remote has, whether it was received or not.
#[derive(Debug, Default)]
pub(super) struct Offer {
    /// Files of this project.
    files: usize,
    /// Histories of the wanted testbed.
    histories: usize,
    /// Those of the named tests.
    named: usize,
    /// Histories of all testbeds.
    all_histories: usize,
}

impl Offer {
    fn of(files: &[RecordFile], scope: &PullScope, testbeds: Option<&[String]>) -> Self {
        let histories = || files.iter().filter(|file| file.name.is_history());
        let is_of = |name: &RecordFileName, all: &[String]| {
            all.iter().any(|testbed| name.is_of_testbed(testbed))
        };
        let is_wanted = |file: &&RecordFile| testbeds.is_none_or(|all| is_of(&file.name, all));
        Self {
            files: files.len(),
            histories: histories().filter(is_wanted).count(),
            named: histories().filter(is_wanted).filter(|file| scope.names(&file.name)).count(),
            all_histories: histories().count(),
        }
    }

    /// Describes why nothing of this testbed or of these tests can be received in `project`. Where the remote has no file
    /// of it, `other_projects` finds the directories of others, which takes time.
    pub(super) fn note(
        &self,
        scope: &PullScope,
        project: &Project,
        other_projects: impl FnOnce() -> Vec<String>,
    ) -> Option<String> {
        if self.files == 0 {
            let none = "has no history of this project yet";
            let mut namesakes = other_projects();
            namesakes.retain(|other| is_namesake(other, &project.slug));
            return Some(match namesakes.join(", ").as_str() {
                "" => none.to_owned(),
                names => format!(
                    "{none}, but of {names}: if both are one repository, write `origin` here as it is written there"
                ),
            });
        }
        if self.histories > 0 && self.named == 0 {
            let names: Vec<String> = scope.tests.iter().map(|part| format!("`{part}`")).collect();
            return Some(format!(
                "has no test with {} in its name; without a name it has {}",
                names.join(" or "),
                histories(self.histories)
            ));
        }
        let testbed = scope.testbed.as_ref().filter(|_| self.histories == 0)?;
        let others = match self.all_histories {
            0 => "none".to_owned(),
            count => format!("{count}, which --all receives"),
        };
        Some(format!("has no history of the testbed {testbed}; of others it has {others}"))
    }
}

/// Returns whether the addresses of two projects have the same last part: it comes before the hash of the address.
fn is_namesake(one: &str, other: &str) -> bool {
    let name = |slug: &str| slug.rsplit_once('.').map(|(name, _)| name.to_owned());
    name(one).is_some_and(|it| Some(it) == name(other))
}

/// Adds to the store what was not received before.
///
/// # Errors
/// When the remote cannot be reached. What was received before the error is kept.
pub(super) fn pull(
    local: &RecordFiles,
    remote: &mut dyn Remote,
    state: &mut SyncState,
    scope: &PullScope,
    is_dry_run: bool,
) -> Result<(ExchangeResult, Offer)> {
    let files = files_of_same_place(remote, state)?;
    let done = ExchangeResult::default();
    let mut pull = Pull { local, remote, state, scope, is_dry_run, done };
    // The decisions say which testbeds share a history.
    let (decisions, others): (Vec<&RecordFile>, Vec<&RecordFile>) =
        files.iter().partition(|file| file.name.has_decisions());
    if !scope.is_show_only {
        pull.receive(&decisions)?;
    }
    let testbeds = scope.testbeds(&*local.testbeds()?);
    let testbeds = testbeds.as_deref();
    let wanted = others.into_iter().filter(|file| scope.includes(&file.name, testbeds));
    let is_cut = |file: &&RecordFile| {
        let is_new = pull.state.pulled(&file.name).end == 0;
        scope.newest.is_some() && file.name.is_history() && is_new
    };
    let (cut, whole): (Vec<&RecordFile>, Vec<&RecordFile>) = wanted.partition(is_cut);
    if let Some(runs) = scope.newest {
        pull.receive_newest(&cut, runs)?;
    }
    pull.receive(&whole)?;
    progress("");
    Ok((pull.done, Offer::of(&files, scope, testbeds)))
}

struct Pull<'a> {
    local: &'a RecordFiles,
    remote: &'a mut dyn Remote,
    state: &'a mut SyncState,
    scope: &'a PullScope,
    is_dry_run: bool,
    done: ExchangeResult,
}

impl Pull<'_> {
    /// Receives what is new in these files.
    fn receive(&mut self, files: &[&RecordFile]) -> Result<()> {
        let is_new = |file: &&RecordFile| self.state.pulled(&file.name).end != file.bytes;
        let new: Vec<&RecordFile> = files.iter().copied().filter(is_new).collect();
        let (mut received, total, mut ended) = (0, new.len(), HashSet::new());
        let state = &*self.state;
        let unread = |file: &&RecordFile| file.bytes.saturating_sub(state.pulled(&file.name).end);
        for part in parts(new, unread, MOST_BYTES, MOST_FILES) {
            progress(&format!(
                "receiving files {} to {} of {total}",
                received + 1,
                received + part.len()
            ));
            self.done.files += part.len();
            received += part.len();
            ended.extend(self.receive_part(&part)?);
            self.save()?;
        }
        self.mark_whole(files, &ended)
    }

    /// Removes the marks of cut histories of which the remote has no further records: those received up to their size,
    /// and those that have `ended` before.
    fn mark_whole(&mut self, files: &[&RecordFile], ended: &HashSet<RecordFileName>) -> Result<()> {
        let has_no_more = |file: &RecordFile| {
            self.state.pulled(&file.name).end == file.bytes || ended.contains(&file.name)
        };
        let is_whole = |file: &&&RecordFile| self.state.is_cut(&file.name) && has_no_more(file);
        let whole: Vec<&RecordFile> = files.iter().filter(is_whole).copied().collect();
        whole.iter().for_each(|file| self.state.set_whole(&file.name));
        if whole.is_empty() { Ok(()) } else { self.save() }
    }

    /// Saves what was exchanged, unless nothing is.
    fn save(&mut self) -> Result<()> {
        if self.is_dry_run { Ok(()) } else { self.state.save() }
    }

    /// Receives the newest runs of these histories, or all runs where the newest ones are too few. The places of cut
    /// histories stay as they are: a pull without this limit receives the runs between.
    fn receive_newest(&mut self, files: &[&RecordFile], runs: usize) -> Result<()> {
        let (mut whole, testbeds) = (Vec::new(), self.local.testbeds()?);
        let merged = MergedCode::around(&here()?);
        for part in newest_runs::parts(files, runs) {
            progress(&format!("receiving the newest runs of {} histories", files.len()));
            let found = newest_runs::read(self.remote, part, runs, &testbeds, &merged)?;
            let is_cut = |found: &Result<_, _>| matches!(found, Ok(NewestRuns::Cut(_)));
            for (file, _) in part.iter().zip(&found).filter(|(_, found)| is_cut(found)) {
                self.state.set_cut(&file.name);
            }
            // Before the runs are added: a process that is killed between leaves no cut history without its mark.
            self.save()?;
            for (file, found) in part.iter().zip(found) {
                let taken = match found {
                    Ok(NewestRuns::TooFew) => {
                        whole.push(*file);
                        continue;
                    }
                    Ok(NewestRuns::Cut(new)) => {
                        self.add_not_summarised(&file.name, new, file.bytes)
                    }
                    Ok(NewestRuns::Whole(new)) => self
                        .add_not_summarised(&file.name, new, file.bytes)
                        .map(|()| self.state.set_whole(&file.name)),
                    Err(error) => Err(error.into()),
                };
                self.done.files += 1;
                self.done.failed.extend(taken.err());
            }
            self.save()?;
        }
        self.receive(&whole)
    }

    /// Adds records without runs that became parts of summaries here. What this store sent is read again where another
    /// one sent between, and a pull of newest runs reads them again and again.
    fn add_not_summarised(
        &mut self,
        name: &RecordFileName,
        mut new: NewRecords,
        remote_bytes: u64,
    ) -> Result<()> {
        let count = new.records.len();
        self.local.leave_out_summarised(name, &mut new.records)?;
        self.done.known += count - new.records.len();
        self.add(name, new, remote_bytes)
    }

    /// Receives files until nothing is behind what was received. Returns those that end before their size: the last line
    /// is not finished, or a database counts a row that is there twice.
    fn receive_part(&mut self, part: &[&RecordFile]) -> Result<Vec<RecordFileName>> {
        let mut ended = Vec::new();
        let request = |file: &&RecordFile| ReadRequest {
            name: file.name.clone(),
            place: self.state.pulled(&file.name),
        };
        let mut wanted: Vec<ReadRequest> = part.iter().map(request).collect();
        while !wanted.is_empty() {
            let mut unfinished = Vec::new();
            for (it, new) in wanted.iter().zip(self.remote.read(&wanted)?) {
                match new.map_err(CommandError::from) {
                    Ok(new) if new.place == it.place => ended.push(it.name.clone()),
                    Ok(new) => {
                        let place = new.place.clone();
                        match self.take(&it.name, new) {
                            Ok(()) => unfinished.push(ReadRequest { place, ..it.clone() }),
                            Err(error) => self.done.failed.push(error),
                        }
                    }
                    Err(error) => self.done.failed.push(error),
                }
            }
            let size = |name: &RecordFileName| part.iter().find(|file| file.name == *name);
            unfinished.retain(|it| size(&it.name).is_some_and(|file| it.place.end < file.bytes));
            wanted = unfinished;
        }
        Ok(ended)
    }

    /// Adds the records of one file to the store.
    fn take(&mut self, name: &RecordFileName, new: NewRecords) -> Result<()> {
        let place = new.place.clone();
        if self.state.is_again() {
            self.add(name, new, place.end)?;
        } else {
            self.add_not_summarised(name, new, place.end)?;
        }
        if !self.is_dry_run {
            self.state.set_pulled(name, place);
        }
        Ok(())
    }

    /// Adds records to the store that a file of `remote_bytes` has.
    fn add(&mut self, name: &RecordFileName, mut new: NewRecords, remote_bytes: u64) -> Result<()> {
        self.done.damaged.extend(new.damaged);
        // A remote has them if it is the store of another machine, or if an older tool sent them.
        let count = new.records.len();
        new.records.retain(|record| !record.is_acceptance());
        self.done.left_out += count - new.records.len();
        if self.is_dry_run {
            self.done.added += new.records.len();
        } else if self.scope.is_show_only {
            let shown = self.local.insert_show_only(&new.records)?;
            self.done.added += shown.added;
            self.done.known += shown.known;
            self.done.left_out += shown.left_out;
        } else if !new.records.is_empty() {
            let added = self.local.insert(name, new.records)?;
            self.done.added += added.added;
            self.done.known += added.known;
            // What came from the remote is not sent back: if all before it was sent, it counts as sent, too.
            if self.state.pushed(name, remote_bytes).end == added.begin {
                self.state.set_pushed(name, added.place, remote_bytes);
            }
        }
        Ok(())
    }
}

/// Divides items into parts that have at most `most_items`, and no item behind the one that makes them `most_bytes`
/// large.
pub(super) fn parts<T>(
    items: impl IntoIterator<Item = T>,
    bytes_of: impl Fn(&T) -> u64,
    most_bytes: u64,
    most_items: usize,
) -> Vec<Vec<T>> {
    let (mut parts, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
    for item in items {
        bytes += bytes_of(&item);
        part.push(item);
        if bytes >= most_bytes || part.len() == most_items {
            parts.push(std::mem::take(&mut part));
            bytes = 0;
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_when_it_is_large_or_has_enough_items() {
        let of = |sizes: &[u64]| parts(sizes.to_vec(), |size| *size, 10, 3);
        assert_eq!(of(&[1, 1, 1, 1]), [vec![1, 1, 1], vec![1]]);
        assert_eq!(of(&[9, 9, 20, 1]), [vec![9, 9], vec![20], vec![1]]);
        assert_eq!(of(&[]), Vec::<Vec<u64>>::new());
    }

    #[test]
    fn other_projects_are_looked_for_only_where_the_remote_has_no_file_of_this_one() {
        let (scope, project) = (PullScope::default(), Project::of_identity("a.org/team/codec"));
        let note = |files, others: &mut dyn FnMut() -> Vec<String>| {
            Offer { files, ..Offer::default() }.note(&scope, &project, others)
        };
        assert_eq!(note(1, &mut || panic!("looked for")), None);
        let other = Project::of_identity("b.org/team/codec").slug;
        let text = note(0, &mut || vec![other.clone(), "parser.0".to_owned()]).unwrap();
        assert!(text.contains(&format!("but of {other}:")), "{text}");
    }
}
