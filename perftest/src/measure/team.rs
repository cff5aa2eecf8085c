//! A routine on several threads at once.

use super::mailbox::Mailbox;
use super::starting_line::StartingLine;
use super::usage::UsageReading;
use super::{Failure, Routine, Stopwatch, Timing};
use perftest_core::list::IntoList;
use std::any::Any;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{self, Builder, Scope};

/// Calls `drive` with a routine that runs on this many threads at once, including the calling one. `lane`
/// makes the routine of one thread, on that thread and by its number.
///
/// A batch has equally many iterations on each thread. The threads start together, each with its own
/// inputs. The time of a thread is from the common start to its own end, and the time of the batch is that
/// of the slowest thread.
///
/// # Errors
/// [`Failure::Threads`] when they cannot be started.
pub(crate) fn on_threads<R: Routine>(
    threads: u16,
    lane: &(impl Fn(u64) -> R + Sync),
    drive: impl FnOnce(&mut dyn Routine),
) -> Result<(), Failure> {
    thread::scope(|scope| {
        let others = (1..u64::from(threads)).map(|number| Lane::start(scope, move || lane(number)));
        let others: Vec<Lane> = others.into_list_of_ok()?;
        let processors = thread::available_parallelism().map_or(usize::MAX, NonZero::get);
        drive(&mut Team { own: lane(0), is_crowd: usize::from(threads) > processors, others });
        Ok(())
    })
}

/// The routine of this thread, and those of the others.
struct Team<R> {
    own: R,
    others: Vec<Lane>,
    /// There are more threads than processors.
    is_crowd: bool,
}

/// The next request to a thread.
#[derive(Clone)]
struct ThreadOrder {
    iterations: u64,
    /// A stopwatch that waits at the starting line.
    stopwatch: Stopwatch,
    line: Arc<StartingLine>,
}

/// The result of a batch, or the panic that ended it.
type BatchEnd = thread::Result<Result<Timing, Failure>>;

/// Another thread: the orders to it, and its answers. Dropping this at either end tells the other end.
struct Lane {
    boxes: Arc<(Mailbox<ThreadOrder>, Mailbox<BatchEnd>)>,
}

impl Lane {
    fn start<'scope, R: Routine>(
        scope: &'scope Scope<'scope, '_>,
        routine: impl FnOnce() -> R + Send + 'scope,
    ) -> Result<Self, Failure> {
        let boxes = Arc::new((Mailbox::new(), Mailbox::new()));
        let (its, ours) = (Self { boxes: Arc::clone(&boxes) }, Self { boxes });
        let work = move || {
            let lane = its;
            let mut routine = catch_unwind(AssertUnwindSafe(routine));
            while let Some(order) = lane.orders().take() {
                let end = match &mut routine {
                    Ok(routine) => order.carried_out_by(routine),
                    Err(panic) => order.given_up(panic),
                };
                if !lane.answers().put(end) {
                    break;
                }
            }
        };
        let started = Builder::new().spawn_scoped(scope, work);
        started.map_err(|error| Failure::Threads(format!("cannot be started: {error}")))?;
        Ok(ours)
    }

    fn orders(&self) -> &Mailbox<ThreadOrder> {
        &self.boxes.0
    }

    fn answers(&self) -> &Mailbox<BatchEnd> {
        &self.boxes.1
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.orders().close();
        self.answers().close();
    }
}

impl ThreadOrder {
    /// Ends the batch of a thread whose routine could not be made: the others must not wait for the thread.
    fn given_up(&self, panic: &mut Box<dyn Any + Send>) -> BatchEnd {
        self.line.open();
        Err(std::mem::replace(panic, Box::new("the routine of a thread could not be made")))
    }

    fn carried_out_by(&self, routine: &mut dyn Routine) -> BatchEnd {
        let batch = || routine.batch(self.iterations, &self.stopwatch);
        let ran = catch_unwind(AssertUnwindSafe(batch));
        if !matches!(ran, Ok(Ok(_))) {
            // The thread may have failed before it reached the starting line.
            self.line.open();
        }
        ran
    }
}

impl<R: Routine> Routine for Team<R> {
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        if self.others.is_empty() {
            // A thread alone waits for nobody, and is disturbed like one of any other test.
            return self.own.batch(iterations, stopwatch);
        }
        let line = Arc::new(StartingLine::of(1 + self.others.len(), self.is_crowd));
        let stopwatch = stopwatch.behind(&line);
        let order = ThreadOrder { iterations, stopwatch, line };
        for lane in &self.others {
            if !lane.orders().put(order.clone()) {
                order.line.open();
            }
        }
        let own = order.carried_out_by(&mut self.own);
        let gone = || Ok(Err(Failure::Threads("ended before their time".to_owned())));
        let others = self.others.iter().map(|lane| lane.answers().take().unwrap_or_else(gone));
        let others: Vec<BatchEnd> = others.into_list();
        // Continue a panic on the thread of the body.
        let timing = |ran: BatchEnd| ran.unwrap_or_else(|panic| resume_unwind(panic));
        let own = timing(own)?;
        let (mut all_cpu_ns, mut apart_ns) = (own.used.thread_cpu_ns, own.apart_ns);
        let slowest = others.into_iter().try_fold(own, |slowest, ran| {
            let other = Timing { is_of_another_thread: true, ..timing(ran)? };
            all_cpu_ns = all_cpu_ns.zip(other.used.thread_cpu_ns).map(|(all, one)| all + one);
            apart_ns = apart_ns.zip(other.apart_ns).map(|(longest, ns)| f64::max(longest, ns));
            Ok(if other.wall_ns > slowest.wall_ns { other } else { slowest })
        })?;
        // Excludes what ran while the slowest thread was late: that is not part of its own reading.
        let process_cpu_ns = slowest.used.process_cpu_ns.max(all_cpu_ns);
        Ok(match self.is_crowd {
            // Threads of a crowd always wait for processors, which is no disturbance.
            true => {
                let used = UsageReading { process_cpu_ns, ..UsageReading::default() };
                Timing { used, apart_ns: None, ..slowest }
            }
            false => {
                let used = UsageReading { process_cpu_ns, ..slowest.used };
                Timing { used, apart_ns, ..slowest }
            }
        })
    }

    fn most_iterations(&self) -> u64 {
        self.own.most_iterations()
    }

    /// A counter covers the process or one thread: it cannot start on each of several threads.
    fn counts_per_iteration(&self) -> bool {
        self.others.is_empty() && self.own.counts_per_iteration()
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use super::super::one_kind::stay_on_first_processor;
    use super::super::{LoopRoutine, SetupRoutine};
    use super::*;
    use crate::clock::ClockKind;
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    /// Two batches of a routine on three threads.
    fn batches<R: Routine>(lane: impl Fn(u64) -> R + Sync) -> Vec<Result<Timing, Failure>> {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let mut batches = Vec::new();
        let driven = on_threads(3, &lane, |team| {
            batches.extend([team.batch(2, &stopwatch), team.batch(5, &stopwatch)]);
        });
        assert_eq!(driven, Ok(()));
        batches
    }

    #[test]
    fn every_thread_runs_every_iteration_of_every_batch() {
        let (calls, threads) = (AtomicU64::new(0), Mutex::new(BTreeSet::new()));
        let routine = || {
            threads.lock().unwrap().insert(format!("{:?}", thread::current().id()));
            calls.fetch_add(1, Ordering::Relaxed)
        };
        let batches = batches(|_| LoopRoutine::new(routine, |_| None));
        assert!(batches.iter().all(Result::is_ok), "{batches:?}");
        assert_eq!((calls.into_inner(), threads.into_inner().unwrap().len()), (3 * 7, 3));
    }

    #[test]
    fn only_a_thread_alone_is_counted() {
        let are_counted = [1, 2].map(|threads| {
            let mut is_counted = None;
            let lane = |_| LoopRoutine::new(|| 1, |_| None);
            on_threads(threads, &lane, |team| is_counted = Some(team.counts_per_iteration()))
                .unwrap();
            is_counted
        });
        assert_eq!(are_counted, [Some(true), Some(false)]);
    }

    #[test]
    fn the_slowest_thread_tells_the_time() {
        let nap = Duration::from_millis(5);
        let batches = batches(|number| {
            let routine = move || {
                if number == 1 {
                    thread::sleep(nap)
                }
            };
            LoopRoutine::new(routine, |()| None)
        });
        let are_valid: Vec<bool> = [(2, &batches[0]), (5, &batches[1])]
            .map(|(calls, batch)| {
                let wall_ns = batch.as_ref().unwrap().wall_ns;
                wall_ns >= f64::from(calls) * nap.as_nanos() as f64
            })
            .to_vec();
        assert_eq!(are_valid, [true, true], "{batches:?}");
    }

    #[test]
    #[cfg(unix)]
    fn the_processor_time_of_more_threads_than_processors_tells_nothing() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let has_thread_time = |threads| {
            let mut has_time = None;
            let lane = |_| LoopRoutine::new(|| 1, |_| None);
            let driven = on_threads(threads, &lane, |team| {
                has_time = team.batch(9, &stopwatch).ok().map(|it| it.used.thread_cpu_ns.is_some());
            });
            driven.map(|()| has_time)
        };
        let processors = thread::available_parallelism().unwrap().get() as u16;
        assert_eq!(has_thread_time(1), Ok(Some(true)));
        assert_eq!(has_thread_time(processors + 1), Ok(Some(false)));
    }

    #[test]
    fn a_thread_alone_is_never_apart_from_others() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let mut timings = Vec::new();
        let driven = on_threads(1, &|_| LoopRoutine::new(|| 1, |_| None), |team| {
            timings.extend(team.batch(9, &stopwatch));
        });
        assert_eq!((driven, timings.len()), (Ok(()), 1));
        assert!(timings[0].apart_ns.is_none() && !timings[0].is_of_another_thread);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_that_take_turns_on_one_processor_did_not_work_at_once() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let is_crowd = thread::available_parallelism().unwrap().get() < 2;
        let mut apart_ns = Vec::new();
        // Longer than a time slice, so that both begin on the one processor and each waits for the other.
        let work = || (0..2_000_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        let lane = |_| {
            stay_on_first_processor();
            LoopRoutine::new(work, |_| None)
        };
        let driven = on_threads(2, &lane, |team| {
            let batches = (0..3).map(|_| team.batch(4, &stopwatch));
            apart_ns.extend(batches.filter_map(|batch| batch.unwrap().apart_ns));
        });
        assert_eq!(driven, Ok(()));
        assert_eq!(apart_ns.len(), if is_crowd { 0 } else { 3 });
        assert!(apart_ns.iter().all(|ns| *ns > 500_000.0), "{apart_ns:?}");
    }

    #[test]
    fn an_error_on_one_thread_fails_the_batch() {
        let check = |output: &Result<(), &str>| output.err().map(ToOwned::to_owned);
        let batches = batches(|number| {
            LoopRoutine::new(move || if number == 2 { Err("no room") } else { Ok(()) }, check)
        });
        let failed = Err(Failure::Returned("no room".to_owned()));
        assert_eq!(batches, [failed.clone(), failed]);
    }

    #[test]
    fn a_panic_while_the_routine_of_a_thread_is_made_keeps_no_other_waiting() {
        let made = |number| {
            if number == 1 {
                // The other threads are at the starting line by then.
                thread::sleep(Duration::from_millis(50));
                panic!("no routine for thread 1");
            }
            LoopRoutine::new(|| 1, |_| None)
        };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(catch_unwind(|| batches(made)).unwrap_err()));
        let unwound = receiver.recv_timeout(Duration::from_secs(60)).expect("nobody waits");
        assert_eq!(unwound.downcast_ref::<&str>(), Some(&"no routine for thread 1"));
    }

    #[test]
    fn a_panic_on_one_thread_keeps_no_other_waiting() {
        let made = |number| {
            SetupRoutine::new(
                move || assert!(number != 1, "no input for thread 1"),
                |()| (),
                |(): &()| None,
            )
        };
        let unwound = catch_unwind(|| batches(made)).unwrap_err();
        assert_eq!(unwound.downcast_ref::<&str>(), Some(&"no input for thread 1"));
    }
}
