//! Two fresh processes, measured in turns: the one way to compare executables.

use super::worker_process::{WorkerCommand, WorkerProcess};
use perftest_core::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, PairPlan, ProcessPair, Side,
    metric_changes,
};
use perftest_core::list::IntoList;
use perftest_core::model::{Direction, MetricChange, ProcessRecord};
use std::time::{Duration, Instant};

/// The commands for a pair of fresh processes.
#[derive(Debug, Clone, Copy)]
pub struct WorkerPair<'a> {
    /// The process to compare with.
    pub base: &'a WorkerCommand,
    /// The process under test.
    pub head: &'a WorkerCommand,
    /// Longest time in which a process may send nothing.
    pub longest: Duration,
}

/// What a pair of fresh processes recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedPair {
    /// The process to compare with.
    pub base: ProcessRecord,
    /// The process under test.
    pub head: ProcessRecord,
    /// Time from the start of the first process to the end of both.
    pub elapsed: Duration,
}

/// A comparison that is decided.
#[derive(Debug, Clone)]
pub struct DecidedComparison {
    /// The comparison with all of its pairs.
    pub comparison: Comparison,
    /// Its result.
    pub result: ComparisonResult,
    /// The changes of all metrics beside wall time.
    pub changes: Vec<MetricChange>,
}

/// Why one side of a pair could not be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFailure {
    /// The side that failed.
    pub side: Side,
    /// The failure of its process.
    pub why: String,
}

impl WorkerPair<'_> {
    /// Measures pairs until the comparison is decided.
    ///
    /// # Errors
    /// The side that failed, and how.
    pub fn compare(
        &self,
        direction: Direction,
        policy: ComparisonPolicy,
    ) -> Result<DecidedComparison, SideFailure> {
        let mut comparison = Comparison::new(direction, policy);
        let mut pairs: Vec<RecordedPair> = Vec::new();
        loop {
            match comparison.step() {
                ComparisonStep::Done(result) => {
                    let records = pairs.iter().map(|pair| (&pair.base, &pair.head)).into_list();
                    let changes = metric_changes(&records);
                    return Ok(DecidedComparison { comparison, result: *result, changes });
                }
                ComparisonStep::Measure(plan) => {
                    let pair = self.measure(&plan, None)?;
                    let (base, head) = (pair.base.measurements(), pair.head.measurements());
                    comparison.observe(ProcessPair { base, head }, pair.elapsed);
                    pairs.push(pair);
                }
            }
        }
    }

    /// Measures one pair: the same work on both sides in each turn. A batch has `iterations`. With
    /// `None` it has as many as both sides can run in a usual batch.
    ///
    /// # Errors
    /// The side that failed, and how.
    pub fn measure(
        &self,
        plan: &PairPlan,
        iterations: Option<u64>,
    ) -> Result<RecordedPair, SideFailure> {
        let began = Instant::now();
        let (first, second) = (self.start(plan.starts)?, self.start(plan.starts.other())?);
        let (mut base, mut head) = match plan.starts {
            Side::Base => (first, second),
            Side::Head => (second, first),
        };
        let tuned = || base.tuned_iterations().min(head.tuned_iterations());
        let iterations = iterations.unwrap_or_else(tuned);
        // A side runs fewer where its routine allows no more, and then the other side does, too.
        let mut most = u64::MAX;
        for (side, iterations) in plan.batches(iterations, || began.elapsed() >= plan.longest) {
            let iterations = iterations.min(most);
            let process = match side {
                Side::Base => &mut base,
                Side::Head => &mut head,
            };
            let measured = process.measure(1, Some(iterations), self.longest);
            measured.map_err(|why| SideFailure { side, why })?;
            most = process.newest_iterations().filter(|ran| *ran < iterations).unwrap_or(most);
        }
        let end = |side, process: WorkerProcess| {
            process.end(self.longest).map_err(|why| SideFailure { side, why })
        };
        let (base, head) = (end(Side::Base, base)?, end(Side::Head, head)?);
        Ok(RecordedPair { base, head, elapsed: began.elapsed() })
    }

    fn start(&self, side: Side) -> Result<WorkerProcess, SideFailure> {
        let command = match side {
            Side::Base => self.base,
            Side::Head => self.head,
        };
        WorkerProcess::start(command).map_err(|why| SideFailure { side, why })
    }
}
