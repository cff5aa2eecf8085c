//! Set-up and teardown of each call.

use super::not_a_future::NotAFuture;
use super::{Bencher, error_of};
use crate::measure::{BorrowRoutine, SetupRoutine, StagedRoutine, Stages};
use std::cell::RefCell;
use std::fmt::Debug;

/// Largest number of inputs with teardown at a time, because they are often scarce, such as open files
/// and ports.
const MOST_TORN_DOWN: u64 = 64;

/// A [`Bencher`] with set-up for each call; made by [`Bencher::with_setup`] and
/// [`Bencher::with_inputs`].
#[must_use = "nothing is measured until `iter` or another of its methods is called"]
pub struct WithSetup<'b, 'a, S> {
    pub(super) bencher: &'b mut Bencher<'a>,
    pub(super) setup: S,
}

impl<'b, 'a, I, S: FnMut() -> I> WithSetup<'b, 'a, S> {
    /// Measures `routine`, which takes a fresh input by value at each call. The timing
    /// excludes making the inputs and dropping the outputs. Return the input from the routine to exclude
    /// its drop, too.
    pub fn iter<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        self,
        routine: impl FnMut(I) -> T,
    ) {
        self.iter_checked(routine, |_| None);
    }

    /// Measures `routine`, which takes a fresh input by value at each call and may fail, as
    /// [`Bencher::try_iter`].
    pub fn try_iter<T, E: Debug>(self, routine: impl FnMut(I) -> Result<T, E>) {
        self.iter_checked(routine, error_of);
    }

    /// Measures `routine` and the stages in it, as [`Bencher::iter_stages`], with a fresh input at
    /// each call.
    pub fn iter_stages<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        self,
        mut routine: impl FnMut(I, &mut Stages) -> T,
    ) {
        let stages = RefCell::default();
        let routine = |input| routine(input, &mut RefCell::borrow_mut(&stages));
        let prepared = SetupRoutine::new(self.setup, routine, |_: &T| None);
        self.bencher.measure(&mut StagedRoutine::new(prepared, &stages));
    }

    /// Measures `routine`, which changes a fresh input in place at each call. The input is dropped outside
    /// the timing.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    ///
    /// #[perf_test]
    /// fn sort(b: &mut Bencher) {
    ///     b.with_setup(|| (0..1_000).rev().collect::<Vec<u32>>()).iter_mut(|it| it.sort_unstable());
    /// }
    /// ```
    pub fn iter_mut<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        self,
        routine: impl FnMut(&mut I) -> T,
    ) {
        self.bencher.measure(&mut BorrowRoutine::new(self.setup, routine, drop));
    }

    /// Measures an async `routine` in an async perf test. Each call takes a fresh input by value. Otherwise
    /// the same as [`iter`](Self::iter) and [`Bencher::iter_async`].
    pub async fn iter_async<T: NotAFuture<AFutureNeedsAwait>, AFutureNeedsAwait>(
        self,
        routine: impl AsyncFnMut(I) -> T,
    ) {
        self.iter_async_checked(routine, |_| None).await;
    }

    /// Measures an async `routine` that may fail, with a fresh input at each call, as
    /// [`Bencher::try_iter_async`].
    pub async fn try_iter_async<T, E: Debug>(self, routine: impl AsyncFnMut(I) -> Result<T, E>) {
        self.iter_async_checked(routine, error_of).await;
    }

    /// Calls `teardown` for each input after the batch, outside the timing, for example to remove a file or
    /// to stop a server. The inputs of a batch, at most 64, are all made before its first call.
    ///
    /// After a panic in the routine the inputs are only dropped, so put essential clean-up into their
    /// `Drop`.
    ///
    /// ```no_run
    /// use perftest::{Bencher, perf_test};
    /// use std::io::Write;
    ///
    /// #[perf_test]
    /// fn write_file(b: &mut Bencher) {
    ///     b.with_setup(TempFile::new)
    ///         .with_teardown(TempFile::remove)
    ///         .iter_mut(|it| it.file.write_all(&[7; 4_096]).expect("there is room on the disk"));
    /// }
    /// # struct TempFile { file: std::fs::File }
    /// # impl TempFile {
    /// #     fn new() -> Self { unimplemented!() }
    /// #     fn remove(self) {}
    /// # }
    /// ```
    pub fn with_teardown<D: FnMut(I)>(self, teardown: D) -> WithTeardown<'b, 'a, S, D> {
        WithTeardown { bencher: self.bencher, setup: self.setup, teardown }
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub fn iter_checked<T>(
        self,
        routine: impl FnMut(I) -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        self.bencher.measure(&mut SetupRoutine::new(self.setup, routine, check));
    }

    /// Measures a whole body for the attribute. Not covered by semver.
    #[doc(hidden)]
    pub async fn iter_async_checked<T>(
        self,
        routine: impl AsyncFnMut(I) -> T,
        check: impl Fn(&T) -> Option<String>,
    ) {
        self.bencher.measure_awaiting(SetupRoutine::new(self.setup, routine, check)).await;
    }
}

/// A [`Bencher`] with set-up and teardown for each call; made by [`WithSetup::with_teardown`].
#[must_use = "nothing is measured until `iter_mut` is called"]
pub struct WithTeardown<'b, 'a, S, D> {
    bencher: &'b mut Bencher<'a>,
    setup: S,
    teardown: D,
}

impl<I, S: FnMut() -> I, D: FnMut(I)> WithTeardown<'_, '_, S, D> {
    /// Measures `routine`, which changes a fresh input in place at each call and leaves it to the
    /// teardown.
    pub fn iter_mut<T: NotAFuture<AFutureNeedsIterAsync>, AFutureNeedsIterAsync>(
        self,
        routine: impl FnMut(&mut I) -> T,
    ) {
        let routine = BorrowRoutine::new(self.setup, routine, self.teardown);
        self.bencher.measure(&mut routine.at_most(MOST_TORN_DOWN));
    }
}
