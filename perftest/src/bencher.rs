//! What a perf test with set-up gets.

use crate::measure::{Failure, Looped, Prepared, Routine};

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
        Self { driver, state: State::Unmeasured }
    }

    /// Measures `routine`. Its output is kept until the batch is over and dropped outside the
    /// timing.
    ///
    /// A second call fails the test: one perf test measures one routine.
    pub fn iter<T>(&mut self, routine: impl FnMut() -> T) {
        self.iter_checked(routine, |_| None);
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

    /// How the body went, once it has returned.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.state {
            State::Measured => Ok(()),
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
        assert_eq!(bencher.finish(), Ok(()));
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
}
