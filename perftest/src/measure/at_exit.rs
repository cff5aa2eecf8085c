//! A hook for the end of the process.

#![allow(unsafe_code)] // System calls; each block explains its safety.

use std::process;
#[cfg(unix)]
use std::sync::OnceLock;

/// The hook, and the process that it is for.
#[cfg(unix)]
static LAST: OnceLock<(u32, fn())> = OnceLock::new();

/// Registers `last` for the end of `main` or an exit of this process, once. It is not called when the process is killed
/// or aborted, nor at the end of one that it forks.
#[cfg(unix)]
pub(crate) fn at_exit(last: fn()) {
    extern "C" fn on_exit() {
        if let Some((owner, last)) = LAST.get()
            && *owner == process::id()
        {
            last();
        }
    }
    if LAST.set((process::id(), last)).is_ok() {
        // SAFETY: the function has the required signature and exists as long as the process. A system
        // without room for the hook never calls it, and only a message is lost.
        unsafe { libc::atexit(on_exit) };
    }
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub(crate) fn at_exit(_last: fn()) {}

/// Calls `answer` in a process that is asked something about its tests, when all of them are registered: at its exit.
/// A failure is that of the process.
#[cfg(unix)]
pub(crate) fn when_registered(answer: fn() -> Result<(), ()>) {
    static ANSWER: OnceLock<fn() -> Result<(), ()>> = OnceLock::new();
    let _ = ANSWER.set(answer);
    at_exit(|| {
        // The values of `args` may ask for the thread or for its variables, and those of this one are gone.
        let answered = ANSWER.get().map(|answer| std::thread::spawn(answer).join());
        if !matches!(answered, Some(Ok(Ok(())))) {
            // SAFETY: ends the process at once. No other function may end one that exits.
            unsafe { libc::_exit(super::FAILED) };
        }
    });
}

/// Calls `answer` in a process that is asked something about its tests, and ends the process. No test is registered by a
/// constructor behind ours.
#[cfg(not(unix))]
pub(crate) fn when_registered(answer: fn() -> Result<(), ()>) {
    process::exit(answer().map_or(super::FAILED, |()| 0));
}
