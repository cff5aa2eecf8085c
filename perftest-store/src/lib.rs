//! Keeps the history of performance tests under a path it is given.
//!
//! The store has no user interface: it looks for no home directory and prints nothing, and the environment
//! tells it the temporary directory alone, for locks on Windows. It returns errors as a [`StoreError`] with the file and the way out, or as
//! [`Damage`] beside the readable data.
//!
//! * [`Store`]: the interface to a history; [`JsonlStore`] keeps it in append-only JSON Lines
//!   files. [`load_anchor`], [`other_metrics`] and [`testbeds_of`] are functions over a store.
//! * [`find_former_project`]: the history of a repository that was moved; [`recent_commits`]: those of a
//!   project's newest runs.
//! * [`AcceptanceFile`]: acceptances in a reviewed file of the repository.
//! * [`Cache`]: slow results, shared by processes; [`file_state`] detects a changed input.
//! * [`open_regular`]: opens a file, and never waits for a pipe or a device; [`change_file`] and
//!   [`act_alone`]: change a file without losing parallel changes; [`directory`]: files that survive
//!   a power loss; [`WaitedTime`]: a wait in which only the time counts in which the process ran.
//! * [`mod@line`]: the form of every stored or sent line; [`Digest`]: the hash in file names and
//!   identities.
//!
//! Some features are off by default, because no perf test needs them:
//!
//! * `conformance`: example runs for tests, and `MemoryStore`, which keeps a history as long as the process runs.
//! * `recording`: recorded measurements in CSV files.
//! * `merge`: [`merge_stores`] unites the stores of several machines, [`merge_project`] two projects of
//!   one, [`move_project`] two names of one project, and [`merge_show_only`] adds runs that are only shown;
//!   [`RecordFiles`] copies new records of a project, [`FileContent`] those of one file in memory;
//!   [`LineStore`] reads a history on another machine.
//!
//! `docs/reference/store-format.md` describes the written format.
#![forbid(unsafe_code)]

mod acceptance_file;
mod anchor;
mod annotation;
mod cache;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod decisions;
mod digest;
mod error;
#[cfg(any(test, feature = "conformance"))]
mod example_run;
mod file_name;
mod file_state;
mod format;
mod former_project;
mod keep_reading;
#[doc(hidden)]
pub mod lens;
#[cfg(any(test, feature = "merge"))]
mod line_store;
mod listed_metrics;
mod listing;
mod local;
#[cfg(any(test, feature = "conformance"))]
mod memory;
mod overview;
mod project;
mod project_files;
mod project_records;
mod query;
mod recorded_metrics;
#[cfg(any(test, feature = "recording"))]
pub mod recording;
mod regular_file;
mod selection;
mod series;
mod store;
mod testbeds;
mod waited_time;
mod with_damage;

pub use acceptance_file::AcceptanceFile;
pub use anchor::load_anchor;
pub use annotation::Annotation;
pub use cache::Cache;
pub use decisions::Decisions;
pub use digest::Digest;
pub use error::StoreError;
pub use file_state::file_state;
#[cfg(any(test, feature = "merge"))]
pub use format::RunSummary;
pub use format::{JsonObject, SCHEMA};
pub use former_project::{find_former_project, recent_commits};
#[cfg(any(test, feature = "merge"))]
pub use line_store::{LinePage, LineSource, LineStore, LinesWanted, PlannedRead, WhichLines};
pub use listing::Listing;
#[cfg(any(test, feature = "merge"))]
pub use local::{
    AddedRecords, CollectedFile, FileContent, KeptFor, MergedStores, NewRecords, ReadPlace, Record,
    RecordFile, RecordFileName, RecordFiles, RecordedTestbed, RecordedTestbeds, Retention,
    ShownRecords, merge_project, merge_show_only, merge_stores, move_project, remove_moved_project,
};
pub use local::{JsonlStore, act_alone, change_file, directory};
#[cfg(any(test, feature = "conformance"))]
pub use memory::MemoryStore;
pub use overview::{other_metrics, testbeds_of};
pub use project::Project;
pub use query::{Detail, Query, Which};
pub use regular_file::{
    open_regular, open_stored, read_at_most, read_regular_text, read_stored_text,
};
pub use series::Series;
pub use store::Store;
pub use testbeds::{TestbedChange, TestbedDecision, Testbeds};
pub use waited_time::WaitedTime;
pub use with_damage::{Damage, WithDamage};

/// Flat JSON objects, one a line: the form of records, and of messages between processes.
pub mod line {
    pub use crate::format::{
        Fields, FromJson, JsonLine, LineError, NotFinite, ToJson, check_sum, check_version,
    };
}
