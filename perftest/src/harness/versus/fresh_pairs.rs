//! A test and its rival, each in a fresh process.

use crate::harness::confirming::{this_executable, worker_command};
use crate::perf_test::PerfTest;
use perftest_core::judge::{
    Compared, Comparison, ComparisonPolicy, ComparisonStep, ProcessPair, Side, in_turns,
};
use perftest_core::model::Metric;
use perftest_store::protocol::RIVAL_VARIABLE;
use perftest_store::{WorkerCommand, WorkerProcess};
use std::time::{Duration, Instant};

/// Compares by pairs of fresh processes.
pub(super) struct FreshPairs<'a> {
    test: &'a PerfTest,
    rival_name: &'a str,
    /// Longest time in which a process may give no sign.
    longest: Duration,
}

impl<'a> FreshPairs<'a> {
    pub(super) fn new(test: &'a PerfTest, rival_name: &'a str, budget_ns: u64) -> Self {
        let longest = WorkerCommand::LONGEST_START + Duration::from_nanos(budget_ns);
        Self { test, rival_name, longest }
    }

    /// # Errors
    /// What a process failed with.
    pub(super) fn compare(&self, policy: ComparisonPolicy) -> Result<Compared, String> {
        let mut comparison = Comparison::new(Metric::wall().direction, policy);
        loop {
            match comparison.step() {
                ComparisonStep::Done(compared) => return Ok(*compared),
                ComparisonStep::Measure { turns, jitter, longest } => {
                    let began = Instant::now();
                    let is_late = || began.elapsed() >= longest;
                    let pair = self.pair(&turns, &jitter, is_late)?;
                    comparison.observe(pair, began.elapsed());
                }
            }
        }
    }

    fn pair(
        &self,
        turns: &[Side],
        jitter: &[f64],
        is_late: impl FnMut() -> bool,
    ) -> Result<ProcessPair, String> {
        let of_rival = |why: String| format!("`{}`: {why}", self.rival_name);
        let mut base = WorkerProcess::start(&self.command_of_rival()?).map_err(of_rival)?;
        let mut head = WorkerProcess::start(&self.command()?)?;
        let tuned = base.tuned_iterations().min(head.tuned_iterations());
        for (side, iterations) in in_turns(turns, jitter, tuned, is_late) {
            match side {
                Side::Base => base.measure(1, Some(iterations), self.longest).map_err(of_rival)?,
                Side::Head => head.measure(1, Some(iterations), self.longest)?,
            }
        }
        let base = base.end(self.longest).map_err(of_rival)?;
        let head = head.end(self.longest)?;
        Ok(ProcessPair { base: base.measurements(), head: head.measurements() })
    }

    fn command(&self) -> Result<WorkerCommand, String> {
        worker_command(self.test, &this_executable()?, self.longest)
    }

    fn command_of_rival(&self) -> Result<WorkerCommand, String> {
        let environment = vec![(RIVAL_VARIABLE.into(), "1".into())];
        Ok(WorkerCommand { environment, ..self.command()? })
    }
}
