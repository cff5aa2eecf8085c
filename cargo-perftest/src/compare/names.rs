//! What the sides are called.

use super::Revision;
use serde_json::{Value, json};
use std::path::Path;

/// What both sides are called.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) base: Name,
    pub(crate) head: Name,
}

/// What a side is called, for people and for programs.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) words: String,
    pub(crate) json: Value,
}

impl From<&Revision> for Name {
    fn from(revision: &Revision) -> Self {
        let Revision { name, commit, is_dirty } = revision;
        let json = json!({ "name": name, "commit": commit, "dirty": is_dirty });
        Self { words: revision.to_string(), json }
    }
}

impl From<&Path> for Name {
    fn from(executable: &Path) -> Self {
        let words = executable.display().to_string();
        Self { json: json!({ "name": words }), words }
    }
}
