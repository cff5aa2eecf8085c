//! A hook for the end of the process.

#![allow(unsafe_code)] // One system call; the block explains its safety.

#[cfg(unix)]
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
