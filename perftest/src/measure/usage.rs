//! Resource usage of this thread and process.

#![allow(unsafe_code)] // Two system calls; each block explains its safety.

/// Whether each wait is a voluntary switch. Apple's kernel counts only waits in BSD calls, such as reads of a pipe. Those
/// for locks, channels and timers are among the involuntary switches, so none counted does not mean none waited.
/// Source: `calcru` in `bsd/kern/kern_resource.c` and `_sleep` in `bsd/kern/kern_synch.c` of XNU.
const COUNTS_ALL_WAITS: bool = cfg!(not(target_vendor = "apple"));

/// One reading; differences of two readings describe a batch. `None` where the system does not report a
/// value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct UsageReading {
    pub thread_cpu_ns: Option<u64>,
    pub process_cpu_ns: Option<u64>,
    pub involuntary_switches: Option<u64>,
    pub voluntary_switches: Option<u64>,
    pub major_faults: Option<u64>,
    pub minor_faults: Option<u64>,
}

impl UsageReading {
    /// Reads thread time last, so that it closely encloses a batch that follows.
    #[inline]
    pub(super) fn before() -> Self {
        let thread = Self::of_thread();
        let process_cpu_ns = process_cpu_ns();
        Self { process_cpu_ns, thread_cpu_ns: thread_cpu_ns(), ..thread }
    }

    /// Reads thread time first.
    #[inline]
    pub(super) fn after() -> Self {
        let thread_cpu_ns = thread_cpu_ns();
        let process_cpu_ns = process_cpu_ns();
        Self { thread_cpu_ns, process_cpu_ns, ..Self::of_thread() }
    }

    /// Switches and faults of this thread; of the whole process where the system does not count by thread.
    #[cfg(unix)]
    #[inline]
    fn of_thread() -> Self {
        #[cfg(target_os = "linux")]
        const WHOSE: libc::c_int = libc::RUSAGE_THREAD;
        #[cfg(not(target_os = "linux"))]
        const WHOSE: libc::c_int = libc::RUSAGE_SELF;
        let Some(usage) = resource_usage(WHOSE) else {
            return Self::default();
        };
        Self::of(&usage)
    }

    /// Switches and faults.
    #[cfg(unix)]
    #[inline]
    pub(super) fn of(usage: &libc::rusage) -> Self {
        Self {
            involuntary_switches: Some(usage.ru_nivcsw as u64),
            voluntary_switches: Some(usage.ru_nvcsw as u64),
            major_faults: Some(usage.ru_majflt as u64),
            minor_faults: Some(usage.ru_minflt as u64),
            ..Self::default()
        }
    }

    #[cfg(not(unix))]
    #[inline]
    fn of_thread() -> Self {
        Self::default()
    }

    /// Adds two usages.
    pub(super) fn with(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b).or(a).or(b);
        self.combined(other, sum)
    }

    /// Returns the usage between an earlier reading and this one.
    pub(super) fn since(self, earlier: Self) -> Self {
        let used = self.combined(earlier, |now, then| Some(now?.saturating_sub(then?)));
        let voluntary_switches =
            used.voluntary_switches.filter(|switches| COUNTS_ALL_WAITS || *switches > 0);
        Self { voluntary_switches, ..used }
    }

    fn combined(self, other: Self, both: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            thread_cpu_ns: both(self.thread_cpu_ns, other.thread_cpu_ns),
            process_cpu_ns: both(self.process_cpu_ns, other.process_cpu_ns),
            involuntary_switches: both(self.involuntary_switches, other.involuntary_switches),
            voluntary_switches: both(self.voluntary_switches, other.voluntary_switches),
            major_faults: both(self.major_faults, other.major_faults),
            minor_faults: both(self.minor_faults, other.minor_faults),
        }
    }
}

/// Processor time of this thread so far.
#[cfg(unix)]
#[inline]
pub(super) fn thread_cpu_ns() -> Option<u64> {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of all threads of this process so far.
#[cfg(unix)]
#[inline]
pub(crate) fn process_cpu_ns() -> Option<u64> {
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The time of a clock of the system; `None` where the system lacks it, and for the clock of a thread that has ended. A
/// signal handler may call this.
#[cfg(unix)]
#[inline]
pub(super) fn clock_ns(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one timespec, and nothing else is written. A clock that
    // is not there returns an error code, which becomes `None`; `a_busy_thread_uses_time`
    // would notice a wrong clock. POSIX lists the call as safe in a signal handler.
    let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (code == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Processor time of ended and awaited children of this process so far.
#[cfg(unix)]
pub(crate) fn children_cpu_ns() -> Option<u64> {
    let usage = resource_usage(libc::RUSAGE_CHILDREN)?;
    let time_ns = |it: libc::timeval| it.tv_sec as u64 * 1_000_000_000 + it.tv_usec as u64 * 1_000;
    Some(time_ns(usage.ru_utime) + time_ns(usage.ru_stime))
}

#[cfg(unix)]
#[inline]
fn resource_usage(whose: libc::c_int) -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` has the size and alignment of one rusage, and the call writes only that; a
    // zeroed rusage is a valid value, so it may be read whatever the call did.
    // `a_busy_thread_uses_time_and_a_sleeping_one_waits` would notice a wrong reading.
    let (code, usage) = unsafe {
        let code = libc::getrusage(whose, usage.as_mut_ptr());
        (code, usage.assume_init())
    };
    (code == 0).then_some(usage)
}

/// Processor time of this thread so far.
#[cfg(not(unix))]
fn thread_cpu_ns() -> Option<u64> {
    None
}

/// Processor time of all threads of this process so far.
#[cfg(not(unix))]
pub(crate) fn process_cpu_ns() -> Option<u64> {
    None
}

/// Processor time of ended and awaited children of this process so far.
#[cfg(not(unix))]
pub(crate) fn children_cpu_ns() -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::time::Duration;

    #[test]
    fn a_busy_thread_uses_time_and_a_sleeping_one_waits() {
        let start = UsageReading::before();
        (0..1_000_000_u64).for_each(|n| {
            black_box(n);
        });
        let busy = UsageReading::after().since(start);
        let start = UsageReading::before();
        std::thread::sleep(Duration::from_millis(2));
        let asleep = UsageReading::after().since(start);
        assert!(busy.thread_cpu_ns > asleep.thread_cpu_ns);
        if cfg!(target_os = "linux") {
            assert!(asleep.voluntary_switches >= Some(1));
        }
    }

    #[test]
    fn the_process_uses_at_least_what_its_thread_uses() {
        let start = UsageReading::before();
        (0..1_000_000_u64).for_each(|n| {
            black_box(n);
        });
        let used = UsageReading::after().since(start);
        assert!(used.process_cpu_ns >= used.thread_cpu_ns.map(|ns| ns / 2));
    }
}
