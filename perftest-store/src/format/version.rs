//! The version of the format of a line.

use super::{Fields, LineError};

/// The version of the format that this code writes, and the only one that it reads.
///
/// Within a version keys are only added, and readers ignore unknown keys. A change that a reader
/// would misunderstand (another meaning of a key, another name of a verdict) needs a new version.
pub const SCHEMA: u64 = 1;

/// Returns the version of a line with our beginning, without parsing the rest.
fn version_of(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"v\":")?;
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    str::from_utf8(&rest[..end]).ok()?.parse().ok()
}

/// Returns whether a line begins with our version.
pub(crate) fn has_our_version(line: &[u8]) -> bool {
    version_of(line) == Some(SCHEMA)
}

/// Refuses a version that this code would misunderstand.
pub fn check_version(fields: &Fields<'_>) -> Result<(), LineError> {
    match fields.need::<u64>("v")? {
        SCHEMA => Ok(()),
        version => Err(LineError::OtherVersion(version)),
    }
}
