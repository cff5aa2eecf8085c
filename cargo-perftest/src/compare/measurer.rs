//! Measures one test of both sides in pairs of fresh processes.

use super::side_tests::SideTest;
use crate::args::PairOptions;
use crate::report::tell;
use perftest_core::judge::{
    Compared, Comparison, ComparisonPolicy, ComparisonStep, ProcessPair, Side, in_turns,
};
use perftest_core::model::{InstructionCounter, Instructions, Measurement, Metric, Tolerance};
use perftest_store::{MeasuringLock, WorkerCommand, WorkerProcess, count_instructions};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// Before another measuring process is told of.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for another measuring process.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// How tests are measured.
#[derive(Debug)]
pub(crate) struct Measurer {
    /// With the tolerance of a test that has none of its own, if there is none for all. Each
    /// comparison has a seed of its own.
    pub(crate) policy: ComparisonPolicy,
    /// Of all tests.
    pub(crate) tolerance: Option<Tolerance>,
    /// Longest time in which a worker may give no sign.
    pub(crate) longest: Duration,
}

impl Measurer {
    /// One that does as was asked.
    pub(crate) fn new(options: &PairOptions) -> Self {
        let policy = ComparisonPolicy {
            budget_ns: u64::try_from(options.budget.as_nanos()).unwrap_or(u64::MAX),
            most_pairs: options.most,
            ..ComparisonPolicy::default()
        };
        Self { policy, tolerance: options.tolerance, longest: options.timeout }
    }

    /// The tolerance at which this test is judged.
    pub(crate) fn tolerance_of(&self, head: &SideTest) -> Tolerance {
        let own = head.listed.tolerance.and_then(|share| Tolerance::new(share).ok());
        self.tolerance.or(own).unwrap_or(self.policy.tolerance)
    }

    /// Measures until the test is decided.
    ///
    /// # Errors
    /// Which side failed, and how.
    pub(crate) fn compare(&self, base: &SideTest, head: &SideTest) -> Result<Compared, String> {
        self.decided(base, head).map(|(_, compared)| compared)
    }

    /// The same with all that was seen.
    pub(crate) fn decided(
        &self,
        base: &SideTest,
        head: &SideTest,
    ) -> Result<(Comparison, Compared), String> {
        let _alone = lock()?;
        let tolerance = self.tolerance_of(head);
        let policy = ComparisonPolicy { tolerance, seed: seed(), ..self.policy.clone() };
        let mut comparison = Comparison::new(Metric::wall().direction, policy);
        loop {
            match comparison.step() {
                ComparisonStep::Done(compared) => return Ok((comparison, *compared)),
                ComparisonStep::Measure { turns, jitter, longest } => {
                    let pair = Pair { turns, jitter, began: Instant::now(), longest };
                    let measured = self.measured(base, head, &pair)?;
                    comparison.observe(measured, pair.began.elapsed());
                }
            }
        }
    }

    /// Counts the instructions of an iteration on both sides, of as many as make a batch.
    ///
    /// # Errors
    /// Which side failed, and how; or why nothing can be counted.
    pub(crate) fn count(
        &self,
        base: &SideTest,
        head: &SideTest,
        counter: InstructionCounter,
    ) -> Result<Instructions, String> {
        let _alone = lock()?;
        let tuned = |test, side| {
            let worker = self.start(test, side)?;
            let iterations = worker.process.tuned_iterations();
            worker.end(self.longest)?;
            Ok::<u64, String>(iterations)
        };
        let iterations = tuned(base, Side::Base)?.min(tuned(head, Side::Head)?);
        let (base, head) = (self.command(base), self.command(head));
        count_instructions(&base, &head, iterations, counter, self.longest)
    }

    fn measured(
        &self,
        base: &SideTest,
        head: &SideTest,
        pair: &Pair,
    ) -> Result<ProcessPair, String> {
        let mut base = self.start(base, Side::Base)?;
        let mut head = self.start(head, Side::Head)?;
        // The same work on both sides in each turn, and no longer batches than either would take.
        let tuned = base.process.tuned_iterations().min(head.process.tuned_iterations());
        let is_late = || pair.began.elapsed() >= pair.longest;
        for (side, iterations) in in_turns(&pair.turns, &pair.jitter, tuned, is_late) {
            let worker = match side {
                Side::Base => &mut base,
                Side::Head => &mut head,
            };
            worker.measure(iterations, self.longest)?;
        }
        Ok(ProcessPair { base: base.end(self.longest)?, head: head.end(self.longest)? })
    }

    fn start(&self, test: &SideTest, side: Side) -> Result<Worker, String> {
        let started = WorkerProcess::start(&self.command(test));
        let process = started.map_err(|why| of_side(side, &why))?;
        Ok(Worker { side, process })
    }

    fn command(&self, test: &SideTest) -> WorkerCommand {
        let directory = &test.executable.directory;
        WorkerCommand {
            executable: test.executable.path.clone(),
            directory: directory.clone(),
            test: test.listed.name.clone(),
            ordinary: test.listed.ordinary.clone(),
            test_threads: usual_test_threads(),
            // As cargo does for its tests.
            environment: vec![("CARGO_MANIFEST_DIR".into(), directory.clone().into())],
            longest_start: self.longest,
        }
    }
}

/// What `cargo test` uses: as many as its variable says, else one for each processor.
fn usual_test_threads() -> u16 {
    let set = std::env::var("RUST_TEST_THREADS").ok().and_then(|text| text.parse().ok());
    set.unwrap_or_else(|| thread::available_parallelism().map_or(1, |it| it.get() as u16))
}

/// How one pair is measured.
struct Pair {
    /// Who begins each turn.
    turns: Vec<Side>,
    /// Factor on the tuned iterations of each turn.
    jitter: Vec<f64>,
    began: Instant,
    longest: Duration,
}

/// One process of a pair.
struct Worker {
    side: Side,
    process: WorkerProcess,
}

impl Worker {
    fn measure(&mut self, iterations: u64, longest: Duration) -> Result<(), String> {
        let measured = self.process.measure(1, Some(iterations), longest);
        measured.map_err(|why| of_side(self.side, &why))
    }

    fn end(self, longest: Duration) -> Result<Vec<Measurement>, String> {
        let recorded = self.process.end(longest).map_err(|why| of_side(self.side, &why))?;
        Ok(recorded.measurements())
    }
}

/// A comparison that is repeated takes its turns in another order.
fn seed() -> u64 {
    RandomState::new().hash_one(Instant::now())
}

fn of_side(side: Side, why: &str) -> String {
    match side {
        Side::Base => format!("base: {why}"),
        Side::Head => format!("head: {why}"),
    }
}

/// The lock that test processes hold while they measure.
fn lock() -> Result<MeasuringLock, String> {
    let directories = directories::BaseDirs::new();
    let runtime = directories.as_ref().and_then(directories::BaseDirs::runtime_dir);
    let home = directories.as_ref().map(directories::BaseDirs::home_dir);
    let path: PathBuf = MeasuringLock::path(runtime, home, &std::env::temp_dir());
    MeasuringLock::acquire(&path, PATIENCE)
        .or_else(|| {
            tell(&"another performance test is running on this machine; waiting for it");
            MeasuringLock::acquire(&path, LONGEST_WAIT)
        })
        .ok_or_else(|| {
            let minutes = LONGEST_WAIT.as_secs() / 60;
            format!("another process on this machine has been measuring for {minutes} minutes")
        })
}
