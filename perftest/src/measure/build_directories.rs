//! The directories in which cargo has put what it built.

use perftest_core::list::IntoList;
use perftest_process::artifact_directory;
use std::env::current_exe;
use std::path::{Path, PathBuf};

/// Where cargo has put this executable and the programs: two places if `build.build-dir` is set.
pub(crate) struct BuildDirectories(Vec<PathBuf>);

impl BuildDirectories {
    /// `of_programs` are the directories of the package's programs.
    pub(crate) fn new<'a>(of_programs: impl Iterator<Item = &'a Path>) -> Self {
        let this = current_exe().unwrap_or_default();
        let of_this = artifact_directory(&this).map(Path::to_owned);
        Self(of_programs.map(Path::to_owned).chain(of_this).into_list())
    }

    /// Whether cargo built this program, and it is not this process's own.
    pub(crate) fn have(&self, program: &Path) -> bool {
        let is_this = || current_exe().is_ok_and(|this| this == program);
        self.0.iter().any(|it| program.starts_with(it)) && !is_this()
    }

    /// Whether a text has the path of a directory of these.
    pub(crate) fn are_named_in(&self, text: &str) -> bool {
        self.0.iter().any(|it| text.contains(&*it.to_string_lossy()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_beside_this_executable_or_beside_the_programs_is_of_cargo() {
        let directories = BuildDirectories::new([Path::new("/elsewhere/release")].into_iter());
        let this = current_exe().unwrap();
        assert!(directories.have(Path::new("/elsewhere/release/walker")));
        assert!(directories.have(&artifact_directory(&this).unwrap().join("walker")));
        assert!(!directories.have(&this) && !directories.have(Path::new("/usr/bin/walker")));
        assert!(directories.are_named_in("/elsewhere/release/walker | cat"));
    }
}
