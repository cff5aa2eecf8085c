//! A branch of the repository's origin that has nothing but history.
//!
//! The branch has the files of a store. Its commits are made from git's objects alone: neither the working
//! tree nor the index nor a branch of this clone is touched.

mod blobs;
mod branch;
mod commit_input;
mod file_list;
mod nameless_file;
mod tries;

use super::whole_files::{self, WholeFile};
use super::{Batch, EachFile, ReadRequest, Remote, RemoteError};
use crate::report::counted;
use blobs::Blobs;
use branch::{HistoryBranch, others_were_faster};
use commit_input::CommitInput;
use file_list::{FileList, directory_of};
use nameless_file::unusable;
use perftest_store::{
    AddedRecords, FileContent, LinePage, LinesWanted, NewRecords, Project, RecordFile,
    RecordFileName,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use tries::Tries;

/// Bytes of records in a commit, or one file more: a push of most stores is one commit.
const MOST_BYTES: usize = 128 << 20;
/// A commit with fewer bytes of records is not divided.
const LEAST_BYTES: usize = 4 << 20;
/// What people need who merge such branches.
const ATTRIBUTES: &str = "*.jsonl -text merge=union\n";

/// A branch with history.
#[derive(Debug)]
pub(super) struct GitRemote {
    branch: HistoryBranch,
    project: Project,
    /// The files at the newest commit that was fetched.
    files: FileList,
    blobs: Blobs,
}

impl GitRemote {
    /// Returns the remote in this branch of the origin. Asks nobody yet.
    ///
    /// # Errors
    /// When `here` is in no git repository with an origin.
    pub(super) fn open(here: &Path, branch: &str, project: &Project) -> Result<Self, RemoteError> {
        let branch = HistoryBranch::open(here, branch)?;
        let (files, blobs) = Default::default();
        Ok(Self { branch, project: project.clone(), files, blobs })
    }

    fn refresh(&mut self) -> Result<(), RemoteError> {
        self.files = match self.branch.fetch()? {
            Some(listed) => FileList::of_tree(&listed, &self.project, self.branch.name())?,
            None => FileList::default(),
        };
        Ok(())
    }

    /// Asks for the contents of these files.
    fn bring<'a>(
        &mut self,
        names: impl Iterator<Item = &'a RecordFileName>,
    ) -> Result<(), RemoteError> {
        let files: Vec<_> = names.filter_map(|name| self.files.file(name)).collect();
        self.blobs.bring(files.into_iter(), &self.branch)
    }

    /// Returns the bytes of a file; none if the branch has no such file.
    fn bytes(&self, name: &RecordFileName) -> Result<Vec<u8>, RemoteError> {
        self.files.file(name).map_or(Ok(Vec::new()), |file| self.blobs.content(file))
    }

    fn content(&self, name: &RecordFileName) -> Result<FileContent, RemoteError> {
        let place = format!("{}:{name}", self.branch.name());
        Ok(FileContent::new(name.clone(), place.into(), self.bytes(name)?))
    }

    /// The path of a file of this project in the branch.
    fn path(&self, name: &str) -> String {
        directory_of(&self.project) + name
    }

    /// Adds the records to the newest commit, and sends the result.
    fn try_to_add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords> {
        self.refresh()?;
        let mut by_name: BTreeMap<&RecordFileName, Vec<usize>> = BTreeMap::new();
        for (index, batch) in batches.iter().enumerate() {
            by_name.entry(&batch.name).or_default().push(index);
        }
        self.bring(by_name.keys().copied())?;
        let mut input = CommitInput::new()?;
        let (mut results, mut count) = (BTreeMap::new(), 0);
        for (name, indices) in by_name {
            let mut content = match self.content(name) {
                Ok(content) => content,
                Err(error) => {
                    results.extend(indices.into_iter().map(|index| (index, Err(error.clone()))));
                    continue;
                }
            };
            let bytes_before = content.bytes().len();
            for index in indices {
                let added = content.add(&batches[index].records).map_err(RemoteError::from);
                count += added.as_ref().map_or(0, |added| added.added);
                results.insert(index, added);
            }
            if content.bytes().len() > bytes_before {
                let path = self.path(name.as_str());
                input.add_file(path, content.bytes()).map_err(unusable)?;
            }
        }
        if count > 0 {
            if self.branch.is_missing() {
                let attributes = input.add_file(".gitattributes".to_owned(), ATTRIBUTES.as_bytes());
                attributes.map_err(unusable)?;
            }
            if !self.files.has_project_file {
                let text = self.project.file_text()?;
                let path = self.path(Project::FILE);
                input.add_file(path, text.as_bytes()).map_err(unusable)?;
            }
            self.branch.push(input, &format!("Add {}", counted(count, "record")))?;
        }
        Ok(results.into_values().collect())
    }
}

impl Remote for GitRemote {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        let mut tries = Tries::default();
        loop {
            let begin = Instant::now();
            match self.refresh() {
                Err(error) if others_were_faster(&error) && tries.pause(begin.elapsed()) => {}
                end => return end.map(|()| self.files.files()),
            }
        }
    }

    fn set_address(&self) -> String {
        self.branch.origin()
    }

    fn missing_place(&self) -> Option<String> {
        let name = self.branch.name();
        self.branch.is_missing().then(|| {
            format!(
                "the remote `origin` has no branch `{name}`; check its name, or make it: cargo perftest push git:{name}"
            )
        })
    }

    fn other_projects(&self) -> Vec<String> {
        self.files.other_projects.iter().cloned().collect()
    }

    fn read(&mut self, wanted: &[ReadRequest]) -> EachFile<NewRecords> {
        self.bring(wanted.iter().map(|it| &it.name))?;
        let read = |it: &ReadRequest| Ok(self.content(&it.name)?.read(&it.place)?);
        Ok(wanted.iter().map(read).collect())
    }

    /// A reader checks the lines itself.
    fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
        self.bring(wanted.iter().map(|it| &it.file))?;
        whole_files::lines(wanted, |names| {
            let file = |name: &&RecordFileName| Ok(WholeFile::of_content(name, self.bytes(name)?));
            Ok(names.iter().map(file).collect())
        })
    }

    fn most_bytes(&self) -> usize {
        MOST_BYTES
    }

    /// A push that loses is sent again: the server has kept nothing of it. So that a large one does not always lose
    /// against small ones, the next commit has half of it.
    fn add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords> {
        let (mut results, mut most_bytes, mut tries) = (Vec::new(), usize::MAX, Tries::default());
        while results.len() < batches.len() {
            let part = first_part(&batches[results.len()..], most_bytes);
            let begin = Instant::now();
            match self.try_to_add(part) {
                Ok(added) => results.extend(added),
                Err(error) if others_were_faster(&error) && tries.pause(begin.elapsed()) => {
                    let bytes: usize = part.iter().map(bytes_of).sum();
                    most_bytes = (bytes / 2).max(LEAST_BYTES);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(results)
    }
}

/// The first batches: none behind the one that makes them this large.
fn first_part(batches: &[Batch], most_bytes: usize) -> &[Batch] {
    let mut bytes = 0;
    let fits = |batch: &&Batch| {
        let fits = bytes < most_bytes;
        bytes += bytes_of(batch);
        fits
    };
    &batches[..batches.iter().take_while(fits).count()]
}

fn bytes_of(batch: &Batch) -> usize {
    batch.records.iter().map(|record| record.text().len()).sum()
}
