//! The files of a project at a commit of the branch.

use crate::remote::RemoteError;
use perftest_store::{Project, RecordFile, RecordFileName};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the root of the branch may have.
const OWN_ENTRIES: [&str; 3] = ["v1/", ".gitattributes", "README.md"];

/// The directory of a project in a branch, with a `/` behind it.
pub(super) fn directory_of(project: &Project) -> String {
    let directory = project.directory(Path::new(""));
    let parts: Vec<&str> = directory.iter().filter_map(|part| part.to_str()).collect();
    parts.join("/") + "/"
}

/// The files of one project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileList {
    files: BTreeMap<RecordFileName, BranchFile>,
    pub(super) has_project_file: bool,
    /// The directories of other projects.
    pub(super) other_projects: BTreeSet<String>,
}

/// A file at a commit of the branch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BranchFile {
    /// The object with its content.
    pub(super) blob: String,
    pub(super) bytes: u64,
}

impl FileList {
    /// Reads the answer of `git ls-tree -r -l -z`.
    ///
    /// # Errors
    /// When the branch has other files: it may be a branch of code.
    pub(super) fn of_tree(
        listed: &str,
        project: &Project,
        branch: &str,
    ) -> Result<Self, RemoteError> {
        let directory = directory_of(project);
        let mut list = Self::default();
        for line in listed.split('\0').filter(|line| !line.is_empty()) {
            let Some((facts, path)) = line.split_once('\t') else { continue };
            if !OWN_ENTRIES.iter().any(|own| path.starts_with(own)) {
                return Err(RemoteError::new(format!(
                    "`{branch}` has `{path}`, so it is no branch of history; name another branch, such as \
                     git:perftest-history: the first push makes it"
                )));
            }
            let Some(relative) = path.strip_prefix(&directory) else {
                let other = path.split('/').nth(1).filter(|it| !list.other_projects.contains(*it));
                list.other_projects.extend(other.map(str::to_owned));
                continue;
            };
            list.has_project_file |= relative == "project.json";
            let facts: Vec<&str> = facts.split_whitespace().collect();
            let [_, "blob", blob, size] = facts[..] else { continue };
            let name = RecordFileName::parse(relative);
            if let Some((name, bytes)) = name.zip(size.parse().ok()) {
                list.files.insert(name, BranchFile { blob: blob.to_owned(), bytes });
            }
        }
        Ok(list)
    }

    pub(super) fn files(&self) -> Vec<RecordFile> {
        let file = |(name, file): (&RecordFileName, &BranchFile)| RecordFile {
            name: name.clone(),
            bytes: file.bytes,
        };
        self.files.iter().map(file).collect()
    }

    pub(super) fn file(&self, name: &RecordFileName) -> Option<&BranchFile> {
        self.files.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(listed: &str) -> Result<FileList, RemoteError> {
        let project = Project { name: "codec".into(), slug: "codec.0".into() };
        FileList::of_tree(listed, &project, "main")
    }

    #[test]
    fn only_the_files_of_the_project_are_in_its_list() {
        let listed = "100644 blob aa 25\t.gitattributes\0\
                      100644 blob bb      7\tv1/codec.0/events.jsonl\0\
                      100644 blob cc 8\tv1/codec.0/project.json\0\
                      100644 blob dd 9\tv1/other.0/events.jsonl\0";
        let list = list(listed).unwrap();
        let name = RecordFileName::parse("events.jsonl").unwrap();
        assert_eq!(list.file(&name), Some(&BranchFile { blob: "bb".into(), bytes: 7 }));
        assert_eq!(list.files(), [RecordFile { name, bytes: 7 }]);
        assert!(list.has_project_file);
        assert_eq!(list.other_projects, BTreeSet::from(["other.0".to_owned()]));
    }

    #[test]
    fn a_branch_of_code_is_refused() {
        let refused = list("100644 blob aa 25\tsrc/lib.rs\0").unwrap_err().to_string();
        assert!(refused.starts_with("`main` has `src/lib.rs`"), "{refused}");
        assert_eq!(list("").unwrap(), FileList::default());
    }
}
