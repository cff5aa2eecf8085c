//! A project: the owner of a history.

use crate::StoreError;
use crate::file_name::file_name;
use crate::format::{JsonLine, SCHEMA};
use std::path::{Path, PathBuf};

/// A project: shared by all clones of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Project {
    /// For people: the last part of the repository's address or directory.
    pub name: String,
    /// Identity, fit for a file name: the readable name and eight hex digits.
    pub slug: String,
}

impl Project {
    /// The name of the file that has the project's name, below the directory of the project.
    pub const FILE: &str = "project.json";

    /// Returns the project with this identity: the address of a repository, or a directory.
    pub fn of_identity(identity: &str) -> Self {
        let last = identity.rsplit(['/', '\\']).find(|part| !part.is_empty());
        let name = last.unwrap_or("project").to_owned();
        Self { slug: file_name(&name, identity), name }
    }

    /// The directory of the project below the root of a store.
    pub fn directory(&self, root: &Path) -> PathBuf {
        directory_of_projects(root).join(&self.slug)
    }

    /// Returns the text of the file that has the project's name, for people.
    ///
    /// # Errors
    /// None: a name is a text.
    pub fn file_text(&self) -> Result<String, StoreError> {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        line.put("name", self.name.as_str());
        Ok(line.finish()?)
    }
}

/// The directory that has a directory for each project.
pub(crate) fn directory_of_projects(root: &Path) -> PathBuf {
    root.join(format!("v{SCHEMA}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_after_the_last_part_of_its_address() {
        let project = Project::of_identity("example.org/team/my codec");
        assert_eq!(project.name, "my codec");
        assert!(project.slug.starts_with("my-codec."), "{}", project.slug);
        assert_ne!(project.slug, Project::of_identity("example.org/other/my codec").slug);
    }
}
