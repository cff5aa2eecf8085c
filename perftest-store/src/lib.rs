//! Keeps the history of performance tests under a path it is given.
//!
//! The store does not know that it has a user: it reads no environment variable, looks for no
//! home directory and prints nothing. What it finds wrong it returns, as a [`StoreError`] with
//! the file and the way out, or as [`Damage`] beside what could be read.
//!
//! * [`Store`]: what every place of history can do; [`JsonlStore`] keeps it in append-only JSON
//!   Lines files. [`load_anchor`], [`other_metrics`] and [`testbeds_of`] follow from it.
//! * [`AcceptanceFile`]: acceptances that are reviewed and travel with the code.
//! * [`Cache`]: answers that take a while to find out, kept from process to process;
//!   [`file_state`] tells whether what they are about is still the same.
//! * [`open_regular`]: opens what may be a pipe or a device and never waits; [`change_file`]: lets those who
//!   change a file at once lose nothing; [`directory`]: what survives a power loss.
//! * [`mod@line`]: the form of every line that is kept or sent; [`Digest`]: the hash behind file names and
//!   identities.
//!
//! Behind features, since no perf test needs them:
//!
//! * `conformance`: what every implementation of [`Store`] is held to, runs as a test needs them, and
//!   `MemoryStore`, which keeps a history for the length of a process.
//! * `recording`: measurements that were recorded as CSV.
//! * `merge`: [`merge_stores`] unites the stores of several machines.
//!
//! The written format is described in `docs/reference/store-format.md`.
#![forbid(unsafe_code)]

mod acceptance_file;
mod anchor;
mod annotation;
mod cache;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod digest;
mod error;
#[cfg(any(test, feature = "conformance"))]
mod example_run;
mod file_name;
mod file_state;
mod format;
mod keep_reading;
#[doc(hidden)]
pub mod lens;
mod listing;
mod local;
#[cfg(any(test, feature = "conformance"))]
mod memory;
mod newest_execution;
mod overview;
mod project;
mod query;
mod recorded_metrics;
#[cfg(any(test, feature = "recording"))]
pub mod recording;
mod regular_file;
mod selection;
mod series;
mod store;
mod with_damage;

pub use acceptance_file::AcceptanceFile;
pub use anchor::load_anchor;
pub use annotation::Annotation;
pub use cache::Cache;
pub use digest::Digest;
pub use error::StoreError;
pub use file_state::file_state;
pub use format::{SCHEMA, json_of};
pub use listing::Listing;
pub use local::{JsonlStore, change_file, directory};
#[cfg(any(test, feature = "merge"))]
pub use local::{MergedStores, merge_stores};
#[cfg(any(test, feature = "conformance"))]
pub use memory::MemoryStore;
pub use overview::{other_metrics, testbeds_of};
pub use project::Project;
pub use query::{Query, Which};
pub use regular_file::{open_regular, open_stored, read_regular_text, read_stored_text};
pub use series::Series;
pub use store::Store;
pub use with_damage::{Damage, WithDamage};

/// Flat JSON objects, one a line: the form of records, and of messages between processes.
pub mod line {
    pub use crate::format::{
        Fields, FromJson, JsonLine, LineError, NotFinite, ToJson, check_sum, check_version,
    };
}
