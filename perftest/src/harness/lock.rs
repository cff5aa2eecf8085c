//! Where the measuring lock of this user is.

use perftest_store::MeasuringLock;
use std::path::PathBuf;

/// The file that whoever measures holds.
pub(super) fn path() -> PathBuf {
    let directories = directories::BaseDirs::new();
    let runtime = directories.as_ref().and_then(directories::BaseDirs::runtime_dir);
    let home = directories.as_ref().map(directories::BaseDirs::home_dir);
    MeasuringLock::path(runtime, home, &std::env::temp_dir())
}
