//! Starts and asks other processes, and finds their project.
//!
//! Each wait for a process has a limit. This crate prints nothing, decides no verdict, and reads
//! environment variables only through a function from the caller.
//!
//! * [`protocol`]: the messages between a test process and its fresh worker processes;
//!   [`WorkerProcess`] is the test process's end of them, [`WorkerPair`] compares two executables.
//! * [`ListedTest`]: the perf tests of an executable; [`ChosenTests`]: those that run; [`TestOutcome`]: the end of one;
//!   [`start_in_mode`]: how perftest starts a process that answers it; [`is_from_parent`]: whether it did.
//! * [`count_instructions`]: counts the same work in two executables, in worker processes, by the
//!   processor or by valgrind; [`count_under_valgrind`]: counts in one executable.
//! * [`sample_test`]: takes the samples of a profile in a worker process; [`samples`]: the file that they are in.
//! * [`Executables`]: good test executables and their programs, kept for later measurements.
//! * [`code_of_file`]: hashes of an executable's machine code; [`code_with_programs`]: with that of the programs that it
//!   starts; [`elf`]: its file format; [`artifact_directory`]: the place of its build; [`built_libraries`]: shared libraries of its build.
//! * [`MeasuringLock`]: one measuring process at a time.
//! * [`was_stopped`]: whether a time-out proves nothing, because this process did not run at its end.
//! * [`state_directory`]: where a user's histories are; [`runtime_directory`]: where the lock is.
//! * [`find_project`]: the repository of a directory, the same for every clone; [`find_project_in_store`],
//!   [`adopt_project`]: the same with a history from before it had an origin;
//!   [`find_project_left_behind`]: runs that are still under the name of that time; [`settings_text`]: its
//!   checked settings file; [`DefaultBranch`]: its default branch; [`Repository`]: facts from git's files;
//!   [`GitQuestion`]: facts that only git knows; [`CiProvider`]: the CI system of this job;
//!   [`JobBranch`]: the branch that it builds.
#![forbid(unsafe_code)]

mod executable;
mod last_lines;
mod measuring_lock;
mod owner;
mod program_output;
mod project;
mod reader_thread;
mod time_out;
mod user_directories;
mod worker;

pub use executable::{
    Executables, KeptBuild, KeptExecutable, LIBRARY_PATH_VARIABLE, Launch, UnpackedBuild,
    UnpackedExecutable, artifact_directory, built_libraries, code_of, code_of_file,
    code_with_programs, elf, library_path, sha256_hex,
};
pub use last_lines::LastLines;
pub use measuring_lock::{LockError, MeasuringLock};
pub use program_output::wait_at_most;
pub use project::{
    CiProvider, DefaultBranch, GitQuestion, JobBranch, Repository, SETTINGS_FILE, adopt_project,
    describe_no_toml, find_project, find_project_in_store, find_project_left_behind, git_command,
    normalise_url, project_root, settings_file, settings_text,
};
pub use time_out::was_stopped;
pub use user_directories::{runtime_directory, state_directory};
#[cfg(feature = "tool")]
pub use worker::sample_test;
pub use worker::{
    BOOTSTRAP_VARIABLE, CHOSEN_VARIABLE, ChosenTests, DecidedComparison, DecidingSeries,
    JudgedOutcome, LIST_VARIABLE, ListedTest, OUTCOMES_VARIABLE, PARENT_VARIABLE, RecordedPair,
    SESSION_VARIABLE, SideFailure, TestOutcome, WorkerCommand, WorkerPair, WorkerProcess,
    count_instructions, count_under_valgrind, is_from_parent, parent_token, protocol,
    sample_file as samples, start_in_mode, valgrind_version,
};
