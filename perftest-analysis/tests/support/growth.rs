//! How the time of a search grows with its input.

use std::time::Duration;

/// Of two amounts of work, the second some `times` as much: with a look at everything for each of its parts
/// it would take the square of that as long, and more.
pub(crate) fn grows_with_what_there_is<T>(
    what: &str,
    times: u32,
    both: &[T; 2],
    work: impl Fn(&T),
) {
    let took = |it: &T| -> Duration {
        let began = processor_time();
        work(it);
        processor_time().saturating_sub(began)
    };
    // Other processes take the caches on a busy machine: the fastest of each amount counts.
    let mut fastest = [Duration::MAX; 2];
    let is_fast = |_| {
        let tried = both.each_ref().map(took);
        fastest = [fastest[0].min(tried[0]), fastest[1].min(tried[1])];
        fastest[1] < 4 * times * fastest[0]
    };
    assert!((0..500).any(is_fast), "{what}: {fastest:?}");
}

/// The time that this thread had a processor: it does not depend on how busy the machine is.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_types, reason = "how the time grows is what is asked")]
fn processor_time() -> Duration {
    use std::sync::LazyLock;

    static BEGINNING: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
    BEGINNING.elapsed()
}
