//! What a perf test with set-up gets.

use crate::measure::{Failure, Looped, Prepared, Routine};

/// Runs the measured part of a perf test.
///
/// The body of the test is set-up: it runs once, untimed, and calls [`iter`](Self::iter) (or
/// [`with_setup`](Self::with_setup) and its `iter`) exactly once with the routine to measure.
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
    /// that consume or change their input.
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

/// A [`Bencher`] with set-up for each call; made by [`Bencher::with_setup`].
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
        self.bencher.measure(&mut Prepared::new(self.setup, routine));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Accepting;

    impl Driver for Accepting {
        fn drive(&mut self, _: &mut dyn Routine) -> Result<(), Failure> {
            Ok(())
        }
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
