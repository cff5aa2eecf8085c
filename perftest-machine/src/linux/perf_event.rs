//! Counters of the kernel: `perf_event_open(2)`.

#![allow(unsafe_code)] // One system call without a libc function; the block explains its safety.

use super::tree::{Tree, number};
use crate::counter::{Countable, Uncountable};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, RawFd};

// `linux/perf_event.h`.
const PERF_TYPE_HARDWARE: u32 = 0;
const PERF_FORMAT_TOTAL_TIME_ENABLED: u64 = 1 << 0;
const PERF_FORMAT_TOTAL_TIME_RUNNING: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;

/// The first version of `struct perf_event_attr`, which every kernel supports. Unnamed fields stay 0.
#[repr(C)]
#[derive(Debug, Default)]
struct PerfEventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

/// Counts one kind of event of one thread in user space until it is dropped.
#[derive(Debug)]
pub struct Counter {
    file: File,
}

impl Counter {
    /// Starts to count for the calling thread, on all processors it runs on.
    ///
    /// # Errors
    /// The reason why this kernel, machine or configuration forbids counting.
    pub fn of_this_thread(event: Countable) -> Result<Self, Uncountable> {
        Self::open(PERF_TYPE_HARDWARE, hardware_event(event)).map_err(|error| why_not(&error))
    }

    fn open(kind: u32, config: u64) -> io::Result<Self> {
        let attributes = PerfEventAttributes {
            kind,
            size: size_of::<PerfEventAttributes>() as u32,
            config,
            read_format: PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
            flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..PerfEventAttributes::default()
        };
        let (this_thread, any_processor, no_group): (libc::pid_t, libc::c_int, libc::c_int) =
            (0, -1, -1);
        // SAFETY: the kernel reads `size` bytes of the structure, which lives until the call
        // returns, and writes no memory of ours.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                this_thread,
                any_processor,
                no_group,
                PERF_FLAG_FD_CLOEXEC,
            )
        };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was opened just now, and no other code has it.
        Ok(Self { file: unsafe { File::from_raw_fd(answer as RawFd) } })
    }

    /// Returns the events so far; takes 0.4 us.
    ///
    /// # Errors
    /// When the kernel multiplexed the counter because the processor has too few: the count is then
    /// only an estimate.
    pub fn read(&self) -> Result<u64, Uncountable> {
        let mut bytes = [0; 24];
        let read = (&self.file).read(&mut bytes).map_err(|error| why_not(&error))?;
        let word = |at: usize| {
            bytes[8 * at..].first_chunk().map_or(0, |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes))
        };
        let (count, enabled_ns, running_ns) = (word(0), word(1), word(2));
        if read < bytes.len() || running_ns < enabled_ns {
            let why = "the processor's counters are shared with other users of them, or the thread ran on a core of \
                       another kind";
            let advice = "stop what counts too, such as `perf stat -a`; where cores differ, run the tests on those of one \
                          kind with `taskset`";
            return Err(Uncountable::new(why, advice));
        }
        Ok(count)
    }
}

fn hardware_event(event: Countable) -> u64 {
    match event {
        Countable::Cycles => 0,
        Countable::Instructions => 1,
        Countable::CacheMisses => 3,
        Countable::BranchMisses => 5,
    }
}

fn why_not(error: &io::Error) -> Uncountable {
    explain(error, paranoia(&Tree::new("/")))
}

/// Reads `perf_event_paranoid`: above 2 only privileged users may count.
fn paranoia(tree: &Tree) -> Option<i64> {
    number(&tree.read("proc/sys/kernel/perf_event_paranoid").ok()?)
}

/// Explains the kernel's error.
fn explain(error: &io::Error, paranoia: Option<i64>) -> Uncountable {
    const PERMITTED: i64 = 2;
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => Uncountable::new(
            "this machine shows no hardware counters, as many virtual machines do not",
            "let the host pass them through (a virtual PMU), or measure on the machine itself",
        ),
        Some(libc::EACCES | libc::EPERM) => match paranoia.filter(|level| *level > PERMITTED) {
            Some(level) => Uncountable::new(
                format!("kernel.perf_event_paranoid = {level} forbids it"),
                "sysctl kernel.perf_event_paranoid=2",
            ),
            None => Uncountable::new(
                "a filter of system calls (seccomp) or another policy forbids it, as containers do",
                "give the container the capability: --cap-add PERFMON",
            ),
        },
        Some(libc::ENOSYS) => Uncountable::new(
            "the kernel has no perf_event_open, or the container hides it",
            "use a kernel with CONFIG_PERF_EVENTS, or another sandbox",
        ),
        Some(libc::EBUSY) => Uncountable::new(
            "another program holds the processor's counters",
            "stop it, such as a profiler or the watchdog: sysctl kernel.nmi_watchdog=0",
        ),
        _ => Uncountable::new(
            format!("the kernel refused to count: {error}"),
            "count with valgrind instead",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    const PERF_TYPE_SOFTWARE: u32 = 1;
    const PAGE_FAULTS: u64 = 2;
    const TASK_CLOCK: u64 = 1;

    /// Virtual machines have these too; a sandbox may forbid all of them.
    fn software(config: u64) -> Option<Counter> {
        match Counter::open(PERF_TYPE_SOFTWARE, config) {
            Ok(counter) => Some(counter),
            Err(error) => {
                let refusal = why_not(&error);
                assert!(!refusal.why.is_empty(), "{error}");
                eprintln!("SKIPPED: {refusal}");
                None
            }
        }
    }

    #[test]
    fn each_page_that_is_touched_first_is_counted() {
        let Some(counter) = software(PAGE_FAULTS) else {
            return;
        };
        let before = counter.read().unwrap();
        // Fresh from the kernel, and a page at a time whatever the size of a page.
        let mut fresh = vec![0_u8; 64 << 20];
        fresh.iter_mut().step_by(4096).for_each(|byte| *black_box(byte) = 1);
        assert!(counter.read().unwrap() > before);
    }

    #[test]
    fn the_work_of_another_thread_is_not_counted() {
        let Some(counter) = software(TASK_CLOCK) else {
            return;
        };
        let work = || (0..20_000_000_u64).fold(0, |sum, round| black_box(sum ^ round));
        let before = counter.read().unwrap();
        let other = std::thread::spawn(move || {
            let own = software(TASK_CLOCK).unwrap();
            black_box(work());
            own.read().unwrap()
        });
        let others = other.join().unwrap();
        let own = counter.read().unwrap() - before;
        assert!(own < others, "{own} {others}");
    }

    #[test]
    fn instructions_are_counted_or_the_reason_is_reported() {
        const ROUNDS: u64 = 10_000;
        for event in Countable::ALL {
            match Counter::of_this_thread(event) {
                Ok(counter) => {
                    let before = counter.read().unwrap();
                    black_box((0..ROUNDS).fold(0, |sum, round| black_box(sum ^ round)));
                    let counted = counter.read().unwrap() - before;
                    let fewest = match event {
                        Countable::Instructions => ROUNDS,
                        Countable::Cycles => 1,
                        // A loop need not miss anything.
                        Countable::CacheMisses | Countable::BranchMisses => 0,
                    };
                    assert!(counted >= fewest, "{event:?}: {counted}");
                }
                Err(refusal) => {
                    assert!(!refusal.why.is_empty() && !refusal.help.is_empty(), "{refusal}");
                }
            }
        }
    }

    #[test]
    fn an_event_that_no_kernel_knows_is_refused() {
        assert!(Counter::open(PERF_TYPE_SOFTWARE, u64::MAX).is_err());
    }

    #[test]
    fn each_refusal_names_its_reason_and_what_would_help() {
        let explanation = |errno, paranoia| explain(&io::Error::from_raw_os_error(errno), paranoia);
        assert!(explanation(libc::ENOENT, Some(2)).why.contains("no hardware counters"));
        let paranoid = explanation(libc::EACCES, Some(3));
        assert_eq!(paranoid.why, "kernel.perf_event_paranoid = 3 forbids it");
        assert!(paranoid.help.contains("perf_event_paranoid=2"));
        assert!(explanation(libc::EPERM, Some(2)).why.contains("seccomp"));
        assert!(explanation(libc::EPERM, None).help.contains("PERFMON"));
        assert!(explanation(libc::ENOSYS, None).why.contains("no perf_event_open"));
        assert!(explanation(libc::EBUSY, None).why.contains("another program"));
        assert!(explanation(libc::E2BIG, None).why.contains("refused to count"));
    }
}
