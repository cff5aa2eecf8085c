//! What is done when the process ends.

#![allow(unsafe_code)] // One system call; the block argues its case.

/// Has `last` called when `main` has ended or the process exits; never where it is killed or aborted.
#[cfg(unix)]
pub(crate) fn at_exit(last: extern "C" fn()) {
    // SAFETY: the function has the signature asked for, and is there as long as the process. A
    // system that has no room for it calls it never, and only words are lost.
    unsafe { libc::atexit(last) };
}

/// Nothing is called: on this system nobody is asked for the end of the process.
#[cfg(not(unix))]
pub(crate) fn at_exit(_last: extern "C" fn()) {}
