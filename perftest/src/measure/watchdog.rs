//! Ends a process whose body hangs, because a body cannot be interrupted.

#![allow(unsafe_code)] // The end of the process; the block explains its safety.

use super::FAILED;
use super::kept_failures::kept_failures;
#[cfg(unix)]
use super::routine::kill_running;
use perftest_process::was_stopped;
use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the process when the body of the present thread begins no batch for `timeout`: with a
/// message on standard error and the code of a failed test. Watches until it is dropped; there is
/// one for each thread. The reports of the tests that failed before precede the message.
///
/// A separate thread waits for the deadline. No batch wakes it, so nothing runs beside the body. For the same reason it does
/// not notice each stop of the process: the time-out begins again where the process was stopped for longer than the rest of
/// the wait, see [`was_stopped`]; a shorter stop counts as time of the body.
pub(crate) struct Watchdog {
    watched: Arc<WatchedBody>,
}

/// The state shared with the watching thread.
struct WatchedBody {
    timeout: Duration,
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Clone, Copy)]
enum WatchState {
    /// The body runs; `None` if the deadline exceeds the clock's range.
    Until(Option<Instant>),
    OnPause,
    Over,
}

thread_local! {
    /// The body that this thread runs.
    static OWN: RefCell<Option<Arc<WatchedBody>>> = const { RefCell::new(None) };
}

impl Watchdog {
    /// Starts to watch. Without a new thread there is no time-out.
    pub(crate) fn watch(timeout: Duration, message: String) -> Self {
        let state = Mutex::new(WatchState::within(timeout));
        let watched = Arc::new(WatchedBody { timeout, state, changed: Condvar::new() });
        OWN.set(Some(Arc::clone(&watched)));
        let waiting = Arc::clone(&watched);
        let _ = thread::Builder::new().spawn(move || waiting.wait(&message));
        Self { watched }
    }

    /// Restarts the time-out: a batch begins.
    pub(crate) fn note_batch() {
        with_own(|own| own.set(WatchState::within(own.timeout)));
    }

    /// Pauses the watch while code outside the body runs.
    pub(crate) fn pause() -> WatchdogPause {
        with_own(|own| own.set(WatchState::OnPause));
        WatchdogPause
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        OWN.set(None);
        self.watched.set(WatchState::Over);
        self.watched.changed.notify_one();
    }
}

/// No body is watched while this exists.
pub(crate) struct WatchdogPause;

impl Drop for WatchdogPause {
    fn drop(&mut self) {
        Watchdog::note_batch();
    }
}

fn with_own(act: impl FnOnce(&WatchedBody)) {
    OWN.with_borrow(|own| {
        if let Some(own) = own {
            act(own);
        }
    });
}

impl WatchState {
    /// The time-out begins.
    fn within(timeout: Duration) -> Self {
        Self::Until(Instant::now().checked_add(timeout))
    }

    /// The state after a wait for at most `longest`, which began at `began`.
    fn after_wait(self, began: Instant, longest: Duration, timeout: Duration) -> Self {
        match self {
            Self::Until(_) if was_stopped(began, longest) => Self::within(timeout),
            state => state,
        }
    }
}

impl WatchedBody {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: WatchState) {
        *self.state() = state;
    }

    /// Wakes at each known deadline and checks for a later one.
    fn wait(&self, message: &str) {
        let mut state = self.state();
        loop {
            let left = match *state {
                WatchState::Over => return,
                // The same time-out as after a batch: the end of the pause starts it again.
                WatchState::OnPause | WatchState::Until(None) => self.timeout,
                WatchState::Until(Some(deadline)) => {
                    match deadline.saturating_duration_since(Instant::now()) {
                        Duration::ZERO => end(message),
                        left => left,
                    }
                }
            };
            let began = Instant::now();
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
            *state = state.after_wait(began, left, self.timeout);
        }
    }
}

/// Ends without exit handlers and without the lock of standard error: the body may hold what they
/// need.
#[cfg(unix)]
fn end(message: &str) -> ! {
    use std::io::Write;
    use std::os::fd::AsFd;

    if let Ok(stderr) = std::io::stderr().as_fd().try_clone_to_owned() {
        let mut stderr = std::fs::File::from(stderr);
        for text in kept_failures().chain([message]) {
            let _ = stderr.write_all(text.as_bytes());
        }
    }
    kill_running();
    // SAFETY: ends the process at once and touches no memory.
    unsafe { libc::_exit(FAILED) }
}

#[cfg(not(unix))]
fn end(message: &str) -> ! {
    use std::io::Write;

    for text in kept_failures().chain([message]) {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    std::process::exit(FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_begins_again_where_the_process_was_stopped_for_longer_than_its_rest() {
        let timeout = Duration::from_secs(60);
        let now = Instant::now();
        let longest = Duration::from_secs(1);
        let until = WatchState::Until(Some(now));
        let after = |began: Instant| until.after_wait(began, longest, timeout);
        assert!(matches!(after(now), WatchState::Until(Some(deadline)) if deadline == now));
        let stopped = now.checked_sub(10 * longest).unwrap();
        assert!(
            matches!(after(stopped), WatchState::Until(Some(deadline)) if deadline >= now + timeout)
        );
        assert!(matches!(WatchState::Over.after_wait(stopped, longest, timeout), WatchState::Over));
    }
}
