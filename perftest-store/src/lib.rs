//! Keeps the history of performance tests under a path it is given.
//!
//! The store does not know that it has a user: it reads no environment variable, looks for no
//! home directory and prints nothing. What it finds wrong it returns, as a [`StoreError`] with
//! the file and the way out, or as [`Damage`] beside what could be read.
//!
//! * [`Store`]: what every place of history can do; [`JsonlStore`] keeps it in append-only JSON
//!   Lines files.
//! * [`AcceptanceFile`]: acceptances that are reviewed and travel with the code.
//! * [`open_regular`]: opens what may be a pipe or a device and never waits; [`change_file`]: lets those who
//!   change a file at once lose nothing.
//! * [`load_anchor`]: the frozen baseline of a test.
//! * [`Executables`]: test executables that were good, kept to be measured again.
//! * [`Project`]: which repository a directory belongs to, the same for every clone;
//!   [`settings_text`]: its settings as a parser may see them; [`DefaultBranch`]: which of its branches is the
//!   default one; [`Repository`]: what git's files say of both; [`GitQuestion`]: what only git can tell;
//!   [`CiProvider`]: whose job it is built in.
//! * [`Digest`]: the hash behind file names and identities; [`code_of_file`]: which machine
//!   code an executable is, and [`elf`], the format it reads; [`Cache`] keeps such answers, and
//!   [`file_state`] tells whether they still hold.
//! * [`MeasuringLock`]: one measuring process at a time.
//! * [`protocol`]: the messages between a test process and its fresh worker processes;
//!   [`WorkerProcess`] is the test process's end of them.
//! * [`ListedTest`]: the perf tests of an executable, asked from outside; [`TestOutcome`]: how one of
//!   them ended; [`is_from_parent`]: whether perftest started this process.
//! * [`count_instructions`]: of the same work in two executables, in worker processes, by the
//!   processor or by valgrind; [`count_under_valgrind`]: in one of them.
//!
//! Behind features, since no perf test needs them:
//!
//! * `conformance`: what every implementation of [`Store`] is held to, runs as a test needs them, and
//!   `MemoryStore`, which keeps a history for the length of a process.
//! * `recording`: measurements that were recorded as CSV.
//!
//! The written format is described in `docs/reference/store-format.md`.
#![forbid(unsafe_code)]

mod acceptance_file;
mod anchor;
mod cache;
mod ci_provider;
mod code;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod default_branch;
mod digest;
pub mod elf;
mod error;
#[cfg(any(test, feature = "conformance"))]
mod example_run;
mod executables;
mod file_name;
mod file_state;
mod format;
mod git;
mod handshake;
mod instruction_count;
mod kept_executable;
mod last_lines;
mod lens;
mod listed_test;
mod listing;
mod local;
mod measuring_lock;
#[cfg(any(test, feature = "conformance"))]
mod memory;
mod owner;
mod program_output;
mod project;
pub mod protocol;
mod query;
#[cfg(any(test, feature = "recording"))]
pub mod recording;
mod regular_file;
mod repository;
mod selection;
mod settings_text;
mod store;
mod test_outcome;
mod valgrind;
mod with_damage;
mod worker_pair;
mod worker_process;

pub use acceptance_file::AcceptanceFile;
pub use anchor::load_anchor;
pub use cache::Cache;
pub use ci_provider::CiProvider;
pub use code::{code_of, code_of_file};
pub use default_branch::DefaultBranch;
pub use digest::Digest;
pub use error::StoreError;
pub use executables::Executables;
pub use file_state::file_state;
pub use format::SCHEMA;
pub use git::{GitQuestion, git_command};
pub use handshake::{PARENT_VARIABLE, is_from_parent, parent_token};
pub use instruction_count::{count_instructions, count_under_valgrind};
pub use kept_executable::{KeptExecutable, Launch, UnpackedExecutable};
pub use last_lines::LastLines;
pub use listed_test::{LIST_VARIABLE, ListedTest};
pub use listing::{Listing, UnreadableFile};
pub use local::{JsonlStore, change_file};
pub use measuring_lock::{LockError, MeasuringLock};
#[cfg(any(test, feature = "conformance"))]
pub use memory::MemoryStore;
pub use project::Project;
pub use query::{Query, Which};
pub use regular_file::{open_regular, read_regular_text};
pub use repository::Repository;
pub use settings_text::settings_text;
pub use store::{Series, Store};
pub use test_outcome::{JudgedOutcome, OUTCOMES_VARIABLE, TestOutcome};
pub use valgrind::valgrind_version;
pub use with_damage::{Damage, WithDamage};
pub use worker_pair::{RecordedPair, SideFailure, WorkerPair};
pub use worker_process::{WorkerCommand, WorkerProcess};
