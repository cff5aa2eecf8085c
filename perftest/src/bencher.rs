//! The parameter of a perf test with set-up.

#[cfg(test)]
mod async_tests;
mod not_a_future;
mod rendezvous;
mod thread_bencher;
mod with_setup;

pub use rendezvous::{AsyncBody, BlockOn, BodyStretch, Rendezvous};
pub use thread_bencher::{ThreadBencher, ThreadSetup};
pub use with_setup::{WithSetup, WithTeardown};

use crate::measure::{
    CommandRoutine, CustomRoutine, Failure, LoopRoutine, Routine, SetupRoutine, StagedRoutine,
    Stages,
};
use crate::own_metric::{MetricValue, OwnMetric};
use not_a_future::NotAFuture;
use perftest_core::model::Goal;
use rendezvous::{Relay, SharedDriver};
use std::cell::RefCell;
use std::fmt::Debug;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

/// Runs the measured part of a perf test.
///
/// The body of the test is set-up: it runs once, untimed, and calls [`iter`](Self::iter), or another
/// method that measures, exactly once with the routine to measure.
///
/// | what is measured | method |
/// |---|---|
/// | a closure | [`iter`](Self::iter) |
/// | one that may fail | [`try_iter`](Self::try_iter), also behind `with_setup` |
/// | a closure and the stages in it | [`iter_stages`](Self::iter_stages) |
/// | a closure that consumes a fresh input | [`with_setup`](Self::with_setup) or [`with_inputs`](Self::with_inputs), then [`iter`](WithSetup::iter) |
/// | one that changes a fresh input in place | the same, then [`iter_mut`](WithSetup::iter_mut) |
/// | one whose input has to be cleared away | the same, then [`with_teardown`](WithSetup::with_teardown) and `iter_mut` |
/// | a future, in an async body | [`iter_async`](Self::iter_async), also behind `with_setup` |
/// | a future that may fail | [`try_iter_async`](Self::try_iter_async), also behind `with_setup` |
/// | a whole process | [`command`](Self::command) |
/// | what only the author can time | [`iter_custom`](Self::iter_custom) |
///
/// ```no_run
/// use perftest::{Bencher, perf_test};
/// use std::collections::BTreeMap;
///
/// #[perf_test]
/// fn lookup(b: &mut Bencher) {
///     let map: BTreeMap<u32, u32> = (0..10_000).map(|n| (n, n)).collect();
///     b.iter(|| map.get(&4_242));
/// }
/// ```
pub struct Bencher<'a> {
    driver: SharedDriver<'a>,
    /// The connection to the code that blocks on the body; only an async body has one.
    relay: Option<Rc<Relay>>,
    state: BencherState,
    own: Vec<OwnMetric>,
}

/// The source of requests for measurements: a trial, a parent process, or a smoke run.
pub(crate) trait Driver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure>;
}

enum BencherState {
    Unmeasured,
    Measured,
    Failed(Failure),
}

impl<'a> Bencher<'a> {
    pub(crate) fn new(driver: &'a mut dyn Driver) -> Self {
        let driver = Rc::new(RefCell::new(driver));
        Self { driver, relay: None, state: BencherState::Unmeasured, own: Vec::new() }
    }

    /// Measures `routine`. Its output is kept until the batch is over and dropped outside the
    /// timing. The output is no future, which nobody would await: [`iter_async`](Self::iter_async)
    /// awaits.
    ///
    /// A second call fails the test: one perf test measures one routine.
    pub fn iter<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        &mut self,
        routine: impl FnMut() -> T,
    ) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine`, which may fail: an `Err` among the outputs fails the test with its text,
    /// after the timing. [`iter`](Self::iter) would drop the error unseen, and count the time of a
    /// failure as a success.
    ///
    /// ```no_run
    /// use perftest::{Bencher, black_box, perf_test};
    ///
    /// #[perf_test]
    /// fn parse(b: &mut Bencher) {
    ///     let text = "4242".to_owned();
    ///     b.try_iter(|| black_box(&text).parse::<u32>());
    /// }
    /// ```
    pub fn try_iter<T, E: Debug>(&mut self, routine: impl FnMut() -> Result<T, E>) {
        self.iter_checked(routine, error_of);
    }

    /// Measures `routine` and the stages in it. Each stage has its own history and verdict, beside
    /// those of the whole: a change of milliseconds in a short stage is found, however long the
    /// other stages take.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test]
    /// fn compile(b: &mut Bencher) {
    ///     let source = "let answer = 6 * 7;".repeat(1_000);
    ///     b.iter_stages(|s| {
    ///         let words = s.stage("lex", || source.split(' ').collect::<Vec<_>>());
    ///         s.stage("parse", || words.iter().filter(|word| **word == "=").count())
    ///     });
    /// }
    /// ```
    pub fn iter_stages<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        &mut self,
        mut routine: impl FnMut(&mut Stages) -> T,
    ) {
        let stages = RefCell::default();
        let routine = || routine(&mut RefCell::borrow_mut(&stages));
        self.measure(&mut StagedRoutine::new(LoopRoutine::new(routine, |_| None), &stages));
    }

    /// Records the author's own number, one for the whole run: the bytes of the output, or the
    /// share of hits. Call it after `iter`.
    ///
    /// With a bare direction the number only explains: a red time also shows how much it changed.
    /// With `within` it gets a verdict by its own history and tolerance: a larger change for the
    /// worse, in fresh processes too, fails the test. A number that is not finite, or negative,
    /// fails the test. So does the name of a built-in metric, or the same name twice.
    ///
    /// ```no_run
    /// use perftest::{Bencher, Direction::Lower, perf_test};
    ///
    /// #[perf_test]
    /// fn pack(b: &mut Bencher) {
    ///     let mut size = 0;
    ///     b.iter(|| {
    ///         let packed = "abc".repeat(1_000).into_bytes();
    ///         size = packed.len();
    ///         packed
    ///     });
    ///     b.metric("bytes_out", size, Lower.within("1%").unit("bytes"));
    /// }
    /// ```
    pub fn metric(&mut self, name: &str, value: impl MetricValue, goal: impl Into<Goal>) {
        let state = match &self.state {
            BencherState::Unmeasured => Err(format!(
                "the metric `{name}` was given before anything was measured: call `metric` after \
                 `iter`"
            )),
            BencherState::Measured => OwnMetric::new(name, value.value(), &goal.into(), &self.own),
            BencherState::Failed(_) => return,
        };
        match state {
            Ok(own) => self.own.push(own),
            Err(why) => self.state = BencherState::Failed(Failure::Series(why)),
        }
    }

    /// Gives each call a fresh input, made by `setup` outside the timing: for routines that consume
    /// or change their input. If the inputs should differ, use [`with_inputs`](Self::with_inputs).
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test]
    /// fn sort(b: &mut Bencher) {
    ///     b.with_setup(|| (0..1_000).rev().collect::<Vec<u32>>()).iter(|mut values| {
    ///         values.sort_unstable();
    ///         values
    ///     });
    /// }
    /// ```
    pub fn with_setup<I, S: FnMut() -> I>(&mut self, setup: S) -> WithSetup<'_, 'a, S> {
        WithSetup { bencher: self, setup }
    }

    /// Gives each call an input that `inputs` makes from the call's number, outside the timing. The
    /// calls of a run are counted from 0, including the warm-up, and each number is unique.
    ///
    /// A processor that gets the same input again and again learns its branches: 3,000 known keys
    /// can go into a `BTreeMap` more than twice as fast as new ones. Inputs that depend only on `i`
    /// are new at each call and the same in every run.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test]
    /// fn search(b: &mut Bencher) {
    ///     let squares: Vec<u64> = (0..10_000).map(|n| n * n).collect();
    ///     b.with_inputs(needle).iter(|needle| squares.binary_search(&needle));
    /// }
    ///
    /// /// Any number below the largest square, in no order that could be foreseen.
    /// fn needle(i: u64) -> u64 {
    ///     (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % 100_000_000
    /// }
    /// ```
    pub fn with_inputs<I>(
        &mut self,
        mut inputs: impl FnMut(u64) -> I,
    ) -> WithSetup<'_, 'a, impl FnMut() -> I> {
        let mut calls = 0;
        self.with_setup(move || {
            let input = inputs(calls);
            calls += 1;
            input
        })
    }

    /// Measures `routine`, whose output is awaited before the next call, in an async perf test.
    /// Await the returned future: it measures. For each batch the runtime blocks once on all calls,
    /// and the cost of that is not in the measurement.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test(runtime = runtime())]
    /// async fn receive(b: &mut Bencher) {
    ///     let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    ///     b.iter_async(async || {
    ///         sender.send(7).await.expect("the receiver lives");
    ///         receiver.recv().await
    ///     })
    ///     .await;
    /// }
    ///
    /// fn runtime() -> tokio::runtime::Runtime {
    ///     tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be built")
    /// }
    /// ```
    pub async fn iter_async<T: NotAFuture<AFutureNeedsAwait>, AFutureNeedsAwait>(
        &mut self,
        routine: impl AsyncFnMut() -> T,
    ) {
        self.iter_async_checked(routine, |_| None).await;
    }

    /// Measures `routine` as [`iter_async`](Self::iter_async), and fails the test as
    /// [`try_iter`](Self::try_iter). A request that fails often ends early: without the check it
    /// counts as a fast success.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test(runtime = runtime())]
    /// async fn receive(b: &mut Bencher) {
    ///     b.try_iter_async(async || {
    ///         let (sender, receiver) = tokio::sync::oneshot::channel();
    ///         sender.send(7).and(Ok(receiver.await))
    ///     })
    ///     .await;
    /// }
    /// # fn runtime() -> tokio::runtime::Runtime { unimplemented!() }
    /// ```
    pub async fn try_iter_async<T, E: Debug>(
        &mut self,
        routine: impl AsyncFnMut() -> Result<T, E>,
    ) {
        self.iter_async_checked(routine, error_of).await;
    }

    /// Lets the author measure: `time` gets a number of iterations, at least 1, runs the routine
    /// that often and returns the total time.
    ///
    /// For work that no other method can time: work on other threads, or clean-up that must not
    /// count between two calls. The author's duties:
    ///
    /// * Run exactly the requested number of iterations. Tests use the same number, which makes
    ///   them comparable.
    /// * Return only the time of the iterations, by a monotonic clock such as [`Instant`]. Other
    ///   work in the closure is not in the result, but uses up the budget of the test.
    /// * Hide inputs and outputs from the optimiser with [`black_box`](crate::black_box).
    ///
    /// Interruptions are not detected here, because the system's counts for this thread may not belong to the
    /// returned time.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    /// use std::thread;
    /// use std::time::{Duration, Instant};
    ///
    /// /// The time until a thread has begun, without that of its end.
    /// #[perf_test]
    /// fn start_of_a_thread(b: &mut Bencher) {
    ///     b.iter_custom(|iterations| (0..iterations).map(|_| time_one_start()).sum());
    /// }
    ///
    /// fn time_one_start() -> Duration {
    ///     let start = Instant::now();
    ///     thread::spawn(move || start.elapsed()).join().expect("the thread does not panic")
    /// }
    /// ```
    ///
    /// [`Instant`]: std::time::Instant
    pub fn iter_custom(&mut self, time: impl FnMut(u64) -> Duration) {
        self.measure(&mut CustomRoutine::new(time));
    }

    /// Measures whole processes: the wall time from the start of each `command` to its end, one
    /// process a measurement. Making the command is outside the timing.
    ///
    /// The process gets an empty standard input, and its standard output is discarded. The end of
    /// its standard error is kept. These three replace the settings of the command. A process that
    /// fails also fails the test, with its status and its last lines.
    ///
    /// On unix each measurement also records the processor time of the process and its ended
    /// children; other systems record only the wall time.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    /// use std::process::Command;
    ///
    /// #[perf_test(budget = "10s")]
    /// fn start_up(b: &mut Bencher) {
    ///     b.command(|| {
    ///         let mut command = Command::new("rustc");
    ///         command.arg("--version");
    ///         command
    ///     });
    /// }
    /// ```
    ///
    /// For a program of the same package write `Command::new(env!("CARGO_BIN_EXE_name"))`. It is kept with the last good
    /// build, which starts it in pairs.
    pub fn command(&mut self, command: impl FnMut() -> Command) {
        self.measure(&mut CommandRoutine::new(command));
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub fn iter_checked<T>(
        &mut self,
        routine: impl FnMut() -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        self.measure(&mut LoopRoutine::new(routine, check));
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub async fn iter_async_checked<T>(
        &mut self,
        mut routine: impl AsyncFnMut() -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        let routine = async |()| routine().await;
        self.with_setup(|| ()).iter_async_checked(routine, check).await;
    }

    /// Returns the metrics that the body gave, after it has returned.
    ///
    /// # Errors
    /// The failure of the body.
    pub(crate) fn finish(self) -> Result<Vec<OwnMetric>, Failure> {
        match self.state {
            BencherState::Measured => Ok(self.own),
            BencherState::Unmeasured => Err(Failure::NothingMeasured),
            BencherState::Failed(failure) => Err(failure),
        }
    }

    fn measure(&mut self, routine: &mut dyn Routine) {
        if self.begins() {
            let driven = self.driver.borrow_mut().drive(routine);
            self.state = BencherState::after(driven);
        }
    }

    async fn measure_awaiting<I, T>(
        &mut self,
        mut prepared: SetupRoutine<
            I,
            T,
            impl FnMut() -> I,
            impl AsyncFnMut(I) -> T,
            impl Fn(&T) -> Option<String>,
        >,
    ) {
        if !self.begins() {
            return;
        }
        let Some(relay) = self.relay.clone() else {
            self.state = BencherState::Failed(Failure::NotAsync);
            return;
        };
        // It stays so when this future is dropped before it is ready.
        self.state = BencherState::Failed(Failure::Abandoned);
        let most_iterations = prepared.most_kept();
        let served = relay.serve(most_iterations, async |iterations, stopwatch: &_| {
            prepared.batch_awaiting(iterations, stopwatch).await
        });
        self.state = BencherState::after(served.await);
    }

    /// Records a failure outside the routine.
    fn fail(&mut self, failure: Failure) {
        self.state = BencherState::Failed(failure);
    }

    /// Returns whether nothing has been measured yet; a second measurement is a failure.
    fn begins(&mut self) -> bool {
        if matches!(self.state, BencherState::Measured) {
            self.state = BencherState::Failed(Failure::MeasuredTwice);
        }
        matches!(self.state, BencherState::Unmeasured)
    }
}

/// The text of an error among the outputs.
fn error_of<T, E: Debug>(output: &Result<T, E>) -> Option<String> {
    output.as_ref().err().map(|error| format!("{error:?}"))
}

impl BencherState {
    fn after(driven: Result<(), Failure>) -> Self {
        driven.map_or_else(Self::Failed, |()| Self::Measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockKind;
    use crate::measure::Stopwatch;
    use perftest_core::model::Direction::{Higher, Lower};
    use perftest_core::model::{Metric, ProcessValue, Tolerance};

    struct Accepting;

    impl Driver for Accepting {
        fn drive(&mut self, _: &mut dyn Routine) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// Runs a batch of three and one of two.
    pub(super) struct Batches;

    impl Driver for Batches {
        fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
            let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
            routine.batch(3, &stopwatch)?;
            routine.batch(2, &stopwatch).map(drop)
        }
    }

    #[test]
    fn inputs_are_made_of_the_number_of_the_call_which_never_repeats() {
        let (mut batches, mut seen) = (Batches, Vec::new());
        let mut bencher = Bencher::new(&mut batches);
        bencher.with_inputs(|i| 10 * i).iter(|input| seen.push(input));
        assert_eq!(bencher.finish(), Ok(Vec::new()));
        assert_eq!(seen, [0, 10, 20, 30, 40]);
    }

    #[test]
    fn an_error_of_one_input_fails_the_test() {
        let mut batches = Batches;
        let mut bencher = Bencher::new(&mut batches);
        let body = |input| if input == 4 { Err("four is too many") } else { Ok(()) };
        let check = |output: &Result<(), &str>| output.err().map(ToOwned::to_owned);
        bencher.with_inputs(|i| i).iter_checked(body, check);
        assert_eq!(bencher.finish(), Err(Failure::Returned("four is too many".to_owned())));
    }

    #[test]
    fn a_body_that_never_measures_is_a_failure() {
        assert_eq!(Bencher::new(&mut Accepting).finish(), Err(Failure::NothingMeasured));
    }

    #[test]
    fn a_body_that_measures_twice_is_a_failure() {
        let mut accepting = Accepting;
        let mut bencher = Bencher::new(&mut accepting);
        bencher.iter(|| 1);
        bencher.with_setup(|| 1).iter(|n| n + 1);
        assert_eq!(bencher.finish(), Err(Failure::MeasuredTwice));
    }

    /// Returns the end of a body that gives these metrics after `iter`.
    fn given(metrics: &[(&str, f64, Goal)]) -> Result<Vec<OwnMetric>, Failure> {
        let mut accepting = Accepting;
        let mut bencher = Bencher::new(&mut accepting);
        bencher.iter(|| 1);
        metrics.iter().for_each(|(name, value, goal)| bencher.metric(name, *value, goal.clone()));
        bencher.finish()
    }

    #[test]
    fn a_metric_of_the_authors_is_kept_with_its_goal() {
        let kept = given(&[("size", 7.0, Lower.within("2%").unit("bytes"))]).unwrap();
        let metric = Metric { name: "size".into(), unit: "bytes".into(), direction: Lower };
        assert_eq!(kept[0].value, ProcessValue { metric, value: 7.0 });
        assert_eq!(kept[0].tolerance, Tolerance::new(0.02).ok());
        assert_eq!(given(&[("size", 7.0, Higher.into())]).unwrap()[0].tolerance, None);
    }

    #[test]
    fn a_metric_that_cannot_be_judged_fails_the_test_with_the_reason() {
        let goal = || Goal::from(Lower);
        for (metrics, why) in [
            (vec![("size", f64::NAN, goal())], "NaN"),
            (vec![("size", -1.0, goal())], "-1"),
            (vec![("allocs", 1.0, goal())], "built-in"),
            (vec![("", 1.0, goal())], "no name"),
            (vec![("size", 1.0, goal()), ("size", 1.0, goal())], "twice"),
            (vec![("size", 1.0, Lower.within("much"))], "`much`"),
        ] {
            let failure = given(&metrics).unwrap_err().to_string();
            assert!(failure.contains(why), "{failure}");
        }
        let mut accepting = Accepting;
        let mut bencher = Bencher::new(&mut accepting);
        bencher.metric("size", 1_u8, Lower);
        bencher.iter(|| 1);
        assert!(bencher.finish().unwrap_err().to_string().contains("after `iter`"));
    }
}
