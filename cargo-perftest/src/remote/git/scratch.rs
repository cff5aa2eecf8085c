//! A store in a directory that only this process uses.

use crate::remote::RemoteError;
use perftest_store::{Project, RecordFileName, RecordFiles, StoreError};
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A store with some files of the branch. Gone when dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    root: PathBuf,
    project_directory: PathBuf,
    pub(super) files: RecordFiles,
}

impl Scratch {
    pub(super) fn new(project: &Project) -> Result<Self, RemoteError> {
        let root = new_directory().map_err(|error| {
            let parent = std::env::temp_dir();
            RemoteError::new(format!(
                "cannot write {}: {error}; allow it, or set TMPDIR to another directory",
                parent.display()
            ))
        })?;
        let files = RecordFiles::open(&root, project);
        Ok(Self { project_directory: project.directory(&root), root, files })
    }

    /// Writes a file of records.
    pub(super) fn write(&self, name: &RecordFileName, content: &[u8]) -> Result<(), RemoteError> {
        let path = self.files.path(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all);
        written.and_then(|()| fs::write(&path, content)).map_err(|error| failure(&path, &error))
    }

    /// Writes the file in the root of the branch for people who merge such branches.
    pub(super) fn attributes(&self) -> Result<PathBuf, RemoteError> {
        let path = self.root.join(".gitattributes");
        let written = fs::write(&path, "*.jsonl -text merge=union\n");
        written.map_err(|error| failure(&path, &error)).map(|()| path)
    }

    /// The file that names the project, which is there after the first record.
    pub(super) fn project_file(&self) -> PathBuf {
        self.project_directory.join("project.json")
    }

    /// Describes an error of a file by its name in the branch.
    pub(super) fn in_branch(&self, error: &StoreError, branch: &str) -> RemoteError {
        let root = format!("{}{MAIN_SEPARATOR}", self.root.display());
        RemoteError::new(error.to_string().replace(&root, &format!("{branch}:")))
    }

    /// Returns the path of a file in the branch.
    pub(super) fn path_in_branch(&self, path: &Path) -> String {
        let parts = path.strip_prefix(&self.root).unwrap_or(path).iter();
        let parts: Vec<&str> = parts.filter_map(|part| part.to_str()).collect();
        parts.join("/")
    }

    /// Writes the input of a git command to a file, and opens it.
    pub(super) fn input(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<File, RemoteError> {
        let path = self.root.join("input");
        let written = File::create(&path).and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        });
        written.and_then(|()| File::open(&path)).map_err(|error| failure(&path, &error))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn failure(path: &Path, error: &io::Error) -> RemoteError {
    RemoteError::new(format!("cannot use {}: {error}", path.display()))
}

/// Makes a directory that others cannot enter.
fn new_directory() -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("perftest-git-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only there it has a mode"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            // A killed process with this number left it behind.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| path),
        }
    }
}
