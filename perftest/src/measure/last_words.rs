//! What is said when a body aborts the whole process: nothing else can speak for it then.

#![allow(unsafe_code)] // A signal handler; each block argues its case.

/// Says `message` on standard error if the process aborts from now on. Each call replaces the
/// message of the one before; on systems without signals nothing is said.
#[cfg(unix)]
pub(crate) fn set_last_words(message: String) {
    unix::set(message);
}

#[cfg(not(unix))]
pub(crate) fn set_last_words(_: String) {}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::ptr::null_mut;
    use std::sync::Once;
    use std::sync::atomic::{AtomicPtr, Ordering};

    static MESSAGE: AtomicPtr<String> = AtomicPtr::new(null_mut());
    static INSTALLED: Once = Once::new();

    pub(super) fn set(message: String) {
        // Kept for the rest of the process: a handler may run at any moment, and there is one
        // short message for each test.
        let message: &'static mut String = Box::leak(Box::new(message));
        MESSAGE.store(message, Ordering::Release);
        INSTALLED.call_once(|| {
            let handler: extern "C" fn(c_int) = speak;
            // SAFETY: `speak` has the signature of a handler and calls nothing but write(2), which
            // is allowed in one. Only SIGABRT is taken: Rust's own handlers of SIGSEGV and SIGBUS
            // stay, and report a stack overflow before they abort. The end-to-end test of an
            // aborting body would notice a handler that does not speak.
            unsafe { libc::signal(libc::SIGABRT, handler as libc::sighandler_t) };
        });
    }

    extern "C" fn speak(_: c_int) {
        let message = MESSAGE.load(Ordering::Acquire);
        // SAFETY: the pointer is null or came from `Box::leak` and is never freed or changed.
        let Some(message) = (unsafe { message.as_ref() }) else {
            return;
        };
        // SAFETY: pointer and length describe the message's bytes. A short or failed write loses
        // words, nothing else. Returning lets abort(3) end the process as it would have anyway.
        unsafe { libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len()) };
    }
}
