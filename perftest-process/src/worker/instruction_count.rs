//! Counts the instructions of one iteration in fresh processes of two executables.
//!
//! A counting process does nothing that depends on a clock. So its instructions depend on the code
//! alone, unless the code uses random numbers.

use super::protocol::{COUNTING_VARIABLE, FromParent, FromWorker};
use super::valgrind::{VALGRIND, instructions_in};
use super::worker_process::{WorkerChannel, WorkerCommand, out_of_turn};
use perftest_core::model::{InstructionCounter, Instructions};
use std::time::Duration;

/// Counts the instructions of an iteration twice in each executable: those of `iterations`
/// iterations, divided by their number (under valgrind, of their second half). The first
/// `iterations` of a process are an uncounted warm-up. Each answer of a process may take `longest`.
///
/// The processor counts the thread that runs the iterations; valgrind counts all threads.
///
/// # Errors
/// A message when a process cannot be started, fails, ends, hangs or speaks another version, or
/// when nothing can be counted.
pub fn count_instructions(
    before: &WorkerCommand,
    now: &WorkerCommand,
    iterations: u64,
    counter: InstructionCounter,
    longest: Duration,
) -> Result<Instructions, String> {
    let count = |command| match counter {
        InstructionCounter::Processor => by_processor(command, iterations.max(1), longest),
        InstructionCounter::Valgrind => count_under_valgrind(command, iterations, longest),
    };
    let before = [count(before)?, count(before)?];
    let now = [count(now)?, count(now)?];
    Ok(Instructions::of(before, now, counter))
}

fn by_processor(
    command: &WorkerCommand,
    iterations: u64,
    longest: Duration,
) -> Result<f64, String> {
    let mut process = CountingProcess::start(command, &[], longest)?;
    process.execute(iterations)?;
    let counted = process.execute(iterations)?;
    process.channel.finish(longest)?;
    let counted = counted.filter(|count| *count > 0);
    let counted = counted.ok_or_else(|| "the processor counts none".to_owned())?;
    Ok(counted as f64 / iterations as f64)
}

/// Counts the instructions of an iteration under valgrind, as the difference of two processes: the
/// second batch has `iterations` in one and half of them in the other. The difference removes the
/// process itself, its first batch, and the fixed cost of a batch. Each answer of a process may
/// take `longest`.
///
/// # Errors
/// A message when valgrind or a process fails, ends, hangs or speaks another version, or when nothing
/// can be counted.
pub fn count_under_valgrind(
    command: &WorkerCommand,
    iterations: u64,
    longest: Duration,
) -> Result<f64, String> {
    let iterations = iterations.max(1);
    let executed = |second_batch: u64| {
        let mut process = CountingProcess::start(command, VALGRIND, longest)?;
        process.execute(iterations)?;
        process.execute(second_batch)?;
        let last_words = process.channel.finish(longest)?;
        instructions_in(&last_words)
            .ok_or_else(|| format!("valgrind gave no count; its last words:\n{last_words}"))
    };
    let half = iterations / 2;
    let (less, all) = (executed(half)?, executed(iterations)?);
    let more = all.checked_sub(less).filter(|more| *more > 0).ok_or_else(|| {
        format!(
            "a process that did the work twice took {all} instructions, one that did less of it \
             {less}: they differ by chance"
        )
    })?;
    Ok(more as f64 / (iterations - half) as f64)
}

/// A worker process that only counts.
struct CountingProcess {
    channel: WorkerChannel,
    longest: Duration,
}

impl CountingProcess {
    fn start(
        command: &WorkerCommand,
        launcher: &[&str],
        longest: Duration,
    ) -> Result<Self, String> {
        let mut process = command.under(launcher);
        process.env(COUNTING_VARIABLE, "1");
        Ok(Self { channel: WorkerChannel::greeted(process, command)?, longest })
    }

    /// Executes `iterations`; returns the processor's count.
    fn execute(&mut self, iterations: u64) -> Result<Option<u64>, String> {
        self.channel.send(&FromParent::Count { iterations })?;
        match self.channel.answer(self.longest)? {
            FromWorker::Counted { instructions } => Ok(instructions),
            other => Err(out_of_turn(&other)),
        }
    }
}
