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

/// Returns whether a line of another tool is one object of our version, in which everything that looks like a
/// key is one: there is no object within it, and no quote within a text.
pub(crate) fn is_plain(line: &str) -> bool {
    let inside = line.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let has_version = |inside: &str| {
        let (_, rest) = inside.split_once(",\"v\":")?;
        rest.split(',').next()?.parse().ok().filter(|version: &u64| *version == SCHEMA)
    };
    inside.is_some_and(|inside| {
        has_version(inside).is_some() && !inside.contains('{') && !inside.contains('\\')
    })
}

/// Refuses a version that this code would misunderstand.
pub fn check_version(fields: &Fields<'_>) -> Result<(), LineError> {
    match fields.need::<u64>("v")? {
        SCHEMA => Ok(()),
        version => Err(LineError::OtherVersion(version)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_plain_if_its_keys_can_be_found_as_text() {
        for line in [r#"{"kind":"run","v":1}"#, r#"{"k":1,"v":1,"s":[1]}"#] {
            assert!(is_plain(line), "{line}");
        }
        let others = [
            r#"{"kind":"run","v":1"#,
            r#"{"kind":"run","v":2}"#,
            r#"{"kind":"run","v":10}"#,
            r#"{"kind":"run", "v": 1}"#,
            r#"{"kind":"run","new":{"a":1,"v":1}}"#,
            r#"{"kind":"run","text":"a\",\"v\":1,"}"#,
            r#"[{"kind":"run","v":1}]"#,
            "{}",
            "",
        ];
        for line in others {
            assert!(!is_plain(line), "{line}");
        }
    }
}
