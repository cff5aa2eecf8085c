//! Running perf tests: as a binary of our own, inside libtest, and as a worker process.

mod arguments;
mod body;
mod confirming;
mod crowding;
mod drift;
mod drivers;
mod isolation;
mod kept;
mod known;
mod ledger;
mod libtest;
mod list;
mod lock;
mod package;
mod record;
mod recording;
mod series;
mod series_runner;
mod session;
mod start;
mod suite;
mod target;
mod test_context;
mod told;
mod trial_run;
mod valgrind;
mod verdict;
mod versus;
mod worker;
mod worker_command;

pub(crate) use arguments::{Arguments, Color, Format};
pub use libtest::run_in_libtest;
pub use suite::{bench_main, main};
