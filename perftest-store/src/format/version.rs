//! Which version of the format a line has.

use super::{Fields, LineError};

/// The version of the format that is written, and the only one that is read.
///
/// Within a version keys are only added, and readers ignore keys they do not know. Whatever a reader would
/// misunderstand (a key with another meaning, another name for a verdict) is a new version.
pub const SCHEMA: u64 = 1;

/// The version of a line that begins as ours do, without a look at the rest.
fn version_of(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"v\":")?;
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    str::from_utf8(&rest[..end]).ok()?.parse().ok()
}

/// Whether a line begins as ours do, with our version.
pub(crate) fn has_our_version(line: &[u8]) -> bool {
    version_of(line) == Some(SCHEMA)
}

/// Refuses what this code would misunderstand.
pub fn check_version(fields: &Fields<'_>) -> Result<(), LineError> {
    match fields.need::<u64>("v")? {
        SCHEMA => Ok(()),
        version => Err(LineError::OtherVersion(version)),
    }
}
