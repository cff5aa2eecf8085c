//! Which format a line has.

use super::{Fields, LineError};

/// The format written: major times 100 plus minor.
///
/// * 100: the first.
/// * 101: what else is known of each measurement, more of the machine, and what is distrusted.
/// * 102: how often a verdict would be wrong, and what would have settled an unclear one.
/// * 103: the paired check with the last good executable, and two verdicts more: an older reader takes such a
///   line for damaged.
/// * 104: instructions of the last good and of the judged executable.
/// * 105: the absolute limit of a test, and that it was exceeded.
/// * 106: what was measured beside wall time, and stages: benchmarks named `whole/stage`.
/// * 107: a checksum at the end of each line, and one line for judgements that are alike.
///
/// A minor version only adds keys, and readers ignore keys they do not know. Whatever an older
/// reader would misunderstand (a key with another meaning, another name for a verdict) is a new major
/// version, which older readers refuse.
pub const SCHEMA: u64 = 107;

/// The major version, which is also the directory the files are in.
pub(crate) const MAJOR: u64 = SCHEMA / 100;

/// The format of a line that begins as ours do, without a look at the rest.
pub(super) fn format_of(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"v\":")?;
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    str::from_utf8(&rest[..end]).ok()?.parse().ok()
}

/// Whether a line begins as ours do, with a format of this major version.
pub(crate) fn has_our_major_format(line: &[u8]) -> bool {
    format_of(line).is_some_and(|format| format / 100 == MAJOR)
}

/// Refuses what this code would misunderstand.
pub fn check_version(fields: &Fields<'_>) -> Result<(), LineError> {
    let version = fields.need::<u64>("v")?;
    match version / 100 {
        0 => Err(LineError::Damaged(format!("format {version} never existed"))),
        MAJOR => Ok(()),
        major => Err(LineError::Future(major)),
    }
}
