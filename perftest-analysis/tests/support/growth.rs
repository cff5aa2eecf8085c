//! How the time of a search grows with its input.

use std::time::Duration;

/// Of two amounts of work, the second some `times` as much: with a look at everything for each of its parts
/// it would take the square of that as long, and more.
#[allow(clippy::disallowed_types, reason = "how the time grows is what is asked")]
pub(crate) fn grows_with_what_there_is<T>(
    what: &str,
    times: u32,
    both: &[T; 2],
    work: impl Fn(&T),
) {
    let took = |it: &T| -> Duration {
        let began = std::time::Instant::now();
        work(it);
        began.elapsed()
    };
    // Other processes interrupt most tries on a busy machine: the fastest of each amount counts.
    let mut fastest = [Duration::MAX; 2];
    let is_fast = |_| {
        let tried = both.each_ref().map(took);
        fastest = [fastest[0].min(tried[0]), fastest[1].min(tried[1])];
        fastest[1] < 4 * times * fastest[0]
    };
    assert!((0..500).any(is_fast), "{what}: {fastest:?}");
}
