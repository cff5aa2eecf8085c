//! A branch of the repository's origin that has nothing but history.
//!
//! The branch has the files of a store. Its commits are made from git's objects alone: neither the working
//! tree nor the index nor a branch of this clone is touched.

mod branch;
mod file_list;
mod scratch;

use super::parts::parts;
use super::whole_files::{self, WholeFile};
use super::{Batch, Remote, RemoteError, Wanted};
use branch::{HistoryBranch, others_were_faster};
use file_list::{BranchFile, FileList};
use perftest_store::{
    AddedRecords, LinePage, LinesWanted, NewRecords, Project, RecordFile, RecordFileName,
};
use scratch::Scratch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

/// Each of many machines that send at once wins once, and one of them wins each time.
const MOST_TRIES: u32 = 100;
/// Longest pause before the next try.
const LONGEST_PAUSE: Duration = Duration::from_millis(800);
/// Bytes of records in a commit, or one file more: a push of most stores is one commit.
const MOST_BYTES: usize = 128 << 20;
/// Bytes of the branch that are read together, or one file more.
const MOST_BYTES_READ: u64 = 16 << 20;

/// A branch with history.
#[derive(Debug)]
pub(super) struct GitRemote {
    branch: HistoryBranch,
    project: Project,
    /// The files at the newest commit that was fetched.
    files: FileList,
}

impl GitRemote {
    /// Returns the remote in this branch of the origin. Asks nobody yet.
    ///
    /// # Errors
    /// When `here` is in no git repository with an origin.
    pub(super) fn open(here: &Path, branch: &str, project: &Project) -> Result<Self, RemoteError> {
        let branch = HistoryBranch::open(here, branch)?;
        Ok(Self { branch, project: project.clone(), files: FileList::default() })
    }

    fn refresh(&mut self) -> Result<(), RemoteError> {
        self.files = match self.branch.fetch()? {
            Some(listed) => FileList::of_tree(&listed, &self.project, self.branch.name())?,
            None => FileList::default(),
        };
        Ok(())
    }

    /// Writes the branch's files with these names to a store of their own.
    fn scratch_with(&self, names: &BTreeSet<&RecordFileName>) -> Result<Scratch, RemoteError> {
        let scratch = Scratch::new(&self.project)?;
        let known = names.iter().filter_map(|name| Some((*name, self.files.file(name)?)));
        let size = |(_, file): &(&RecordFileName, &BranchFile)| file.bytes;
        for part in parts(known, size, MOST_BYTES_READ, usize::MAX) {
            let blobs: Vec<&str> = part.iter().map(|(_, file)| file.blob.as_str()).collect();
            for ((name, _), content) in part.iter().zip(self.branch.contents(&blobs, &scratch)?) {
                scratch.write(name, &content)?;
            }
        }
        Ok(scratch)
    }

    /// Does something that another process may prevent by being faster, until that does not happen.
    fn until_alone<T>(
        &mut self,
        work: impl Fn(&mut Self) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let mut number = 1;
        loop {
            match work(self) {
                Err(error) if number < MOST_TRIES && others_were_faster(&error) => {
                    thread::sleep(pause(number));
                    number += 1;
                }
                end => return end,
            }
        }
    }

    /// Adds the records to the newest commit, and sends the result.
    fn try_to_add(
        &mut self,
        batches: &[Batch],
    ) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError> {
        self.refresh()?;
        let names: BTreeSet<&RecordFileName> = batches.iter().map(|batch| &batch.name).collect();
        let scratch = self.scratch_with(&names)?;
        let (mut results, mut changed, mut count) = (Vec::new(), BTreeSet::new(), 0);
        for Batch { name, records } in batches {
            let added = scratch.files.add(name, records);
            let added = added.map_err(|error| scratch.in_branch(&error, self.branch.name()));
            if let Some(added) = added.as_ref().ok().filter(|added| added.added > 0) {
                changed.insert(name);
                count += added.added;
            }
            results.push(added);
        }
        if changed.is_empty() {
            return Ok(results);
        }
        let mut new: Vec<PathBuf> = Vec::new();
        if self.branch.is_missing() {
            new.push(scratch.attributes()?);
        }
        if !self.files.has_project_file {
            new.push(scratch.project_file());
        }
        new.extend(changed.into_iter().map(|name| scratch.files.path(name)));
        self.branch.push(&new, count, &scratch)?;
        Ok(results)
    }
}

impl Remote for GitRemote {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        self.until_alone(Self::refresh)?;
        Ok(self.files.files())
    }

    fn read(
        &mut self,
        wanted: &[Wanted],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError> {
        let branch = self.branch.name();
        let scratch = self.scratch_with(&wanted.iter().map(|it| &it.name).collect())?;
        let read = |it: &Wanted| -> Result<NewRecords, RemoteError> {
            let new = scratch.files.read(&it.name, &it.place);
            let mut new = new.map_err(|error| scratch.in_branch(&error, branch))?;
            for damage in &mut new.damaged {
                damage.file = format!("{branch}:{}", it.name).into();
            }
            Ok(new)
        };
        Ok(wanted.iter().map(read).collect())
    }

    /// A reader checks the lines itself.
    fn lines(
        &mut self,
        wanted: &[LinesWanted],
    ) -> Result<Vec<Result<LinePage, RemoteError>>, RemoteError> {
        let scratch = Scratch::new(&self.project)?;
        whole_files::lines(wanted, |names| {
            let blob = |name: &&RecordFileName| Some(self.files.file(name)?.blob.as_str());
            let blobs: Vec<Option<&str>> = names.iter().map(blob).collect();
            let known: Vec<&str> = blobs.iter().copied().flatten().collect();
            let mut contents = self.branch.contents(&known, &scratch)?.into_iter();
            let file = |(name, blob): (&&RecordFileName, Option<&str>)| {
                let content = blob.and_then(|_| contents.next()).unwrap_or_default();
                Ok(WholeFile::of_content(name, &content))
            };
            Ok(names.iter().zip(blobs).map(file).collect())
        })
    }

    fn most_bytes(&self) -> usize {
        MOST_BYTES
    }

    fn add(
        &mut self,
        batches: &[Batch],
    ) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError> {
        self.until_alone(|remote| remote.try_to_add(batches))
    }
}

/// A pause that differs between machines, so that they do not meet again.
fn pause(number: u32) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let share = f64::from(now.subsec_nanos() % 1_000) / 1_000.0;
    LONGEST_PAUSE.min(Duration::from_millis(50) * number).mul_f64(share)
}
