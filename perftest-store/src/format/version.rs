//! Which format a line has.

use super::{Fields, LineError};

/// The format written: major times 100 plus minor.
///
/// * 100: the first.
/// * 101: what else is known of each measurement, more of the machine, and what is distrusted.
/// * 102: how often a verdict would be wrong, and what would have settled an unclear one.
/// * 103: the last good executable as a witness, and two verdicts more: an older reader takes such a
///   line for damaged.
/// * 104: instructions of the witness and of the executable that was judged.
/// * 105: the absolute limit of a test, and that it was exceeded.
/// * 106: what was measured beside wall time, and stages: benchmarks named `whole/stage`.
///
/// A minor version only adds keys, and readers ignore keys they do not know. Whatever an older
/// reader would misunderstand (a key with another meaning, another name for a verdict) is a new major
/// version, which older readers refuse.
pub const SCHEMA: u64 = 106;

/// The major version, which is also the directory the files are in.
pub(crate) const MAJOR: u64 = SCHEMA / 100;

/// Refuses what this code would misunderstand.
pub(crate) fn check_version(fields: &Fields<'_>) -> Result<(), LineError> {
    let version = fields.need::<u64>("v")?;
    match version / 100 {
        0 => Err(LineError::Damaged(format!("format {version} never existed"))),
        MAJOR => Ok(()),
        major => Err(LineError::Future(major)),
    }
}
