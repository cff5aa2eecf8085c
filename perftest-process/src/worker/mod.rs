//! Worker processes: their messages, their start, and their results.

mod chosen_tests;
mod from_parent;
mod from_worker;
mod handshake;
mod instruction_count;
mod listed_test;
mod measured;
mod message;
#[cfg(any(test, feature = "tool"))]
mod outcome_file;
pub mod protocol;
pub mod sample_file;
mod sampling;
#[cfg(feature = "tool")]
mod sampling_process;
#[cfg(any(test, feature = "tool"))]
mod test_list;
mod test_outcome;
mod valgrind;
mod worker_pair;
mod worker_process;

pub use chosen_tests::{CHOSEN_VARIABLE, ChosenTests};
pub use handshake::{LIST_VARIABLE, PARENT_VARIABLE, is_from_parent, parent_token, start_in_mode};
pub use instruction_count::{count_instructions, count_under_valgrind};
pub use listed_test::ListedTest;
#[cfg(feature = "tool")]
pub use sampling_process::sample_test;
pub use test_outcome::{
    BOOTSTRAP_VARIABLE, DecidingSeries, JudgedOutcome, OUTCOMES_VARIABLE, SESSION_VARIABLE,
    TestOutcome,
};
pub use valgrind::valgrind_version;
pub use worker_pair::{DecidedComparison, RecordedPair, SideFailure, WorkerPair};
pub use worker_process::{WorkerCommand, WorkerProcess};
