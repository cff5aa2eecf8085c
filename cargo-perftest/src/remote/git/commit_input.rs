//! The input of `git fast-import` for one commit.

use super::nameless_file::nameless_file;
use crate::remote::RemoteError;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::time::SystemTime;

/// A commit so far.
#[derive(Debug)]
pub(super) struct CommitInput {
    out: BufWriter<File>,
    /// The paths of its files.
    paths: Vec<String>,
}

impl CommitInput {
    pub(super) fn new() -> Result<Self, RemoteError> {
        Ok(Self { out: BufWriter::new(nameless_file()?), paths: Vec::new() })
    }

    /// Adds a file, or replaces it.
    pub(super) fn add_file(&mut self, path: String, content: &[u8]) -> io::Result<()> {
        self.paths.push(path);
        writeln!(self.out, "blob\nmark :{}\ndata {}", self.paths.len(), content.len())?;
        self.out.write_all(content)?;
        writeln!(self.out)
    }

    /// Returns the input that makes the commit on top of another one, moves a reference to it, and prints it.
    pub(super) fn finish(
        mut self,
        reference: &str,
        parent: Option<&str>,
        message: &str,
    ) -> io::Result<File> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mark = self.paths.len() + 1;
        writeln!(
            self.out,
            "commit {reference}\nmark :{mark}\ncommitter perftest <> {} +0000\ndata {}\n{message}",
            now.as_secs(),
            message.len()
        )?;
        if let Some(parent) = parent {
            writeln!(self.out, "from {parent}")?;
        }
        for (path, mark) in self.paths.iter().zip(1..) {
            writeln!(self.out, "M 100644 :{mark} {path}")?;
        }
        write!(self.out, "\nget-mark :{mark}\ndone\n")?;
        let mut file = self.out.into_inner()?;
        file.rewind()?;
        Ok(file)
    }
}
