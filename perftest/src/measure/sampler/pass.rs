//! One pass: batches with and without samples, in turn.

mod handler;
mod keeper;
mod memory_map;
mod timer;

use super::super::mailbox::Mailbox;
use super::super::usage::process_cpu_ns;
use super::super::{Failure, Meter, Routine};
use super::state::{begin_state, names, note_batch};
use handler::{IS_CPU, LOST, PERIOD_NS, install, record_count, write_bytes, write_to};
use keeper::{Keeper, tids};
use perftest_core::model::Sample;
use perftest_process::protocol::{SampledClock, SamplingPlan, SamplingReport};
use perftest_process::samples::{RecordHeader, RecordKind, duration_class, maps_file};
use std::fs::{self, File};
use std::io;
use std::os::fd::IntoRawFd;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use timer::{now_ns, this_tid};

/// Pairs of blocks with and without samples.
const PAIRS: u32 = 20;
/// A block has at least so many batches, else the blocks without samples are left out.
const BATCHES_IN_BLOCK: u32 = 4;
/// A block without samples is so much shorter.
const SHORTER_WITHOUT: u32 = 2;

/// A timer counts as a pending signal, of which a user may have a limited number.
const NO_TIMER: &str =
    "got no timer from the system: raise the limit of pending signals, which `ulimit -i` shows";

/// Threads that were started for values of cases.
static THREADS_OF_CASES: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// A pass that has not begun.
#[derive(Debug)]
pub(crate) struct SamplingPass {
    /// The thread of the test.
    test: libc::pid_t,
    /// Threads of the harness.
    ignored: Vec<libc::pid_t>,
}

/// Makes the cases of the tests, and notes the threads that their values start: a pool that works for the body may
/// exist before it.
pub(crate) fn with_threads_of_cases<T>(make: impl FnOnce() -> T) -> T {
    let before = tids();
    let made = make();
    let mut new = tids();
    new.retain(|tid| !before.contains(tid));
    *THREADS_OF_CASES.lock().unwrap_or_else(PoisonError::into_inner) = new;
    made
}

impl SamplingPass {
    /// Prepares a pass on this thread, before the body of the test begins: threads that exist now belong to
    /// the harness, but for those of the cases.
    pub(crate) fn prepare() -> Self {
        begin_state();
        let (test, mut ignored) = (this_tid(), tids());
        let of_cases = THREADS_OF_CASES.lock().unwrap_or_else(PoisonError::into_inner);
        ignored.retain(|tid| *tid != test && !of_cases.contains(tid));
        Self { test, ignored }
    }

    /// Runs `routine` in batches of `iterations` and writes the samples to `file`.
    ///
    /// # Errors
    /// The failure of the routine, or the reason why no samples can be taken.
    pub(crate) fn run(
        self,
        routine: &mut dyn Routine,
        meter: &Meter,
        iterations: u64,
        plan: &SamplingPlan,
        file: &Path,
    ) -> Result<SamplingReport, Failure> {
        let failed = |what: &str, error: &io::Error| Failure::Sampling(format!("{what}: {error}"));
        let records =
            File::create(file).map_err(|error| failed("cannot write its file", &error))?;
        // The file stays open: a late signal may still write to it, also after a panic of the body.
        write_to(records.into_raw_fd());
        let period_ns = 1_000_000_000 / u64::from(plan.rate_hz.max(1));
        PERIOD_NS.store(period_ns, Ordering::Relaxed);
        IS_CPU.store(plan.clock == SampledClock::Cpu, Ordering::Relaxed);
        let signal = install().map_err(|error| failed("cannot handle a signal", &error))?;
        let beginning = plan.threads.clone();
        let keeper = Keeper::new(signal, self.test, self.ignored, period_ns, beginning);
        let keeping =
            Keeping::start(keeper).map_err(|error| failed("cannot start a thread", &error))?;
        if keeping.keeper().is_refused() {
            return Err(Failure::Sampling(NO_TIMER.to_owned()));
        }
        let mut blocks = SampledBatches { routine, meter, iterations, done: 0, keeping: &keeping };
        let run = blocks.run(plan);
        let iterations = blocks.done;
        let mut keeper = keeping.keeper();
        keeper.end();
        let run = run?;
        write_names();
        let map = fs::read("/proc/self/maps").and_then(|map| fs::write(maps_file(file), map));
        map.map_err(|error| failed("cannot write the map of its memory", &error))?;
        Ok(SamplingReport {
            records: record_count(),
            lost: LOST.load(Ordering::Relaxed),
            threads: keeper.count(),
            refused_threads: keeper.refused,
            unsampled_threads: keeper.unsampled,
            iterations,
            ..run
        })
    }
}

/// Writes the names of stages and tags.
fn write_names() {
    for (kind, names) in [RecordKind::StageName, RecordKind::TagName].into_iter().zip(names()) {
        for (place, name) in names.iter().enumerate() {
            write_bytes(RecordHeader::new(kind, place as u64 + 1), name.as_bytes());
        }
    }
}

/// The batches of a pass.
struct SampledBatches<'a> {
    routine: &'a mut dyn Routine,
    meter: &'a Meter,
    /// Iterations of a batch.
    iterations: u64,
    /// Iterations so far.
    done: u64,
    keeping: &'a Keeping,
}

impl SampledBatches<'_> {
    fn run(&mut self, plan: &SamplingPlan) -> Result<SamplingReport, Failure> {
        let began = Instant::now();
        self.batch()?;
        let block = plan.time / PAIRS;
        let mut report = SamplingReport::default();
        if began.elapsed() * BATCHES_IN_BLOCK > block {
            self.sampled(plan.time, &mut report)?;
            report.sampled_ns.clear();
            return Ok(report);
        }
        for pair in 0..PAIRS {
            // The order alternates, so that a steady change of the machine cancels out.
            let is_sampled_first = pair % 2 == 0;
            for is_sampled in [is_sampled_first, !is_sampled_first] {
                if is_sampled {
                    self.sampled(block, &mut report)?;
                } else {
                    let times = self.batches_for(block / SHORTER_WITHOUT)?;
                    report.unsampled_ns.extend(Sample::median_of(&times.measured_ns));
                    report.unsampled_whole_ns.extend(Sample::median_of(&times.whole_ns));
                }
            }
        }
        Ok(report)
    }

    /// Runs batches with samples and adds them to the report.
    fn sampled(&mut self, time: Duration, report: &mut SamplingReport) -> Result<(), Failure> {
        let before = process_cpu_ns().unwrap_or_default();
        let began = Instant::now();
        self.keeping.keeper().resume();
        let times = self.batches_for(time);
        self.keeping.keeper().pause();
        report.cpu_ns += process_cpu_ns().unwrap_or_default().saturating_sub(before);
        report.time += began.elapsed();
        let measured_ns = times?.measured_ns;
        report.sampled_ns.extend(Sample::median_of(&measured_ns));
        for ns in measured_ns {
            report.count_iterations(duration_class(ns as u64), self.iterations);
        }
        Ok(())
    }

    /// Runs batches for this time and returns the times of an iteration in each.
    fn batches_for(&mut self, time: Duration) -> Result<BlockTimes, Failure> {
        let began = Instant::now();
        let mut times = BlockTimes::default();
        while times.whole_ns.is_empty() || began.elapsed() < time {
            let [measured_ns, whole_ns] = self.batch()?;
            times.measured_ns.push(measured_ns);
            times.whole_ns.push(whole_ns);
        }
        Ok(times)
    }

    /// Runs a batch and returns the measured and the whole time of an iteration.
    fn batch(&mut self) -> Result<[f64; 2], Failure> {
        let (iteration, records) = (self.done, record_count());
        let began_ns = now_ns();
        note_batch(iteration, began_ns);
        let wall_ns = self.meter.clocked_ns(self.routine, self.iterations)?;
        self.done += self.iterations;
        let each_ns = wall_ns / self.iterations as f64;
        let batch_ns = now_ns().saturating_sub(began_ns);
        if record_count() > records {
            let header = RecordHeader::new(RecordKind::Batch, 0);
            let weight_ns = each_ns as u64;
            write_bytes(RecordHeader { weight_ns, iteration, batch_ns, ..header }, &[]);
        }
        Ok([each_ns, batch_ns as f64 / self.iterations as f64])
    }
}

/// The times of an iteration in the batches of a block.
#[derive(Debug, Default)]
struct BlockTimes {
    /// As a measurement has it.
    measured_ns: Vec<f64>,
    /// With set-up, drops and what the harness does.
    whole_ns: Vec<f64>,
}

/// The thread that looks after the sampled threads. Ends when this is dropped, and so does the sampling.
#[derive(Debug)]
struct Keeping {
    keeper: Arc<Mutex<Keeper>>,
    /// What the thread does: it has begun, it shall end.
    state: Arc<Mailbox<()>>,
}

impl Keeping {
    fn start(keeper: Keeper) -> io::Result<Self> {
        let keeper = Arc::new(Mutex::new(keeper));
        let state = Arc::new(Mailbox::new());
        let (own_keeper, own_state) = (Arc::clone(&keeper), Arc::clone(&state));
        thread::Builder::new().name("perftest-sampler".to_owned()).spawn(move || {
            lock(&own_keeper).ignore(this_tid());
            own_state.put(());
            let mut pause = Duration::ZERO;
            while !own_state.is_closed_within(pause) {
                pause = lock(&own_keeper).turn();
            }
        })?;
        let _ = state.take();
        Ok(Self { keeper, state })
    }

    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        lock(&self.keeper)
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        // The body may have panicked. No signal belongs into what it runs next, such as the drops of a fixture.
        self.keeper().end();
        self.state.close();
    }
}

fn lock(keeper: &Mutex<Keeper>) -> MutexGuard<'_, Keeper> {
    keeper.lock().unwrap_or_else(PoisonError::into_inner)
}
