//! The measuring lock of this user.

use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::model::Obstacle;
use perftest_process::{LockError, MeasuringLock, runtime_directory};
use std::path::PathBuf;
use std::time::Duration;

/// Longest wait without a message about another measuring process.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for one other measuring process: a red of a slow body takes half a minute. A hanging one ends by its
/// time-out, after a minute or more.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Waits for the machine's measuring lock, and reports a long wait.
///
/// # Errors
/// The reason if the lock is not held in the end.
pub(super) fn acquire_lock(
    test: &PerfTest,
    sink: &mut dyn Sink,
) -> Result<MeasuringLock, LockError> {
    let name = test.listed_name();
    match acquire(&name, PATIENCE) {
        Err(LockError::Held { .. }) => {
            sink.take(&Event::Remark(
                "Another performance test is running on this machine; waiting for it.",
            ));
            MeasuringLock::acquire_in_turn(&path()?, &name, LONGEST_WAIT)
        }
        acquired => acquired,
    }
}

/// What prevents a verdict on a slower test without the lock.
pub(super) fn obstacle(error: &LockError) -> Obstacle {
    Obstacle::NoLock(error.to_string())
}

/// Waits for the lock up to `longest`, to measure this test.
pub(super) fn acquire(test: &str, longest: Duration) -> Result<MeasuringLock, LockError> {
    MeasuringLock::acquire(&path()?, test, longest)
}

fn path() -> Result<PathBuf, LockError> {
    let runtime = runtime_directory(&|name| std::env::var_os(name));
    MeasuringLock::path(runtime.as_deref(), &std::env::temp_dir())
}
