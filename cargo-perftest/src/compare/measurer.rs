//! Measures one test of both sides in pairs of fresh processes.

use super::NotMeasured;
use super::side_tests::SideTest;
use crate::args::PairOptions;
use crate::cargo_environment::CargoEnvironment;
use crate::report::print_progress;
use perftest_core::judge::{ComparisonPolicy, Side};
use perftest_core::model::{InstructionCounter, Instructions, Metric, Tolerance};
use perftest_process::{
    DecidedComparison, LockError, MeasuringLock, SideFailure, WorkerCommand, WorkerPair,
    WorkerProcess, count_instructions, runtime_directory,
};
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

/// What others read about the process that holds the lock.
const HOLDER: &str = "cargo perftest";
/// Time before the wait for another measuring process is reported.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for one other measuring process.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Measures tests with shared settings.
#[derive(Debug)]
pub(crate) struct Measurer {
    /// The policy with the default tolerance; each comparison gets its own seed.
    pub(crate) policy: ComparisonPolicy,
    /// The tolerance for all tests, if the user sets one.
    pub(crate) tolerance: Option<Tolerance>,
    /// Longest time without a message of a worker before it is stopped.
    pub(crate) longest: Duration,
    /// No test begins after that.
    pub(crate) end: Option<Instant>,
}

impl Measurer {
    /// Creates a measurer with these options.
    pub(crate) fn new(options: &PairOptions) -> Self {
        let policy = ComparisonPolicy {
            budget_ns: u64::try_from(options.test_budget.as_nanos()).unwrap_or(u64::MAX),
            most_pairs: options.most,
            ..ComparisonPolicy::default()
        };
        Self { policy, tolerance: options.tolerance, longest: options.timeout, end: None }
    }

    /// Returns the time for one test.
    pub(super) fn budget(&self) -> Duration {
        Duration::from_nanos(self.policy.budget_ns)
    }

    /// Returns the tolerance of this test.
    pub(crate) fn tolerance_of(&self, head: &SideTest) -> Tolerance {
        let own = head.listed.tolerance.and_then(|share| Tolerance::new(share).ok());
        self.tolerance.or(own).unwrap_or(self.policy.tolerance)
    }

    /// Measures until the test is decided by this tolerance. Returns the time of that, too.
    ///
    /// # Errors
    /// The side that failed, and how.
    pub(crate) fn compare(
        &self,
        tolerance: Tolerance,
        base: &SideTest,
        head: &SideTest,
    ) -> Result<(DecidedComparison, Duration), NotMeasured> {
        let policy = ComparisonPolicy { tolerance, seed: seed(), ..self.policy.clone() };
        let (base, head) = (self.command(base), self.command(head));
        let pair = WorkerPair { base: &base, head: &head, longest: self.longest };
        timed_behind(measuring_lock, || {
            let decided = pair.compare(Metric::wall().direction, policy);
            decided.map_err(|failed| self.cause_of(failed, &head))
        })
    }

    /// Returns why a pair failed. What fails both sides, such as a machine that starts no process, is not the base's fault.
    fn cause_of(&self, failed: SideFailure, head: &WorkerCommand) -> NotMeasured {
        let of_head = match failed.side {
            Side::Base => self.measure_once(head).err(),
            Side::Head => None,
        };
        let of_head = of_head.map(|why| SideFailure { side: Side::Head, why });
        of_head.unwrap_or(failed).into()
    }

    fn measure_once(&self, command: &WorkerCommand) -> Result<(), String> {
        let mut process = WorkerProcess::start(command)?;
        process.measure(1, None, self.longest)?;
        process.end(self.longest).map(drop)
    }

    /// Counts the instructions of an iteration on both sides, over as many as a batch has.
    ///
    /// # Errors
    /// The side that failed, and how; or why nothing can be counted.
    pub(crate) fn count(
        &self,
        base: &SideTest,
        head: &SideTest,
        counter: InstructionCounter,
    ) -> Result<Instructions, String> {
        let _alone = measuring_lock()?;
        let tuned = |test: &SideTest| {
            let process = WorkerProcess::start(&self.command(test))?;
            let iterations = process.tuned_iterations();
            process.end(self.longest).map(|_| iterations)
        };
        let of_side = |side, why| NotMeasured::from(SideFailure { side, why }).why;
        let of_base = tuned(base).map_err(|why| of_side(Side::Base, why))?;
        let of_head = tuned(head).map_err(|why| of_side(Side::Head, why))?;
        let iterations = of_base.min(of_head);
        let (base, head) = (self.command(base), self.command(head));
        count_instructions(&base, &head, iterations, counter, self.longest)
    }

    fn command(&self, test: &SideTest) -> WorkerCommand {
        worker_command(test, self.longest)
    }
}

/// Returns the command for a worker process of this test, which may start for `longest`.
pub(crate) fn worker_command(test: &SideTest, longest: Duration) -> WorkerCommand {
    WorkerCommand {
        executable: test.executable.path.clone(),
        directory: test.executable.directory.clone(),
        test: test.listed.name.clone(),
        ordinary: vec![test.listed.ordinary.clone()],
        test_threads: usual_test_threads(&test.executable.environment),
        environment: test.executable.variables(),
        longest_start: longest,
    }
}

/// Returns the number of threads of `cargo test`: its variable, or else one for each processor.
fn usual_test_threads(configured: &CargoEnvironment) -> u16 {
    const NAME: &str = "RUST_TEST_THREADS";
    let set = configured.get(NAME).cloned().or_else(|| std::env::var_os(NAME));
    let count = set.and_then(|text| text.to_str()?.parse().ok());
    count.unwrap_or_else(|| thread::available_parallelism().map_or(1, |it| it.get() as u16))
}

/// Returns a new seed: a repeated comparison takes its turns in another order.
fn seed() -> u64 {
    RandomState::new().hash_one(Instant::now())
}

/// Measures while it holds the lock. Returns the time without the wait for the lock.
fn timed_behind<L, T>(
    lock: impl FnOnce() -> Result<L, String>,
    measure: impl FnOnce() -> Result<T, NotMeasured>,
) -> Result<(T, Duration), NotMeasured> {
    let _alone = lock().map_err(NotMeasured::other)?;
    let began = Instant::now();
    let measured = measure()?;
    Ok((measured, began.elapsed()))
}

/// Takes the lock that test processes hold while they measure.
///
/// # Errors
/// When another process holds it for too long, or it cannot be used.
pub(crate) fn measuring_lock() -> Result<MeasuringLock, String> {
    let runtime = runtime_directory(&|name| std::env::var_os(name));
    let path = MeasuringLock::path(runtime.as_deref(), &std::env::temp_dir())
        .map_err(|error| error.to_string())?;
    let acquired = match MeasuringLock::acquire(&path, HOLDER, PATIENCE) {
        Err(LockError::Held { .. }) => {
            print_progress(&"another performance test is running on this machine; waiting for it");
            MeasuringLock::acquire_in_turn(&path, HOLDER, LONGEST_WAIT)
        }
        acquired => acquired,
    };
    acquired.map_err(|error| match error {
        LockError::Held { .. } => {
            let minutes = LONGEST_WAIT.as_secs() / 60;
            format!("{error} for {minutes} minutes")
        }
        LockError::Unusable { .. } => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_the_lock_is_no_time_of_the_comparison() {
        let wait_for_lock = || {
            thread::sleep(Duration::from_millis(20));
            Ok(Instant::now())
        };
        let mut locked = None;
        let timed = timed_behind(
            || wait_for_lock().inspect(|now| locked = Some(*now)),
            || Ok::<_, NotMeasured>("decided"),
        );
        let (measured, spent) = timed.unwrap();
        assert_eq!(measured, "decided");
        assert!(spent <= locked.unwrap().elapsed());
    }
}
