//! This process as a worker: it measures one test for the process that started it.

use super::session::Session;
use crate::Bencher;
use crate::bencher::Driver;
use crate::measure::{
    Failure, Meter, MeterReading, Routine, SamplingPass, StandIns, StandardInput, StandardOutput,
    Stopwatch, Tuning, catch_in_own_process, count_instructions, end_with_parent, rewarm, tune,
};
use crate::own_metric::OwnMetric;
use crate::perf_test::PerfTest;
use perftest_core::list::IntoList;
use perftest_core::model::ProcessValue;
use perftest_process::protocol::{FromParent, FromWorker};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const UNCOUNTED: &str = "have no count of instructions in common";

/// Serves the one of these tests that has this name over standard input and output until the parent is satisfied. Sends
/// the failure of the body, if any, to the parent.
///
/// # Errors
/// A message when no test has the name.
pub(crate) fn serve<'t>(
    mut tests: impl Iterator<Item = &'t PerfTest>,
    name: &str,
    session: &Session,
) -> Result<(), String> {
    let test = tests.find(|test| test.listed_name() == name);
    let test = test.ok_or_else(|| format!("no perf test is named `{name}` here"))?;
    end_with_parent();
    // Before the body.
    from_parent();
    if let Some(programs) = &session.config.worker_programs {
        StandIns::new(test.programs.unwrap_or_default(), programs).install();
    }
    let rival = session.config.worker_is_rival.then(|| test.rival()).flatten();
    let test = rival.as_ref().unwrap_or(test);
    send(&FromWorker::Hello { benchmark: test.benchmark() });
    let served = match (&session.config.worker_samples, session.config.worker_counts) {
        (Some(file), _) => take_samples(test, session, file),
        (None, true) if test.threads() > 1 => Err(Failure::Threads(UNCOUNTED.to_owned())),
        (None, true) => {
            run_body(test, &mut CountingDriver { stopwatch: Stopwatch::uncalibrated() })
        }
        (None, false) => measure(test, session),
    };
    let values = served.unwrap_or_else(|failure| {
        send(&FromWorker::Failed { why: failure.to_string() });
        Vec::new()
    });
    // The parent ends this process after this message: nothing may be left to clean up.
    send(&FromWorker::Bye { values });
    Ok(())
}

fn measure(test: &PerfTest, session: &Session) -> Result<Vec<ProcessValue>, Failure> {
    let of_attribute = session.settings(test).budget.value;
    let mut driver = WorkerDriver {
        meter: session.meter(test),
        budget: session.config.worker_budget.unwrap_or(of_attribute),
        metrics: test.metrics,
        values: Vec::new(),
    };
    let own = run_body(test, &mut driver)?;
    Ok(driver.values.into_iter().chain(own).into_list())
}

fn take_samples(
    test: &PerfTest,
    session: &Session,
    file: &Path,
) -> Result<Vec<ProcessValue>, Failure> {
    let mut driver = SamplingDriver {
        pass: Some(SamplingPass::prepare()),
        meter: session.meter(test),
        budget: session.settings(test).budget.value,
        file,
    };
    run_body(test, &mut driver)
}

/// Runs the body and returns the test's own metrics.
fn run_body(test: &PerfTest, driver: &mut dyn Driver) -> Result<Vec<ProcessValue>, Failure> {
    let mut bencher = Bencher::new(driver);
    match catch_in_own_process(|| test.run(&mut bencher)) {
        Ok(result) => result?,
        Err(payload) => resume_unwind(payload),
    }
    Ok(bencher.finish()?.into_iter().map(|OwnMetric { value, .. }| value).into_list())
}

/// Measures on request.
struct WorkerDriver {
    meter: Meter,
    budget: Duration,
    /// The metrics with a verdict.
    metrics: &'static [&'static str],
    /// The values that are counted once.
    values: Vec<ProcessValue>,
}

impl Driver for WorkerDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        // Tuned like any run, whatever number of iterations the parent requests.
        let mut tuned = tune(routine, &mut self.meter, self.budget)?;
        StandIns::refuse_bypass()?;
        // A parent that stays on another kind of core keeps this process there too.
        let _on_one_kind = self.meter.stay_on(None, tuned.work());
        self.values = self.meter.count(routine, &tuned, self.metrics, &[])?;
        send(&FromWorker::Prepared { iterations: tuned.iterations });
        loop {
            let idle_since = Instant::now();
            match next_request()? {
                FromParent::Measure { count, iterations } => {
                    // A pair asks for somewhat more or fewer than were tuned.
                    let wanted = iterations.unwrap_or(tuned.iterations);
                    let iterations = wanted.clamp(1, routine.most_iterations());
                    if tuned.rewarms {
                        rewarm(routine, &mut self.meter, iterations, idle_since.elapsed())?;
                    }
                    self.turn(routine, &mut tuned, count, iterations)?;
                }
                FromParent::Count { .. } => return Err(out_of_turn("count")),
                FromParent::Sample(_) => return Err(out_of_turn("take samples")),
                FromParent::Bye => {
                    self.values.extend(routine.values());
                    return Ok(());
                }
            }
        }
    }
}

impl WorkerDriver {
    /// Takes this many measurements. Short batches are sent together, so that this process does as
    /// little between them as a process with a verdict. Long ones are sent one by one, as a sign of
    /// life.
    fn turn(
        &mut self,
        routine: &mut dyn Routine,
        tuned: &mut Tuning,
        count: u32,
        iterations: u64,
    ) -> Result<(), Failure> {
        if tuned.rewarms {
            let taken = (0..count).map(|_| self.meter.take(routine, iterations));
            let taken = taken.into_list_of_ok()?;
            taken.into_iter().for_each(send_measured);
            return Ok(());
        }
        for _ in 0..count {
            let has_so_many = |it: &mut MeterReading| it.take.measurement.iterations == iterations;
            match tuned.first.take_if(has_so_many) {
                Some(first) => send_measured(first),
                None => send_measured(self.meter.take(routine, iterations)?),
            }
        }
        Ok(())
    }
}

/// Executes the requested number of iterations, and nothing else whose amount depends on a clock.
struct CountingDriver {
    stopwatch: Stopwatch,
}

impl Driver for CountingDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        loop {
            match next_request()? {
                FromParent::Count { iterations } => {
                    let instructions = count_instructions(routine, iterations, &self.stopwatch)?;
                    send(&FromWorker::Counted { instructions });
                }
                FromParent::Measure { .. } => return Err(out_of_turn("measure")),
                FromParent::Sample(_) => return Err(out_of_turn("take samples")),
                FromParent::Bye => return Ok(()),
            }
        }
    }
}

/// Takes the samples of a profile, once.
struct SamplingDriver<'a> {
    pass: Option<SamplingPass>,
    meter: Meter,
    budget: Duration,
    file: &'a Path,
}

impl Driver for SamplingDriver<'_> {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        // Tuned and warm like any run, so that the same code is sampled that is measured.
        let iterations = tune(routine, &mut self.meter, self.budget)?.iterations;
        StandIns::refuse_bypass()?;
        send(&FromWorker::Prepared { iterations });
        loop {
            match (next_request()?, self.pass.take()) {
                (FromParent::Sample(plan), Some(pass)) => {
                    let report = pass.run(routine, &self.meter, iterations, &plan, self.file)?;
                    send(&FromWorker::Sampled(report));
                }
                (FromParent::Bye, _) => return Ok(()),
                (FromParent::Sample(_), None) => return Err(out_of_turn("take samples twice")),
                (FromParent::Measure { .. }, _) => return Err(out_of_turn("measure")),
                (FromParent::Count { .. }, _) => return Err(out_of_turn("count")),
            }
        }
    }
}

fn out_of_turn(what: &str) -> Failure {
    Failure::Disconnected(format!("it asked the wrong kind of worker to {what}"))
}

/// Returns the next request. A parent that is gone counts as a goodbye.
fn next_request() -> Result<FromParent, Failure> {
    let lost = |why: String| Failure::Disconnected(why);
    let mut from_parent = from_parent().lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let line = from_parent.read_line().map_err(|error| lost(error.to_string()))?;
        if line.is_empty() {
            return Ok(FromParent::Bye);
        }
        let decoded = FromParent::decode(&line).map_err(|error| lost(error.to_string()))?;
        if let Some(message) = decoded {
            return Ok(message);
        }
    }
}

/// The requests of the parent.
fn from_parent() -> &'static Mutex<StandardInput> {
    static FROM_PARENT: OnceLock<Mutex<StandardInput>> = OnceLock::new();
    FROM_PARENT.get_or_init(|| Mutex::new(StandardInput::take()))
}

fn send_measured(taken: MeterReading) {
    send(&FromWorker::Measured(Box::new(taken.take)));
}

/// Writes past the capture of libtest, and past a body that has closed standard output. An error is ignored: the
/// parent is gone.
fn send(message: &FromWorker) {
    static TO_PARENT: OnceLock<StandardOutput> = OnceLock::new();
    // The first message comes before the body.
    TO_PARENT.get_or_init(StandardOutput::keep).print(&message.encode());
}
