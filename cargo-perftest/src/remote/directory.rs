//! A directory that machines share: a store like the one of this machine.

use super::{Batch, EachFile, ReadRequest, Remote, RemoteError};
use perftest_store::{AddedRecords, NewRecords, Project, RecordFile, RecordFiles};
use std::fs;
use std::path::{Path, PathBuf};

/// A store in a shared directory. Locks of its files let one process write at a time.
#[derive(Debug)]
pub(super) struct DirectoryRemote {
    path: PathBuf,
    project: Project,
    files: RecordFiles,
}

impl DirectoryRemote {
    /// Returns the remote in this directory. Creates nothing yet.
    ///
    /// # Errors
    /// When the directory could only be created together with its parent, as on a disk that is not mounted.
    pub(super) fn open(path: &Path, project: &Project) -> Result<Self, RemoteError> {
        let absolute = std::path::absolute(path).map_err(|error| {
            RemoteError::new(format!("`{}` is no directory: {error}", path.display()))
        })?;
        let parent = absolute.parent().filter(|_| !absolute.is_dir());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            return Err(RemoteError::new(format!(
                "there is no directory {}; mount its disk, or create it",
                parent.display()
            )));
        }
        let files = RecordFiles::open(&absolute, project);
        Ok(Self { files, project: project.clone(), path: absolute })
    }
}

impl Remote for DirectoryRemote {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        Ok(self.files.list()?)
    }

    fn missing_place(&self) -> Option<String> {
        let path = self.path.display();
        (!self.path.is_dir()).then(|| {
            format!("there is no directory {path}; check its name, or make it: cargo perftest push dir:{path}")
        })
    }

    fn other_place(&self) -> Option<String> {
        let path = self.path.display();
        Some(format!(
            "{path} has nothing of what was exchanged with it before; mount its disk, or send all again: cargo perftest \
             push dir:{path} --again"
        ))
    }

    fn other_projects(&self) -> Vec<String> {
        let own = self.project.directory(&self.path);
        let all = own.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
        let others = all.map(|entry| entry.path()).filter(|it| it.is_dir() && *it != own);
        let mut names: Vec<String> =
            others.filter_map(|it| Some(it.file_name()?.to_str()?.to_owned())).collect();
        names.sort_unstable();
        names
    }

    fn read(&mut self, wanted: &[ReadRequest]) -> EachFile<NewRecords> {
        let read =
            |it: &ReadRequest| self.files.read(&it.name, &it.place).map_err(RemoteError::from);
        Ok(wanted.iter().map(read).collect())
    }

    fn add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords> {
        let add = |it: &Batch| self.files.add(&it.name, &it.records).map_err(RemoteError::from);
        Ok(batches.iter().map(add).collect())
    }
}
