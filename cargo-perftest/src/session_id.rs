//! The name of an invocation.

use perftest_core::model::RunId;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// An id that no other session has: of this moment and process.
pub(crate) fn new_session_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let entropy = u128::from(now.subsec_nanos()) << 32 | u128::from(process::id());
    RunId::new(now.as_millis() as u64, entropy).to_string()
}
