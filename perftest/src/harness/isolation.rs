//! Whether this process runs only its perf test, or other tests too.

use crate::measure::{children_cpu_ns, other_threads_cpu_ns, process_cpu_ns};
use perftest_core::text::Text;
use perftest_machine::Sensors;
use perftest_store::WaitedTime;
use std::time::{Duration, Instant};

/// Neighbours that use less than this share of a processor do not disturb.
const QUIET_SHARE: f64 = 0.2;
/// Longest wait for other tests to end before a confirmation.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);
/// The options of libtest that take the next argument as their value, beside `--test-threads`. Source: `--help` of a
/// test binary.
const OPTIONS_WITH_VALUES: [&str; 6] =
    ["--skip", "--color", "--format", "--logfile", "--shuffle-seed", "-Z"];

/// What may run beside a perf test in its own process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// Nothing: a binary of its own, one process a test, or one test thread.
    Alone,
    /// Other tests of the same process.
    Neighbours,
}

impl Isolation {
    /// Returns the isolation inside libtest: alone with one thread, or one exact name. `test_threads` is the number
    /// without an option, if it is set; else it is that of the processors.
    pub(crate) fn in_libtest(
        test_threads: Option<usize>,
        processors: usize,
        arguments: &[String],
    ) -> Self {
        let (mut threads, mut is_exact, mut names) = (None, false, 0);
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            match argument.cut('=') {
                Some(("--test-threads", count)) => threads = Some(count),
                _ if argument == "--test-threads" => threads = rest.next(),
                _ if argument == "--exact" => is_exact = true,
                _ if OPTIONS_WITH_VALUES.contains(&argument) => drop(rest.next()),
                _ if argument.starts_with('-') => {}
                _ => names += 1,
            }
        }
        // The option counts more than the variable of the same meaning.
        let is_single_by_default = test_threads.unwrap_or(processors) == 1;
        let is_single = threads.map_or(is_single_by_default, |count| count == "1");
        if is_single || (is_exact && names == 1) { Self::Alone } else { Self::Neighbours }
    }

    /// Returns whether nothing else runs in this process at the moment.
    pub(crate) fn is_quiet_now(self) -> bool {
        self == Self::Alone || is_quiet_for(LOOK)
    }

    /// Waits until this process is quiet, so that a fresh one can be measured beside it. Returns
    /// `false` if this process does not become quiet.
    pub(crate) fn wait_for_quiet(self) -> bool {
        self == Self::Alone || is_quiet_within(LONGEST_WAIT, || is_quiet_for(LOOK))
    }
}

/// Looks again and again, up to `longest` of [`WaitedTime`] and once behind it.
fn is_quiet_within(longest: Duration, is_quiet: impl Fn() -> bool) -> bool {
    let mut waited = WaitedTime::start();
    loop {
        let is_over = waited.until_now() >= longest;
        if is_quiet() {
            return true;
        }
        if is_over {
            return false;
        }
    }
}

fn is_quiet_for(time: Duration) -> bool {
    let watch = QuietWatch::start();
    std::thread::sleep(time);
    watch.was_quiet()
}

/// Measures how much processor time the other threads of this process use while another process measures. This thread
/// starts that process and reads its answers, which is a large part of the time of a short pair.
pub(crate) struct QuietWatch {
    began: Instant,
    used_ns: Option<u64>,
}

impl QuietWatch {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), used_ns: other_threads_cpu_ns() }
    }

    /// Returns whether the other threads used next to nothing since the start. Unknown is not quiet: beside unseen tests
    /// nothing can be confirmed.
    pub(crate) fn was_quiet(&self) -> bool {
        let now = other_threads_cpu_ns();
        let used = now.zip(self.used_ns).map(|(now, then)| now.saturating_sub(then));
        used.is_some_and(|used_ns| is_quiet(used_ns, self.began.elapsed()))
    }
}

fn is_quiet(used_ns: u64, elapsed: Duration) -> bool {
    (used_ns as f64) < QUIET_SHARE * elapsed.as_nanos() as f64
}

/// Looks before and after a test whether other tests of its process work.
pub(crate) struct NeighbourWatch {
    isolation: Isolation,
    was_quiet: bool,
}

impl NeighbourWatch {
    pub(crate) fn start(isolation: Isolation) -> Self {
        Self { isolation, was_quiet: isolation.is_quiet_now() }
    }

    /// Returns whether others worked, at the start or now.
    pub(crate) fn saw_work(&self) -> bool {
        !(self.was_quiet && self.isolation.is_quiet_now())
    }
}

/// Measures how much processor time all others use while a fresh process measures.
pub(crate) struct OthersWatch<'a> {
    sensors: &'a Sensors,
    began: Instant,
    used_ms: Option<u64>,
    own_ns: Option<u64>,
}

impl<'a> OthersWatch<'a> {
    pub(crate) fn start(sensors: &'a Sensors) -> Self {
        let used_ms = sensors.used_ms();
        Self { sensors, began: Instant::now(), used_ms, own_ns: own_cpu_ns() }
    }

    /// Processors that neither this process nor its ended children used since the start. `None`
    /// where the system does not report the load.
    pub(crate) fn others_cpus(&self) -> Option<f64> {
        let elapsed_ns = self.began.elapsed().as_nanos() as f64;
        let used_ms = self.sensors.used_ms()?.saturating_sub(self.used_ms?);
        let own_ns = own_cpu_ns()?.saturating_sub(self.own_ns?);
        Some((used_ms as f64 * 1e6 - own_ns as f64).max(0.0) / elapsed_ns)
    }
}

fn own_cpu_ns() -> Option<u64> {
    Some(process_cpu_ns()? + children_cpu_ns()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_libtest(arguments: &[&str]) -> Isolation {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Isolation::in_libtest(None, 2, &arguments)
    }

    #[test]
    fn one_thread_or_one_exact_name_is_alone_and_a_plain_run_is_not() {
        assert_eq!(in_libtest(&[]), Isolation::Neighbours);
        assert_eq!(in_libtest(&["--test-threads=1"]), Isolation::Alone);
        assert_eq!(in_libtest(&["--test-threads", "1"]), Isolation::Alone);
        assert_eq!(in_libtest(&["codec::encode", "--exact"]), Isolation::Alone);
        assert_eq!(in_libtest(&["codec::encode"]), Isolation::Neighbours);
        assert_eq!(in_libtest(&["a", "b", "--exact"]), Isolation::Neighbours);
        assert_eq!(Isolation::in_libtest(Some(1), 2, &[]), Isolation::Alone);
    }

    #[test]
    fn the_value_of_an_option_is_no_name_and_the_number_of_threads_counts_more_than_the_variable() {
        assert_eq!(in_libtest(&["--exact", "--skip", "codec::slow"]), Isolation::Neighbours);
        assert_eq!(in_libtest(&["--exact", "--color", "always", "a"]), Isolation::Alone);
        let four = ["--test-threads=4".to_owned()];
        assert_eq!(Isolation::in_libtest(Some(1), 2, &four), Isolation::Neighbours);
        let exact = ["--test-threads=4", "--exact", "a"].map(str::to_owned);
        assert_eq!(Isolation::in_libtest(None, 2, &exact), Isolation::Alone);
    }

    #[test]
    fn one_processor_runs_one_test_at_a_time_unless_the_number_of_threads_is_set() {
        assert_eq!(Isolation::in_libtest(None, 1, &[]), Isolation::Alone);
        assert_eq!(Isolation::in_libtest(Some(4), 1, &[]), Isolation::Neighbours);
        let four = ["--test-threads=4".to_owned()];
        assert_eq!(Isolation::in_libtest(None, 1, &four), Isolation::Neighbours);
    }

    #[test]
    fn a_time_in_which_the_process_was_stopped_is_no_wait_for_a_quiet_one() {
        let longest = Duration::from_millis(500);
        let looks = std::cell::Cell::new(0);
        let is_quiet = || {
            looks.set(looks.get() + 1);
            if looks.get() == 1 {
                std::thread::sleep(2 * longest);
            }
            looks.get() == 3
        };
        assert!(is_quiet_within(longest, is_quiet));
        assert!(is_quiet_within(Duration::ZERO, || true));
        assert!(!is_quiet_within(Duration::ZERO, || false));
    }

    #[test]
    fn other_tests_that_cannot_be_watched_are_not_quiet() {
        let unseen = QuietWatch { began: Instant::now(), used_ns: None };
        assert!(!unseen.was_quiet());
    }

    #[test]
    fn a_process_that_uses_half_a_processor_is_not_quiet_and_one_that_sleeps_is() {
        let elapsed = Duration::from_millis(20);
        assert!(!is_quiet(10_000_000, elapsed));
        assert!(is_quiet(20_000, elapsed));
    }
}
