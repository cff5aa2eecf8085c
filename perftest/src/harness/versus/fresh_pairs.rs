//! A test and its rival, each in a fresh process.

use crate::harness::worker_command::{this_executable, worker_command};
use crate::perf_test::PerfTest;
use perftest_core::judge::{ComparisonPolicy, ComparisonResult, Side};
use perftest_core::model::Metric;
use perftest_process::protocol::RIVAL_VARIABLE;
use perftest_process::{SideFailure, WorkerCommand, WorkerPair};
use std::time::Duration;

/// Compares by pairs of fresh processes.
pub(super) struct FreshPairs<'a> {
    test: &'a PerfTest,
    rival_name: &'a str,
    /// Longest time in which a process may send nothing.
    longest: Duration,
}

impl<'a> FreshPairs<'a> {
    pub(super) fn new(test: &'a PerfTest, rival_name: &'a str, longest: Duration) -> Self {
        Self { test, rival_name, longest }
    }

    /// # Errors
    /// The failure of a process.
    pub(super) fn compare(&self, policy: ComparisonPolicy) -> Result<ComparisonResult, String> {
        let (base, head) = (self.command_of_rival()?, self.command()?);
        let pair = WorkerPair { base: &base, head: &head, longest: self.longest };
        let compared = pair.compare(Metric::wall().direction, policy);
        compared.map(|decided| decided.result).map_err(|SideFailure { side, why }| match side {
            Side::Base => format!("`{}`: {why}", self.rival_name),
            Side::Head => why,
        })
    }

    fn command(&self) -> Result<WorkerCommand, String> {
        worker_command(self.test.names(), &this_executable()?, self.longest)
    }

    fn command_of_rival(&self) -> Result<WorkerCommand, String> {
        let environment = vec![(RIVAL_VARIABLE.into(), "1".into())];
        Ok(WorkerCommand { environment, ..self.command()? })
    }
}
