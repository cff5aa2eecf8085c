//! Processor time of the other threads of this process.
//!
//! Windows counts the times in steps of 15.6 ms. That is enough to watch neighbours over 50 ms and more, and too coarse
//! for a batch.

#![allow(unsafe_code)] // Two system calls on Windows, which fill times of ours.

/// Processor time of all threads of this process but this one so far; `None` where the system does not report it.
#[cfg(unix)]
pub(crate) fn other_threads_cpu_ns() -> Option<u64> {
    use super::usage::{process_cpu_ns, thread_cpu_ns};
    Some(process_cpu_ns()?.saturating_sub(thread_cpu_ns()?))
}

/// Processor time of all threads of this process but this one so far; `None` where the system does not report it.
#[cfg(windows)]
pub(crate) fn other_threads_cpu_ns() -> Option<u64> {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
    };
    // The end of what has not ended is undefined, and its start says nothing of its work.
    let [mut start, mut end, mut kernel, mut user] = [FILETIME::default(); 4];
    let times = (&raw mut start, &raw mut end, &raw mut kernel, &raw mut user);
    // SAFETY: the handle is one that needs no closing, and each pointer is to a whole structure of ours.
    // `what_this_thread_works_is_not_work_of_others` would notice a wrong time.
    let is_read =
        unsafe { GetProcessTimes(GetCurrentProcess(), times.0, times.1, times.2, times.3) != 0 };
    let process_ns = is_read.then(|| filetime_ns(kernel) + filetime_ns(user))?;
    // SAFETY: as above, with the handle of this thread.
    let is_read =
        unsafe { GetThreadTimes(GetCurrentThread(), times.0, times.1, times.2, times.3) != 0 };
    let thread_ns = is_read.then(|| filetime_ns(kernel) + filetime_ns(user))?;
    Some(process_ns.saturating_sub(thread_ns))
}

/// A span of time of Windows, which counts 100 ns.
#[cfg(windows)]
fn filetime_ns(time: windows_sys::Win32::Foundation::FILETIME) -> u64 {
    100 * (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime))
}

/// Processor time of all threads of this process but this one so far; `None` where the system does not report it.
#[cfg(not(any(unix, windows)))]
pub(crate) fn other_threads_cpu_ns() -> Option<u64> {
    None
}

#[cfg(all(test, any(unix, windows)))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn what_this_thread_works_is_not_work_of_others() {
        let is_quiet = || {
            let (start, before) = (Instant::now(), other_threads_cpu_ns().unwrap());
            while start.elapsed() < Duration::from_millis(100) {}
            let others_ns = other_threads_cpu_ns().unwrap().saturating_sub(before);
            u128::from(others_ns) < start.elapsed().as_nanos() / 2
        };
        // Other tests of this process work, and end.
        assert!((0..300).any(|_| is_quiet()));
    }
}
