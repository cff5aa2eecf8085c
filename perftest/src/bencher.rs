//! What a perf test with set-up gets.

use crate::measure::{Failure, Looped, Prepared, Routine, Staged, Stages};
use crate::own_metric::{MetricValue, OwnMetric};
use perftest_core::model::Goal;
use std::cell::RefCell;

/// Runs the measured part of a perf test.
///
/// The body of the test is set-up: it runs once, untimed, and calls [`iter`](Self::iter) (or the
/// `iter` of [`with_setup`](Self::with_setup) or [`with_inputs`](Self::with_inputs)) exactly once
/// with the routine to measure.
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
    driver: &'a mut dyn Driver,
    state: State,
    own: Vec<OwnMetric>,
}

/// Who asks for the measurements: a trial, a parent process, or a smoke run.
pub(crate) trait Driver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure>;
}

enum State {
    Unmeasured,
    Measured,
    Failed(Failure),
}

impl<'a> Bencher<'a> {
    pub(crate) fn new(driver: &'a mut dyn Driver) -> Self {
        Self { driver, state: State::Unmeasured, own: Vec::new() }
    }

    /// Measures `routine`. Its output is kept until the batch is over and dropped outside the
    /// timing.
    ///
    /// A second call fails the test: one perf test measures one routine.
    pub fn iter<T>(&mut self, routine: impl FnMut() -> T) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine` and the stages in it. Each stage has a history and a verdict of its own,
    /// beside those of the whole: one that lasts milliseconds is judged by milliseconds, however long
    /// the others take.
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
    pub fn iter_stages<T>(&mut self, mut routine: impl FnMut(&mut Stages) -> T) {
        let stages = RefCell::default();
        let routine = || routine(&mut RefCell::borrow_mut(&stages));
        self.measure(&mut Staged::new(Looped::new(routine, |_| None), &stages));
    }

    /// Records a number of the author's own, one for the whole run: the bytes that came out, the
    /// share of hits. Called after `iter`.
    ///
    /// A bare direction records it: where the time is red it is told how much the number changed.
    /// With `within` it is judged as well, by its own history and tolerance: worse by more, in fresh
    /// processes too, is a failed test. A number that is not finite, or negative, fails the test; so
    /// does a name that a built-in metric has, or that is given twice.
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
            State::Unmeasured => Err(format!(
                "the metric `{name}` was given before anything was measured: call `metric` after \
                 `iter`"
            )),
            State::Measured => OwnMetric::new(name, value.value(), &goal.into(), &self.own),
            State::Failed(_) => return,
        };
        match state {
            Ok(own) => self.own.push(own),
            Err(why) => self.state = State::Failed(Failure::Series(why)),
        }
    }

    /// Gives each call an input of its own, made by `setup` outside the timing: for routines
    /// that consume or change their input. Where the inputs should differ, see
    /// [`with_inputs`](Self::with_inputs).
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

    /// Gives each call the input that `inputs` makes of its number, outside the timing. The calls
    /// of a run are counted from 0, those of the warm-up included, and no number comes twice.
    ///
    /// A processor that is fed the same input again and again learns its branches: 3,000 keys that
    /// it has met can go into a `BTreeMap` more than twice as fast as new ones. Inputs that depend
    /// on `i`, and on nothing else, are new at each call and the same in every run.
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
    ///
    /// `#[perf_test(inputs = needle)]` does the same for a test whose whole body is measured.
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

    pub(crate) fn iter_checked<T>(
        &mut self,
        routine: impl FnMut() -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        self.measure(&mut Looped::new(routine, check));
    }

    /// What the body gave besides, once it has returned.
    ///
    /// # Errors
    /// How it failed.
    pub(crate) fn finish(self) -> Result<Vec<OwnMetric>, Failure> {
        match self.state {
            State::Measured => Ok(self.own),
            State::Unmeasured => Err(Failure::NothingMeasured),
            State::Failed(failure) => Err(failure),
        }
    }

    fn measure(&mut self, routine: &mut dyn Routine) {
        self.state = match self.state {
            State::Unmeasured => match self.driver.drive(routine) {
                Ok(()) => State::Measured,
                Err(failure) => State::Failed(failure),
            },
            State::Measured | State::Failed(Failure::MeasuredTwice) => {
                State::Failed(Failure::MeasuredTwice)
            }
            State::Failed(_) => return,
        };
    }
}

/// A [`Bencher`] with set-up for each call; made by [`Bencher::with_setup`] and
/// [`Bencher::with_inputs`].
#[must_use = "nothing is measured until `iter` is called"]
pub struct WithSetup<'b, 'a, S> {
    bencher: &'b mut Bencher<'a>,
    setup: S,
}

impl<I, S: FnMut() -> I> WithSetup<'_, '_, S> {
    /// Measures `routine`, which takes a fresh input by value at each call. Making the inputs and
    /// dropping the outputs is outside the timing; return the input from the routine to keep its
    /// own drop outside as well.
    pub fn iter<T>(self, routine: impl FnMut(I) -> T) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine` and the stages in it, as [`Bencher::iter_stages`], with a fresh input at
    /// each call.
    pub fn iter_stages<T>(self, mut routine: impl FnMut(I, &mut Stages) -> T) {
        let stages = RefCell::default();
        let routine = |input| routine(input, &mut RefCell::borrow_mut(&stages));
        let prepared = Prepared::new(self.setup, routine, |_: &T| None);
        self.bencher.measure(&mut Staged::new(prepared, &stages));
    }

    pub(crate) fn iter_checked<T>(
        self,
        routine: impl FnMut(I) -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        self.bencher.measure(&mut Prepared::new(self.setup, routine, check));
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
    struct Batches;

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

    /// How a body ends that gives these metrics after `iter`.
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
