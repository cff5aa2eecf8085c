//! Instructions under valgrind, for a test that is judged by them on a processor without a counter.

use super::session::Session;
use super::worker_command::worker_command;
use crate::measure::event_of;
use crate::perf_test::{NamesInExecutable, PerfTest};
use perftest_core::model::{InstructionCounter, Metric, ProcessValue};
use perftest_machine::{Countable, Counter};
use perftest_process::{WorkerCommand, count_under_valgrind, valgrind_version};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A batch may take this many times as long: valgrind takes some 50, and serialises threads.
const PATIENCE: u32 = 200;

/// Longest time of a batch under valgrind that takes `longest_batch` without it.
pub(super) fn longest_answer(longest_batch: Duration) -> Duration {
    WorkerCommand::LONGEST_START + PATIENCE * longest_batch
}

/// Counts the instructions of an iteration of one test.
#[derive(Default)]
pub(super) struct ValgrindCounts {
    /// The executables with their counts, or `None` where the count failed.
    counted: Vec<(PathBuf, Option<ProcessValue>)>,
}

impl ValgrindCounts {
    /// `None` if no verdict needs instructions, the processor counts them, or valgrind is not set.
    pub(super) fn of(session: &Session, test: &PerfTest) -> Option<Self> {
        let is_asked_for = session.config.instructions == InstructionCounter::Valgrind;
        let judge = test.metrics.iter().any(|it| event_of(it) == Some(Countable::Instructions));
        let is_needed = || Counter::of_this_thread(Countable::Instructions).is_err();
        (is_asked_for && judge && is_needed()).then(Self::default)
    }

    /// Counts in worker processes of an executable that has a test of these names. `longest_batch` is the
    /// longest batch of these iterations without valgrind.
    ///
    /// # Errors
    /// Why nothing was counted.
    pub(super) fn count(
        &self,
        executable: &Path,
        names: NamesInExecutable,
        iterations: u64,
        longest_batch: Duration,
    ) -> Result<ProcessValue, String> {
        valgrind_version()?;
        let longest = longest_answer(longest_batch);
        let command = worker_command(names, executable, longest)?;
        let value = count_under_valgrind(&command, iterations, longest)?;
        Ok(ProcessValue { metric: Metric::instructions(InstructionCounter::Valgrind), value })
    }

    /// Counts each executable once: the first count holds for all of its processes.
    pub(super) fn count_once(
        &mut self,
        executable: &Path,
        names: NamesInExecutable,
        iterations: u64,
        longest_batch: Duration,
    ) -> Option<ProcessValue> {
        if let Some((_, counted)) = self.counted.iter().find(|(its, _)| its == executable) {
            return counted.clone();
        }
        let counted = self.count(executable, names, iterations, longest_batch).ok();
        self.counted.push((executable.to_owned(), counted.clone()));
        counted
    }
}
