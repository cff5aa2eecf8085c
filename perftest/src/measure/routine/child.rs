//! One process from its start to its end, with its usage.

#![allow(unsafe_code)] // System calls; each block explains its safety.

use super::peak_memory::PeakMemory;
use crate::measure::usage::UsageReading;
use std::fmt;
use std::io;
use std::process::{Command, ExitStatus};
#[cfg(unix)]
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// A process that has ended.
pub(super) struct ExitedChild {
    pub(super) status: ExitStatus,
    /// Usage of the process and its ended children.
    pub(super) used: UsageReading,
    /// Processor time in its own code and in the system's; `None` where the system does not report it.
    pub(super) times: Option<(Duration, Duration)>,
    /// The largest memory of the process; `None` where the system does not report it.
    pub(super) peak: Option<PeakMemory>,
}

impl ExitedChild {
    /// Returns the usage of a child process. `own_bytes` is the peak memory of this process.
    pub(super) fn beside_own_peak(self, own_bytes: Option<u64>) -> Self {
        let peak_bytes = self.peak.and_then(PeakMemory::bytes);
        Self {
            peak: peak_bytes.map(|peak_bytes| PeakMemory::of_child(peak_bytes, own_bytes)),
            ..self
        }
    }
}

impl fmt::Display for ExitedChild {
    /// `exit status: 1, after 1.20 s of user and 0.10 s of system time, with at most 34.1 MiB of memory`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some((user, system)) = self.times {
            let (user, system) = (user.as_secs_f64(), system.as_secs_f64());
            write!(f, ", after {user:.2} s of user and {system:.2} s of system time")?;
        }
        self.peak.map_or(Ok(()), |peak| write!(f, ", with {peak}"))
    }
}

/// The process that runs, or 0. One test measures at a time.
#[cfg(unix)]
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Kills the process that runs: the last act of a process whose test hangs, so that what it measured hangs no longer.
#[cfg(unix)]
pub(crate) fn kill_running() {
    let pid = RUNNING.load(Ordering::Relaxed);
    if pid > 0 {
        // SAFETY: sends a signal and touches no memory. `run` has not waited for the process, so the number is its.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// Starts the process and waits until it has ended.
///
/// # Errors
/// When the process cannot be started, or another part of this program has waited for it.
#[cfg(unix)]
pub(super) fn run(command: &mut Command) -> io::Result<ExitedChild> {
    use std::os::unix::process::ExitStatusExt;
    let child = command.spawn()?;
    let pid = child.id() as libc::pid_t;
    RUNNING.store(pid, Ordering::Relaxed);
    let waited = wait(pid);
    RUNNING.store(0, Ordering::Relaxed);
    let (status, usage) = waited?;
    let time = |it: libc::timeval| {
        Duration::from_secs(it.tv_sec as u64) + Duration::from_micros(it.tv_usec as u64)
    };
    let (user, system) = (time(usage.ru_utime), time(usage.ru_stime));
    Ok(ExitedChild {
        status: ExitStatus::from_raw(status),
        used: UsageReading {
            // No system call reports which of its threads counts.
            thread_cpu_ns: None,
            process_cpu_ns: Some((user + system).as_nanos() as u64),
            ..UsageReading::of(&usage)
        },
        times: Some((user, system)),
        peak: Some(PeakMemory::Bytes(usage.ru_maxrss as u64 * PEAK_UNIT)),
    })
}

/// Starts the process and waits until it has ended.
///
/// # Errors
/// When the process cannot be started.
#[cfg(not(unix))]
pub(super) fn run(command: &mut Command) -> io::Result<ExitedChild> {
    let status = command.spawn()?.wait()?;
    Ok(ExitedChild { status, used: UsageReading::default(), times: None, peak: None })
}

/// The unit of `ru_maxrss`, in bytes.
#[cfg(all(unix, not(target_vendor = "apple")))]
const PEAK_UNIT: u64 = 1024;
#[cfg(target_vendor = "apple")]
const PEAK_UNIT: u64 = 1;

/// Waits for a child of this process.
#[cfg(unix)]
fn wait(pid: libc::pid_t) -> io::Result<(libc::c_int, libc::rusage)> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are valid for the call's writes, one int and one rusage; a zeroed
        // rusage is a valid value, so it may be read whatever the call did. `run` started the child
        // and waits for it only here, so the number is still that child's.
        // `a_process_tells_the_processor_time_it_used_and_none_of_our_thread` would notice a wrong
        // reading.
        let (waited, usage) = unsafe {
            let waited = libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr());
            (waited, usage.assume_init())
        };
        if waited == pid {
            return Ok((status, usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
