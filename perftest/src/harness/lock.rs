//! The measuring lock of this user.

use perftest_store::{LockError, MeasuringLock};
use std::time::Duration;

/// Waits for it up to `longest`, to measure this test.
pub(super) fn acquire(test: &str, longest: Duration) -> Result<MeasuringLock, LockError> {
    let directories = directories::BaseDirs::new();
    let runtime = directories.as_ref().and_then(directories::BaseDirs::runtime_dir);
    let path = MeasuringLock::path(runtime, &std::env::temp_dir())?;
    MeasuringLock::acquire(&path, test, longest)
}
