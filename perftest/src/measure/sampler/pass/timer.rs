//! Timers of the kernel that interrupt one thread each.

#![allow(unsafe_code)] // System calls; each block explains its safety.

use crate::measure::usage::clock_ns;
use std::io;
use std::time::Duration;

/// A timer that sends a signal to one thread of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ThreadTimer(usize);

impl ThreadTimer {
    /// Creates a timer that is not armed. It sends `signal` with `value` to the thread `tid`.
    pub(super) fn create(
        clock: libc::clockid_t,
        signal: libc::c_int,
        tid: libc::pid_t,
        value: usize,
    ) -> io::Result<Self> {
        // SAFETY: all-zero bytes are a valid `sigevent`: it has numbers and one pointer, which nobody follows.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal;
        event.sigev_value = libc::sigval { sival_ptr: std::ptr::without_provenance_mut(value) };
        event.sigev_notify_thread_id = tid;
        let mut timer: libc::timer_t = std::ptr::null_mut();
        // SAFETY: both pointers are to local variables, and the call keeps neither.
        let code = unsafe { libc::timer_create(clock, &raw mut event, &raw mut timer) };
        if code == 0 { Ok(Self(timer as usize)) } else { Err(io::Error::last_os_error()) }
    }

    /// Restores a timer from its number.
    pub(super) fn of_number(number: usize) -> Self {
        Self(number)
    }

    /// The number of the timer.
    pub(super) fn number(self) -> usize {
        self.0
    }

    /// Lets the timer expire once, after this time; zero disarms it. A signal handler may call this.
    pub(super) fn expire_after(self, time: Duration) {
        let spec = libc::itimerspec {
            it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: libc::timespec {
                tv_sec: time.as_secs() as libc::time_t,
                tv_nsec: time.subsec_nanos() as libc::c_long,
            },
        };
        // SAFETY: the timer's identity is a number of the kernel, which checks it. It is not negative: the C library
        // follows negative ones, which timers with SIGEV_THREAD have. The pointer is to a local variable, and no old
        // value is asked for. POSIX lists the call as safe in a signal handler.
        unsafe {
            libc::timer_settime(self.0 as libc::timer_t, 0, &raw const spec, std::ptr::null_mut())
        };
    }

    /// Deletes the timer.
    pub(super) fn delete(self) {
        // SAFETY: as for `expire_after`. A signal that is already pending still arrives, and the handler ignores it.
        unsafe { libc::timer_delete(self.0 as libc::timer_t) };
    }
}

/// The clock of the processor time of a thread of this process.
///
/// Source: `include/linux/posix-timers_types.h`: the inverted number of the thread, and 6 for the scheduler's
/// clock of one thread.
pub(super) fn cpu_clock_of(tid: libc::pid_t) -> libc::clockid_t {
    (!tid << 3) | 6
}

/// Monotonic time.
pub(super) fn now_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC).unwrap_or_default()
}

/// The number of the calling thread.
pub(super) fn this_tid() -> libc::pid_t {
    // The C library has a function for this since glibc 2.30, and Rust supports older ones.
    // SAFETY: the call takes nothing and returns a number. It cannot fail, so `errno` stays as it is.
    unsafe { libc::syscall(libc::SYS_gettid) as libc::pid_t }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_thread_is_found_by_its_number_and_ends_with_it() {
        let own = cpu_clock_of(this_tid());
        let before = clock_ns(own).unwrap();
        let began = std::time::Instant::now();
        while clock_ns(own).unwrap() - before < 1_000_000 {
            assert!(began.elapsed() < Duration::from_secs(60), "this thread's clock stands still");
        }
        let ended = std::thread::spawn(this_tid).join().unwrap();
        while clock_ns(cpu_clock_of(ended)).is_some() {
            assert!(began.elapsed() < Duration::from_secs(60), "the thread has ended");
        }
    }
}
