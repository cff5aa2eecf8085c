//! A bencher whose routine runs on several threads at once.

use super::not_a_future::NotAFuture;
use super::{Bencher, error_of};
use crate::measure::{BorrowRoutine, LoopRoutine, Routine, SetupRoutine, on_threads};
use std::fmt::Debug;

/// Runs the measured part of a perf test on several threads at once: the parameter of a test with
/// `threads`.
///
/// In each batch every thread runs the routine equally often. They start together. The time of an
/// iteration is the wall time of the slowest thread divided by its calls, so it includes contention. All
/// threads share the routine, so it must be `Sync`. Inputs and outputs stay on their thread.
///
/// ```no_run
/// use perftest::{ThreadBencher, perf_test};
/// use std::sync::Mutex;
///
/// #[perf_test(threads = [1, 4])]
/// fn push(b: &mut ThreadBencher) {
///     let queue = Mutex::new(Vec::with_capacity(1 << 16));
///     b.iter(|| {
///         let mut queue = queue.lock().expect("no thread panics");
///         if queue.len() == 1 << 16 {
///             queue.clear();
///         }
///         queue.push(7);
///     });
/// }
/// ```
pub struct ThreadBencher<'b, 'a> {
    bencher: &'b mut Bencher<'a>,
    threads: u16,
}

impl<'b, 'a> ThreadBencher<'b, 'a> {
    pub(crate) fn new(bencher: &'b mut Bencher<'a>, threads: u16) -> Self {
        Self { bencher, threads }
    }

    /// Returns the number of threads that run the routine.
    pub fn threads(&self) -> usize {
        usize::from(self.threads)
    }

    /// Measures `routine`. Its outputs are dropped after the batch, outside the timing, on the thread that
    /// made them.
    ///
    /// A second call fails the test: one perf test measures one routine.
    pub fn iter<T: NotAFuture<AFutureIsNotAwaited>, AFutureIsNotAwaited>(
        &mut self,
        routine: impl Fn() -> T + Sync,
    ) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine`, which may fail, as [`Bencher::try_iter`].
    pub fn try_iter<T, E: Debug>(&mut self, routine: impl Fn() -> Result<T, E> + Sync) {
        self.iter_checked(routine, error_of);
    }

    /// Makes an input for each call with `setup`, on the thread of the call and outside the timing.
    pub fn with_setup<I>(
        &mut self,
        setup: impl Fn() -> I + Sync,
    ) -> ThreadSetup<'_, 'b, 'a, impl Fn(u64) -> I + Sync> {
        self.with_inputs(move |_| setup())
    }

    /// Makes an input for each call from its number with `inputs`, on the thread of the call and outside
    /// the timing. Numbers are unique over all threads: the first of four threads has the calls 0, 4, 8
    /// and so on. [`Bencher::with_inputs`] explains why inputs should differ.
    pub fn with_inputs<I, N: Fn(u64) -> I + Sync>(
        &mut self,
        inputs: N,
    ) -> ThreadSetup<'_, 'b, 'a, N> {
        ThreadSetup { bencher: self, inputs }
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub fn iter_checked<T>(
        &mut self,
        routine: impl Fn() -> T + Sync,
        check: impl Fn(&T) -> Option<String> + Sync,
    ) {
        let (routine, check) = (&routine, &check);
        self.measure(|_| LoopRoutine::new(routine, check));
    }

    /// Measures the routines that `lane` makes, one for each thread, by its number.
    fn measure<R: Routine>(&mut self, lane: impl Fn(u64) -> R + Sync) {
        let Self { bencher, threads } = self;
        if let Err(failure) = on_threads(*threads, &lane, |team| bencher.measure(team)) {
            self.bencher.fail(failure);
        }
    }
}

/// A [`ThreadBencher`] with set-up for each call; made by [`ThreadBencher::with_setup`] and
/// [`ThreadBencher::with_inputs`].
#[must_use = "nothing is measured until `iter` or `iter_mut` is called"]
pub struct ThreadSetup<'t, 'b, 'a, N> {
    bencher: &'t mut ThreadBencher<'b, 'a>,
    inputs: N,
}

impl<I, N: Fn(u64) -> I + Sync> ThreadSetup<'_, '_, '_, N> {
    /// Measures `routine`, which takes a fresh input by value at each call.
    pub fn iter<T: NotAFuture<AFutureIsNotAwaited>, AFutureIsNotAwaited>(
        self,
        routine: impl Fn(I) -> T + Sync,
    ) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine`, which takes a fresh input by value at each call and may fail, as
    /// [`Bencher::try_iter`].
    pub fn try_iter<T, E: Debug>(self, routine: impl Fn(I) -> Result<T, E> + Sync) {
        self.iter_checked(routine, error_of);
    }

    /// Measures `routine`, which changes a fresh input in place at each call. The input is dropped outside
    /// the timing.
    pub fn iter_mut<T: NotAFuture<AFutureIsNotAwaited>, AFutureIsNotAwaited>(
        self,
        routine: impl Fn(&mut I) -> T + Sync,
    ) {
        let (inputs, routine, threads) = (&self.inputs, &routine, self.bencher.threads);
        self.bencher
            .measure(|number| BorrowRoutine::new(calls(inputs, number, threads), routine, drop));
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub fn iter_checked<T>(
        self,
        routine: impl Fn(I) -> T + Sync,
        check: impl Fn(&T) -> Option<String> + Sync,
    ) {
        let (inputs, routine, check) = (&self.inputs, &routine, &check);
        let threads = self.bencher.threads;
        self.bencher
            .measure(|number| SetupRoutine::new(calls(inputs, number, threads), routine, check));
    }
}

/// The inputs of the calls of one thread.
fn calls<I>(inputs: &impl Fn(u64) -> I, number: u64, threads: u16) -> impl FnMut() -> I {
    let mut call = number;
    move || {
        let input = inputs(call);
        call += u64::from(threads);
        input
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bencher::Driver;
    use crate::clock::ClockKind;
    use crate::measure::{Failure, Stopwatch};
    use std::sync::Mutex;

    /// Runs a batch of three and one of two.
    struct Batches;

    impl Driver for Batches {
        fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
            let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
            routine.batch(3, &stopwatch)?;
            routine.batch(2, &stopwatch).map(drop)
        }
    }

    /// Measures on two threads; returns the bencher's result.
    fn measured(measure: impl FnOnce(&mut ThreadBencher<'_, '_>)) -> Result<(), Failure> {
        let mut batches = Batches;
        let mut bencher = Bencher::new(&mut batches);
        measure(&mut ThreadBencher::new(&mut bencher, 2));
        bencher.finish().map(drop)
    }

    #[test]
    fn no_two_calls_get_the_same_input_on_whatever_thread() {
        let seen = Mutex::new(Vec::new());
        let ended = measured(|b| {
            b.with_inputs(|call| call).iter(|call| seen.lock().unwrap().push(call));
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!((ended, seen), (Ok(()), (0..10).collect()));
    }

    #[test]
    fn each_call_changes_an_input_of_its_own() {
        let seen = Mutex::new(Vec::new());
        let ended = measured(|b| {
            b.with_setup(|| 1).iter_mut(|input| {
                *input += 1;
                seen.lock().unwrap().push(*input);
            });
        });
        assert_eq!((ended, seen.into_inner().unwrap()), (Ok(()), vec![2; 10]));
    }

    #[test]
    fn an_input_need_not_go_from_thread_to_thread() {
        let ended = measured(|b| {
            b.with_setup(|| std::rc::Rc::new(1)).iter(|input| std::rc::Rc::strong_count(&input));
        });
        assert_eq!(ended, Ok(()));
    }

    #[test]
    fn one_routine_is_measured_and_no_second_one() {
        let ended = measured(|b| {
            assert_eq!(b.threads(), 2);
            b.iter(|| 1);
            b.iter(|| 1);
        });
        assert_eq!(ended, Err(Failure::MeasuredTwice));
        assert_eq!(measured(|_| ()), Err(Failure::NothingMeasured));
    }
}
