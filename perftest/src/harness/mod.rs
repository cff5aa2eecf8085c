//! Running perf tests: as a binary of our own, inside libtest, and as a worker process.

mod arguments;
mod body;
mod confirmation_runner;
mod crowding;
mod drift;
mod drivers;
mod gaps;
mod isolation;
mod job_report;
mod keep_executable;
mod libtest;
mod list;
mod loaded_history;
mod lock;
mod machine;
mod outcome_report;
mod package;
mod record;
#[cfg(test)]
mod recorded_test;
mod recording;
mod rerun;
mod series;
mod series_history;
mod series_runner;
mod session;
mod session_notes;
mod start;
mod suite;
mod target;
mod test_context;
mod test_names;
mod trial_run;
mod valgrind;
mod verdict;
mod versus;
mod worker;
mod worker_command;

pub(crate) use arguments::{Arguments, Color, ResultFormat};
pub use libtest::run_in_libtest;
pub use suite::{bench_main, main};
