//! Running perf tests: as a binary of our own, inside libtest, and as a worker process.

mod arguments;
mod body;
mod confirmation_runner;
mod crowding;
mod drift;
mod drivers;
mod isolation;
mod keep_executable;
mod loaded_history;
mod session_notes;
mod libtest;
mod list;
mod lock;
mod panel;
mod record;
mod session;
mod start;
mod suite;
mod tape;
mod outcome_report;
mod trial_run;
mod valgrind;
mod verdict;
mod versus;
mod worker;

pub(crate) use arguments::{Arguments, Color, ResultFormat};
pub use libtest::run_in_libtest;
pub use suite::{bench_main, main};
