//! The measuring lock of this user.

use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::model::Obstacle;
use perftest_process::{LockError, MeasuringLock, runtime_directory};
use std::time::Duration;

/// Longest wait without a message about another measuring process.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for another measuring process. Runners report a test as slow after a minute, so
/// the wait stays below that.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Waits for the machine's measuring lock, and reports a long wait.
///
/// # Errors
/// The reason if the lock is not held in the end.
pub(super) fn acquire_lock(
    test: &PerfTest,
    sink: &mut dyn Sink,
) -> Result<MeasuringLock, Obstacle> {
    let name = test.listed_name();
    let acquired = match acquire(&name, PATIENCE) {
        Err(LockError::Held { .. }) => {
            sink.take(&Event::Remark(
                "Another performance test is running on this machine; waiting for it.",
            ));
            acquire(&name, LONGEST_WAIT)
        }
        acquired => acquired,
    };
    acquired.map_err(|error| Obstacle::NoLock(error.to_string()))
}

/// Waits for the lock up to `longest`, to measure this test.
pub(super) fn acquire(test: &str, longest: Duration) -> Result<MeasuringLock, LockError> {
    let runtime = runtime_directory(&|name| std::env::var_os(name));
    let path = MeasuringLock::path(runtime.as_deref(), &std::env::temp_dir())?;
    MeasuringLock::acquire(&path, test, longest)
}
