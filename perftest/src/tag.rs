//! Marks of the author in a profile.

use crate::measure::TagMark;
use std::marker::PhantomData;

/// Marks what this thread works on, until the returned [`Tag`] is dropped. A profile of the test then shows
/// where the time of each value goes. Outside of a profile this does nothing.
///
/// ```no_run
/// use perftest::{Bencher, perf_test};
///
/// #[perf_test]
/// fn serve(b: &mut Bencher) {
///     b.iter(|| {
///         for request in 0..8 {
///             let _tag = perftest::tag("request", request);
///             answer(request);
///         }
///     });
/// }
///
/// fn answer(request: u64) -> String {
///     request.to_string()
/// }
/// ```
pub fn tag(name: &'static str, value: u64) -> Tag {
    Tag { _mark: TagMark::enter(name, value), _of_this_thread: PhantomData }
}

/// A mark in profiles; made by [`tag`]. The mark before it returns when this is dropped.
#[derive(Debug)]
#[must_use = "the mark ends when this is dropped"]
pub struct Tag {
    _mark: TagMark,
    /// The mark belongs to the thread that made it.
    _of_this_thread: PhantomData<*const ()>,
}
