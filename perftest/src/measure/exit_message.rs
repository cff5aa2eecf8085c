//! The error message when a body ends the whole process, below the reports of the tests that failed before.

#![allow(unsafe_code)] // Handlers of abort and exit; each block explains its safety.

/// While this exists, an abort prints the message on standard error, and an exit prints it and
/// fails. A body that calls `exit(0)` must not turn all later tests green. Does nothing on systems
/// other than unix.
pub(crate) struct ExitMessage;

impl ExitMessage {
    /// Arms the handlers with `message`.
    pub(crate) fn new(message: String) -> Self {
        system::arm(message);
        Self
    }
}

impl Drop for ExitMessage {
    fn drop(&mut self) {
        system::disarm();
    }
}

#[cfg(unix)]
mod system {
    use super::super::FAILED;
    use super::super::kept_failures::kept_failures;
    use std::ffi::c_int;
    use std::ptr::null_mut;
    use std::sync::Once;
    use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

    static MESSAGE: AtomicPtr<String> = AtomicPtr::new(null_mut());
    /// The process that measures. A body may fork, and the end of a child is the body's own affair.
    static OWNER: AtomicI32 = AtomicI32::new(0);
    static INSTALLED: Once = Once::new();

    pub(super) fn arm(message: String) {
        // Kept for the rest of the process: a handler may run at any moment, and there is one
        // short message for each test.
        let message: &'static mut String = Box::leak(Box::new(message));
        // SAFETY: this call takes no arguments and cannot fail.
        OWNER.store(unsafe { libc::getpid() }, Ordering::Relaxed);
        MESSAGE.store(message, Ordering::Release);
        INSTALLED.call_once(|| {
            let aborting: extern "C" fn(c_int) = on_abort;
            // SAFETY: both handlers have the required signatures. `on_abort` calls only what
            // is allowed in a signal handler. Only SIGABRT is caught: Rust's own handlers of
            // SIGSEGV and SIGBUS stay, and report a stack overflow before they abort. The
            // end-to-end tests of bodies that abort or exit would notice handlers that print
            // nothing.
            unsafe {
                libc::signal(libc::SIGABRT, aborting as libc::sighandler_t);
                libc::atexit(on_exit);
            }
        });
    }

    pub(super) fn disarm() {
        MESSAGE.store(null_mut(), Ordering::Release);
    }

    /// Ends the process as the signal does without a handler, whoever sent it.
    extern "C" fn on_abort(signal: c_int) {
        print_message();
        // SAFETY: both calls are allowed in a signal handler. The signal arrives again when this returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }

    extern "C" fn on_exit() {
        if print_message() {
            // SAFETY: ends the process at once, without the remaining exit handlers. No buffer of
            // ours waits for a flush, because each record is synced when it is written.
            unsafe { libc::_exit(FAILED) };
        }
    }

    /// Prints the message; `false` when no measurement was running in this process.
    fn print_message() -> bool {
        let message = MESSAGE.load(Ordering::Acquire);
        // SAFETY: this call takes no arguments, cannot fail, and is allowed in a signal handler.
        if unsafe { libc::getpid() } != OWNER.load(Ordering::Relaxed) {
            return false;
        }
        // SAFETY: the pointer is null or came from `Box::leak` and is never freed or changed.
        let Some(message) = (unsafe { message.as_ref() }) else { return false };
        for text in kept_failures().chain([message.as_str()]) {
            // SAFETY: pointer and length describe the text's bytes. A short or failed write loses
            // text, nothing else.
            unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        }
        true
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn arm(_: String) {}

    pub(super) fn disarm() {}
}
