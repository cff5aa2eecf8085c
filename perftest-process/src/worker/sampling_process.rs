//! Takes the samples of a profile in a fresh process.

use super::protocol::{FromParent, FromWorker, SAMPLES_VARIABLE, SamplingPlan, SamplingReport};
use super::worker_process::{WorkerChannel, WorkerCommand, out_of_turn};
use std::path::Path;
use std::time::Duration;

/// Executes a test in a fresh process and leaves its samples in `file`. Beside the time with samples, the process
/// may take `longest` for its answer: for blocks without samples, and for the last iteration.
///
/// # Errors
/// A message when the process cannot be started, fails, ends, hangs, speaks another version, or cannot take
/// samples.
pub fn sample_test(
    command: &WorkerCommand,
    plan: &SamplingPlan,
    file: &Path,
    longest: Duration,
) -> Result<SamplingReport, String> {
    let mut process = command.under(&[]);
    process.env(SAMPLES_VARIABLE, file);
    let mut channel = WorkerChannel::greeted(process, command)?;
    channel.prepared(command.longest_start)?;
    channel.send(&FromParent::Sample(plan.clone()))?;
    let report = match channel.answer(2 * plan.time + longest)? {
        FromWorker::Sampled(report) => report,
        other => return Err(out_of_turn(&other)),
    };
    // The samples are complete. How the process ends makes no difference to them.
    let _ = channel.send(&FromParent::Bye);
    let _ = channel.answer(longest);
    Ok(report)
}
