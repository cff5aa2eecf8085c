//! The names of the sides.

use super::SourceRevision;
use serde_json::{Value, json};
use std::path::Path;

/// The names of both sides.
#[derive(Debug)]
pub(crate) struct SideNames {
    pub(crate) base: SideName,
    pub(crate) head: SideName,
}

/// The name of a side, for text and for JSON.
#[derive(Debug)]
pub(crate) struct SideName {
    pub(crate) words: String,
    pub(crate) json: Value,
}

impl From<&SourceRevision> for SideName {
    fn from(revision: &SourceRevision) -> Self {
        let SourceRevision { name, commit, is_dirty } = revision;
        let json = json!({ "name": name, "commit": commit, "dirty": is_dirty });
        Self { words: revision.to_string(), json }
    }
}

impl From<&Path> for SideName {
    fn from(executable: &Path) -> Self {
        let words = executable.display().to_string();
        Self { json: json!({ "name": words }), words }
    }
}
