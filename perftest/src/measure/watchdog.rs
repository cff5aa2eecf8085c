//! Ends a process whose body hangs: nothing else can, for a body cannot be interrupted.

#![allow(unsafe_code)] // A timer, its handler and the end of the process; each block argues its case.

use std::time::Duration;

/// While it lives, a body that begins no batch for so long ends the process with a message on standard
/// error and the code of a failed test. One lives at a time.
///
/// On Linux a timer of the kernel waits, so that nothing runs beside the body.
pub(crate) struct Watchdog;

impl Watchdog {
    /// Begins to watch.
    pub(crate) fn watch(timeout: Duration, message: String) -> Self {
        system::watch(timeout, message);
        Self
    }

    /// Notes that a batch begins: the time-out counts from now.
    pub(crate) fn note_batch() {
        system::restart();
    }

    /// Does not watch while others than the body work.
    pub(crate) fn pause() -> WatchdogPause {
        system::stop();
        WatchdogPause
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        system::forget();
    }
}

/// A body is not watched while this lives.
pub(crate) struct WatchdogPause;

impl Drop for WatchdogPause {
    fn drop(&mut self) {
        system::restart();
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::super::FAILED;
    use std::ffi::c_int;
    use std::mem::zeroed;
    use std::ptr::null_mut;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
    use std::time::Duration;

    /// What the handler says; null while nothing is watched.
    static MESSAGE: AtomicPtr<String> = AtomicPtr::new(null_mut());
    /// 0 while nothing is watched.
    static TIMEOUT_NS: AtomicU64 = AtomicU64::new(0);
    /// `None` where the kernel gives no timer: then nothing is watched.
    static TIMER: OnceLock<Option<Timer>> = OnceLock::new();

    struct Timer(libc::timer_t);

    // SAFETY: it is a number that the kernel takes from any thread.
    unsafe impl Send for Timer {}
    // SAFETY: as above.
    unsafe impl Sync for Timer {}

    pub(super) fn watch(timeout: Duration, message: String) {
        // Kept for the rest of the process: the handler may run at any moment, and there is one short
        // message for each test.
        MESSAGE.store(Box::leak(Box::new(message)), Ordering::Release);
        let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        TIMEOUT_NS.store(timeout_ns, Ordering::Relaxed);
        TIMER.get_or_init(create);
        restart();
    }

    pub(super) fn restart() {
        match TIMEOUT_NS.load(Ordering::Relaxed) {
            0 => {}
            timeout_ns => set(timeout_ns),
        }
    }

    pub(super) fn stop() {
        set(0);
    }

    pub(super) fn forget() {
        TIMEOUT_NS.store(0, Ordering::Relaxed);
        MESSAGE.store(null_mut(), Ordering::Release);
        stop();
    }

    /// One that hardly anybody else uses.
    fn signal() -> c_int {
        libc::SIGRTMAX() - 7
    }

    fn create() -> Option<Timer> {
        let hung: extern "C" fn(c_int) = on_hung;
        // SAFETY: all three structures are plain data that is valid when it is zero. The handler has the
        // signature asked for and calls nothing but write(2) and _exit(2), which are allowed in one.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = hung as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = signal();
            let mut timer: libc::timer_t = zeroed();
            let is_made = libc::sigaction(signal(), &action, null_mut()) == 0
                && libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) == 0;
            is_made.then_some(Timer(timer))
        }
    }

    /// The timer ends after so long; never with 0.
    fn set(after_ns: u64) {
        const NS_PER_S: u64 = 1_000_000_000;
        let Some(Some(Timer(timer))) = TIMER.get() else {
            return;
        };
        // SAFETY: the structure is plain data that is valid when it is zero; the timer is there as long
        // as the process. What a process cannot set does not end it.
        unsafe {
            let mut times: libc::itimerspec = zeroed();
            times.it_value.tv_sec = (after_ns / NS_PER_S) as libc::time_t;
            times.it_value.tv_nsec = (after_ns % NS_PER_S) as libc::c_long;
            libc::timer_settime(*timer, 0, &times, null_mut());
        }
    }

    extern "C" fn on_hung(_: c_int) {
        let message = MESSAGE.load(Ordering::Acquire);
        // SAFETY: the pointer is null or came from `Box::leak` and is never freed or changed.
        let Some(message) = (unsafe { message.as_ref() }) else { return };
        // SAFETY: pointer and length describe the message's bytes. The process ends at once, without
        // exit handlers, which could wait for what the body holds.
        unsafe {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(FAILED)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::super::FAILED;
    use std::io::Write;
    use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
    use std::time::{Duration, Instant};

    struct WatchedBody {
        timeout: Duration,
        message: String,
        /// `None` while the body does not work.
        deadline: Option<Instant>,
    }

    static WATCHED: Mutex<Option<WatchedBody>> = Mutex::new(None);
    static IS_NEW: Condvar = Condvar::new();
    static STARTED: Once = Once::new();

    fn watched() -> MutexGuard<'static, Option<WatchedBody>> {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deadline(timeout: Duration) -> Option<Instant> {
        Instant::now().checked_add(timeout)
    }

    pub(super) fn watch(timeout: Duration, message: String) {
        *watched() = Some(WatchedBody { timeout, message, deadline: deadline(timeout) });
        STARTED.call_once(|| drop(std::thread::spawn(wait)));
        IS_NEW.notify_one();
    }

    /// The thread wakes at the old deadline and finds the new one: nothing wakes it beside a batch.
    pub(super) fn restart() {
        if let Some(watched) = watched().as_mut() {
            watched.deadline = deadline(watched.timeout);
        }
    }

    pub(super) fn stop() {
        if let Some(watched) = watched().as_mut() {
            watched.deadline = None;
        }
    }

    pub(super) fn forget() {
        *watched() = None;
    }

    fn wait() {
        /// Between looks while no body works.
        const IDLE: Duration = Duration::from_secs(1);
        let mut guard = watched();
        loop {
            let left = match guard.as_ref().map(|it| (it.deadline, &it.message)) {
                Some((Some(deadline), message)) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        end(message);
                    }
                    left
                }
                _ => IDLE,
            };
            guard = match IS_NEW.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    fn end(message: &str) -> ! {
        let _ = std::io::stderr().write_all(message.as_bytes());
        #[cfg(unix)]
        // SAFETY: ends the process at once, without exit handlers, which could wait for what the body
        // holds.
        unsafe {
            libc::_exit(FAILED)
        }
        #[cfg(not(unix))]
        std::process::exit(FAILED)
    }
}
