//! Asks other processes, and finds the project that they belong to.
//!
//! This crate starts processes and waits for them no longer than it is allowed to. It prints nothing,
//! judges nothing, and reads environment variables only through a function that it is handed.
//!
//! * [`protocol`]: the messages between a test process and its fresh worker processes;
//!   [`WorkerProcess`] is the test process's end of them, [`WorkerPair`] compares two executables.
//! * [`ListedTest`]: the perf tests of an executable, asked from outside; [`TestOutcome`]: how one of
//!   them ended; [`is_from_parent`]: whether perftest started this process.
//! * [`count_instructions`]: of the same work in two executables, in worker processes, by the
//!   processor or by valgrind; [`count_under_valgrind`]: in one of them.
//! * [`Executables`]: test executables that were good, kept to be measured again.
//! * [`code_of_file`]: which machine code an executable is, and [`elf`], the format it reads.
//! * [`MeasuringLock`]: one measuring process at a time.
//! * [`find_project`]: which repository a directory belongs to, the same for every clone;
//!   [`settings_text`]: its settings as a parser may see them; [`DefaultBranch`]: which of its branches
//!   is the default one; [`Repository`]: what git's files contain of both; [`GitQuestion`]: what only
//!   git can answer; [`CiProvider`]: whose job it is built in.
#![forbid(unsafe_code)]

mod executable;
mod last_lines;
mod measuring_lock;
mod owner;
mod program_output;
mod project;
mod worker;

pub use executable::{
    Executables, KeptExecutable, Launch, UnpackedExecutable, code_of, code_of_file, elf,
};
pub use last_lines::LastLines;
pub use measuring_lock::{LockError, MeasuringLock};
pub use project::{
    CiProvider, DefaultBranch, GitQuestion, Repository, SETTINGS_FILE, find_project, git_command,
    project_root, settings_file, settings_text,
};
pub use worker::{
    JudgedOutcome, LIST_VARIABLE, ListedTest, OUTCOMES_VARIABLE, PARENT_VARIABLE, RecordedPair,
    SESSION_VARIABLE, SideFailure, TestOutcome, WorkerCommand, WorkerPair, WorkerProcess,
    count_instructions, count_under_valgrind, is_from_parent, parent_token, protocol,
    valgrind_version,
};
