//! Measuring: batches of the user's routine, and what happened meanwhile.
//!
//! Between two clock reads there is no allocation, lock, print or branch on configuration. A routine with
//! stages is the exception: finding a stage and reading its clock happens inside the batch, outside the
//! stage's own time.

mod allocation;
mod at_exit;
mod before_main;
mod bench_loop;
mod build_directories;
#[cfg(test)]
mod costs;
mod counts;
mod events;
mod exit_message;
mod failure;
mod heap;
mod kept_failures;
mod mailbox;
mod meter;
mod one_kind;
mod other_threads;
mod own_process;
mod parent;
mod routine;
mod run_queue;
mod sampler;
mod stages;
mod standard_input;
mod standard_output;
mod starting_line;
mod stopwatch;
mod surroundings;
mod team;
mod tuning;
mod usage;
mod watchdog;

/// What libtest returns for a failure.
const FAILED: i32 = 101;

pub(crate) use allocation::Allocations;
pub use allocation::CountingAllocator;
pub(crate) use at_exit::{at_exit, when_registered};
pub(crate) use before_main::before_main;
pub(crate) use build_directories::BuildDirectories;
pub(crate) use events::{count_instructions, event_of};
pub(crate) use exit_message::ExitMessage;
pub use failure::Failure;
pub(crate) use heap::settle_heap;
pub(crate) use kept_failures::keep_failure;
pub(crate) use meter::{Meter, MeterReading};
pub(crate) use one_kind::OneKind;
pub(crate) use other_threads::other_threads_cpu_ns;
pub(crate) use own_process::catch_in_own_process;
pub(crate) use parent::end_with_parent;
pub(crate) use routine::{
    BorrowRoutine, CommandRoutine, CustomRoutine, LoopRoutine, Routine, SetupRoutine, StandIns,
};
pub(crate) use sampler::{SamplingPass, TagMark, with_threads_of_cases};
pub(crate) use stages::StagedRoutine;
pub use stages::Stages;
pub(crate) use standard_input::StandardInput;
pub(crate) use standard_output::StandardOutput;
pub(crate) use stopwatch::{Stopwatch, Timing};
pub(crate) use surroundings::Surroundings;
pub(crate) use team::on_threads;
pub(crate) use tuning::{Tuning, rewarm, tune};
pub(crate) use usage::{children_cpu_ns, process_cpu_ns};
pub(crate) use watchdog::Watchdog;
