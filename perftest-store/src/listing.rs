//! What a store has histories of, where some cannot be read.

use crate::{Series, StoreError, WithDamage};
use std::path::PathBuf;

/// The histories of a store, as far as they can be read.
#[derive(Debug, Default)]
pub struct Listing {
    /// What [`Store::series`](crate::Store::series) promises, of the files that can be read.
    pub series: WithDamage<Vec<Series>>,
    /// The files that cannot.
    pub unreadable: Vec<UnreadableFile>,
}

/// A file of history that cannot be read.
#[derive(Debug)]
pub struct UnreadableFile {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub error: StoreError,
}
