//! Receives the new records of a remote.

use super::exchanged::Exchanged;
use super::{Remote, SyncState, Wanted, newest_runs};
use crate::args::ScopeOptions;
use crate::exit::CommandError;
use crate::report::progress;
use crate::testbed::Testbed;
use perftest_machine::MachineIdentity;
use perftest_store::{NewRecords, RecordFile, RecordFileName, RecordFiles};

/// Most bytes that are received together, unless one file has more.
const MOST_BYTES: u64 = 32 << 20;
/// Most files that are received together.
const MOST_FILES: usize = 500;

/// Which files are received. Decisions, rules and contexts always are: they are small.
#[derive(Debug, Default)]
pub(crate) struct PullScope {
    /// Only histories of this testbed, at any speed; `None` for all.
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
        let of_this_machine = || {
            let identity = MachineIdentity::of_this_machine();
            Testbed::of(&identity, |name| std::env::var(name).ok()).name()
        };
        let testbed = options.testbed.clone().unwrap_or_else(of_this_machine);
        let testbed = (!options.all).then_some(testbed);
        Self { testbed, tests: options.tests.clone(), newest: options.newest, is_show_only: false }
    }

    fn includes(&self, name: &RecordFileName) -> bool {
        (!self.is_show_only || name.is_history())
            && self.testbed.as_ref().is_none_or(|testbed| name.is_of_testbed(testbed))
            && (self.tests.is_empty() || self.tests.iter().any(|part| name.is_of_test(part)))
    }
}

/// What a remote has, whether it was received or not.
#[derive(Debug, Default)]
pub(super) struct Offer {
    /// Files of this project.
    files: usize,
    /// Histories of the wanted testbed.
    histories: usize,
    /// Histories of all testbeds.
    all_histories: usize,
}

impl Offer {
    fn of(files: &[RecordFile], scope: &PullScope) -> Self {
        let histories = || files.iter().filter(|file| file.name.is_history());
        let wanted = scope.testbed.as_deref();
        let is_wanted = |file: &&RecordFile| wanted.is_none_or(|it| file.name.is_of_testbed(it));
        Self {
            files: files.len(),
            histories: histories().filter(is_wanted).count(),
            all_histories: histories().count(),
        }
    }

    /// Describes why nothing of this testbed can be received.
    pub(super) fn note(&self, scope: &PullScope) -> Option<String> {
        if self.files == 0 {
            return Some("has no history of this project yet".to_owned());
        }
        let testbed = scope.testbed.as_ref().filter(|_| self.histories == 0)?;
        let others = match self.all_histories {
            0 => "none".to_owned(),
            count => format!("{count}, which --all receives"),
        };
        Some(format!("has no history of the testbed {testbed}; of others it has {others}"))
    }
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
) -> Result<(Exchanged, Offer), CommandError> {
    let files = remote.files()?;
    let (offer, mut done) = (Offer::of(&files, scope), Exchanged::default());
    let is_new = |file: &&RecordFile| {
        scope.includes(&file.name) && state.pulled(&file.name).end != file.bytes
    };
    let new: Vec<&RecordFile> = files.iter().filter(is_new).collect();
    let is_cut = |file: &&RecordFile| file.name.is_history() && state.pulled(&file.name).end == 0;
    let (cut, new): (Vec<&RecordFile>, Vec<&RecordFile>) =
        new.into_iter().partition(|file| scope.newest.is_some() && is_cut(file));
    if let Some(runs) = scope.newest {
        pull_newest(local, remote, state, (&cut, runs), is_dry_run, &mut done)?;
    }
    let (mut received, total) = (0, new.len());
    for part in parts(&new, state) {
        progress(&format!(
            "receiving files {} to {} of {total}",
            received + 1,
            received + part.len()
        ));
        let mut wanted: Vec<Wanted> = part.iter().map(|file| wanted_of(file, state)).collect();
        done.files += wanted.len();
        received += wanted.len();
        while !wanted.is_empty() {
            let mut unfinished = Vec::new();
            for (it, new) in wanted.iter().zip(remote.read(&wanted)?) {
                match new.map_err(CommandError::from) {
                    Ok(new) if new.place == it.place => {}
                    Ok(new) => {
                        let place = new.place.clone();
                        let taken = match scope.is_show_only {
                            _ if is_dry_run => count(new, &mut done),
                            true => show(local, state, &it.name, new, &mut done),
                            false => take(local, state, &it.name, new, &mut done),
                        };
                        match taken {
                            Ok(()) => unfinished.push(Wanted { place, ..it.clone() }),
                            Err(error) => done.failed.push(error),
                        }
                    }
                    Err(error) => done.failed.push(error),
                }
            }
            let size = |name: &RecordFileName| part.iter().find(|file| file.name == *name);
            unfinished.retain(|it| size(&it.name).is_some_and(|file| it.place.end < file.bytes));
            wanted = unfinished;
        }
        if !is_dry_run {
            state.save()?;
        }
    }
    progress("");
    Ok((done, offer))
}

/// Adds the newest runs of these histories. Their places stay as they are: a pull without this limit receives the
/// runs between.
fn pull_newest(
    local: &RecordFiles,
    remote: &mut dyn Remote,
    state: &mut SyncState,
    (files, runs): (&[&RecordFile], usize),
    is_dry_run: bool,
    done: &mut Exchanged,
) -> Result<(), CommandError> {
    for part in newest_runs::parts(files, runs) {
        for (file, new) in part.iter().zip(newest_runs::read(remote, part, runs)?) {
            let taken = new.map_err(CommandError::from).and_then(|new| match is_dry_run {
                true => count(new, done),
                false => add(local, state, &file.name, new, file.bytes, done),
            });
            done.failed.extend(taken.err());
        }
        done.files += part.len();
        if !is_dry_run {
            state.save()?;
        }
    }
    Ok(())
}

fn wanted_of(file: &RecordFile, state: &SyncState) -> Wanted {
    Wanted { name: file.name.clone(), place: state.pulled(&file.name) }
}

/// Divides files into parts that fit into memory.
fn parts<'a>(files: &[&'a RecordFile], state: &SyncState) -> Vec<Vec<&'a RecordFile>> {
    let (mut parts, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
    for file in files {
        bytes += file.bytes.saturating_sub(state.pulled(&file.name).end);
        part.push(*file);
        if bytes >= MOST_BYTES || part.len() == MOST_FILES {
            parts.push(std::mem::take(&mut part));
            bytes = 0;
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Counts the records of one file, and adds none.
fn count(new: NewRecords, done: &mut Exchanged) -> Result<(), CommandError> {
    done.damaged.extend(new.damaged);
    done.added += new.records.len();
    Ok(())
}

/// Adds the runs of one file to the store, for display only.
fn show(
    local: &RecordFiles,
    state: &mut SyncState,
    name: &RecordFileName,
    new: NewRecords,
    done: &mut Exchanged,
) -> Result<(), CommandError> {
    done.damaged.extend(new.damaged);
    let shown = local.insert_show_only(&new.records)?;
    done.added += shown.added;
    done.known += shown.known;
    done.left_out += shown.left_out;
    state.set_pulled(name, new.place);
    Ok(())
}

/// Adds the records of one file to the store.
fn take(
    local: &RecordFiles,
    state: &mut SyncState,
    name: &RecordFileName,
    new: NewRecords,
    done: &mut Exchanged,
) -> Result<(), CommandError> {
    let place = new.place.clone();
    add(local, state, name, new, place.end, done)?;
    state.set_pulled(name, place);
    Ok(())
}

/// Adds records to the store that a file of `remote_bytes` has.
fn add(
    local: &RecordFiles,
    state: &mut SyncState,
    name: &RecordFileName,
    new: NewRecords,
    remote_bytes: u64,
    done: &mut Exchanged,
) -> Result<(), CommandError> {
    done.damaged.extend(new.damaged);
    if !new.records.is_empty() {
        let added = local.insert(name, new.records)?;
        done.added += added.added;
        done.known += added.known;
        // What came from the remote is not sent back: if all before it was sent, it counts as sent, too.
        if state.pushed(name, remote_bytes).end == added.begin {
            state.set_pushed(name, added.place, remote_bytes);
        }
    }
    Ok(())
}
