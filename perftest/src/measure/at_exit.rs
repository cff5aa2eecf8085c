//! A hook for the end of the process.

#![allow(unsafe_code)] // One system call; the block explains its safety.

/// Registers `last` for the end of `main` or an exit. It is not called when the process is killed or aborted.
#[cfg(unix)]
pub(crate) fn at_exit(last: extern "C" fn()) {
    // SAFETY: the function has the required signature and exists as long as the process. A system
    // without room for the hook never calls it, and only a message is lost.
    unsafe { libc::atexit(last) };
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub(crate) fn at_exit(_last: extern "C" fn()) {}
