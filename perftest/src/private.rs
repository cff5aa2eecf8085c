//! Names for the attribute's expansion. Not covered by semver: pinned by exact version.

pub use crate::bencher::{AsyncBody, BlockOn, BodyStretch, Rendezvous};
pub use crate::cases::{
    Amount, Case, DebugLabel, DisplayLabel, Job, Label, ask, bytes, each, items, no_work, once,
    text,
};
pub use crate::harness::{bench_main, main, run_in_libtest};
pub use crate::measure::Failure;
pub use crate::registry::{
    BenchTarget, Build, Descriptor, Group, Instance, Place, Rival, budget, curve, limit,
    target_kind, timeout, tolerance,
};
pub use crate::settings::{Layer, Learn, OnDebug, OnImproved, OnRed, OnUnclear};
pub use core::line;
pub use inventory;
pub use perftest_core::model::OnUnjudged;
pub use std::hint::black_box;
pub use std::process::ExitCode;

use crate::{Bencher, ThreadBencher};
use std::fmt::Debug;

/// Returns the parameter of a body under `threads`.
pub fn on_threads<'b, 'a>(bencher: &'b mut Bencher<'a>, threads: u16) -> ThreadBencher<'b, 'a> {
    ThreadBencher::new(bencher, threads)
}

/// Ends a body that got the bencher: a returned error fails the test.
///
/// # Errors
/// [`Failure::Returned`] with the error's text.
pub fn finish(failure: Option<String>) -> Result<(), Failure> {
    failure.map_or(Ok(()), |error| Err(Failure::Returned(error)))
}

/// Inspects an output: only a `Result` can fail. The number of references that the call needs
/// selects one of the traits, so that it works for every type.
pub struct Probe<'a, T>(pub &'a T);

/// Inspects a `Result`.
pub trait ResultProbe {
    /// The error's text. Without the bound an error that cannot be shown would be no failure.
    fn failure(&self) -> Option<String>
    where
        Self: ShownError;
}

impl<T, E> ResultProbe for Probe<'_, Result<T, E>> {
    fn failure(&self) -> Option<String>
    where
        Self: ShownError,
    {
        self.error()
    }
}

/// A `Result` whose error has a text. The compiler names the missing `Debug` where there is none.
pub trait ShownError {
    /// The error's text, if there is an error.
    fn error(&self) -> Option<String>;
}

impl<T, E: Debug> ShownError for Probe<'_, Result<T, E>> {
    fn error(&self) -> Option<String> {
        self.0.as_ref().err().map(|error| format!("{error:?}"))
    }
}

/// Refuses a future as an output: it would not be awaited, and only its creation would be measured.
pub trait FutureProbe {
    /// Has a bound that no type meets, on purpose.
    fn failure(&self) -> Option<String>
    where
        Self: AwaitedOutput;
}

impl<T: Future> FutureProbe for Probe<'_, T> {
    fn failure(&self) -> Option<String>
    where
        Self: AwaitedOutput,
    {
        None
    }
}

/// The compile error for a returned future.
#[diagnostic::on_unimplemented(
    message = "this function returns a future that is never awaited: only its creation would be measured",
    label = "returns a future",
    note = "a perf test that is an `async fn` has `runtime = ..`, and a function that it is compared \
            with by `versus` is async where it is, and only there"
)]
pub trait AwaitedOutput {}

/// Inspects all other types: they cannot fail.
pub trait ValueProbe {
    /// Always `None`.
    fn failure(&self) -> Option<String>;
}

impl<T> ValueProbe for &Probe<'_, T> {
    fn failure(&self) -> Option<String> {
        None
    }
}

/// A function that a test is compared with. The number of references that the call needs selects
/// one of the two traits.
pub struct Function<'a, F>(pub &'a F);

/// The type in the compile error for a perf test as rival under libtest: calling it measures
/// nothing.
pub struct VersusNamesAPerfTest;

/// Refuses the ordinary test of a perf test.
pub trait OrdinaryTest {
    /// Has a wrong type, on purpose.
    fn is_compared(&self) -> VersusNamesAPerfTest;
}

impl<F: Fn() -> ExitCode> OrdinaryTest for Function<'_, F> {
    fn is_compared(&self) -> VersusNamesAPerfTest {
        VersusNamesAPerfTest
    }
}

/// Accepts all other functions.
pub trait AnyFunction {
    /// Accepts the function.
    fn is_compared(&self);
}

impl<F> AnyFunction for &Function<'_, F> {
    fn is_compared(&self) {}
}

#[cfg(test)]
mod tests {
    use super::{Probe, ResultProbe as _, ValueProbe as _};

    #[test]
    #[allow(clippy::needless_borrow)] // As the expansion writes it: the borrow chooses the trait.
    fn only_an_error_is_a_failure() {
        let wrong: Result<(), &str> = Err("no such file");
        let right: Result<u8, &str> = Ok(1);
        assert_eq!((&Probe(&wrong)).failure(), Some("\"no such file\"".to_owned()));
        assert_eq!((&Probe(&right)).failure(), None);
        assert_eq!((&Probe(&7)).failure(), None);
    }
}
