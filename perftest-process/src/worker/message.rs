//! The form of a message between two processes: one JSON object a line.

use perftest_store::line::{Fields, JsonLine, LineError, NotFinite};
use std::fmt;

/// The version of the messages. A change needs a new version, and another version is refused. An
/// optional key is no change: receivers ignore unknown ones.
pub const VERSION: u64 = 4;

/// A line that looks like a message, but is none of this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    why: String,
}

impl ProtocolError {
    pub(crate) fn new(why: String) -> Self {
        Self { why }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for ProtocolError {}

impl From<LineError> for ProtocolError {
    fn from(error: LineError) -> Self {
        let why = match error {
            LineError::Damaged(why) => why,
            LineError::OtherVersion(version) => format!("version {version}"),
        };
        Self { why: format!("a message between test and worker cannot be read: {why}") }
    }
}

/// Begins a message with its version and its name.
pub(crate) fn begin_message(kind: &str) -> JsonLine {
    let mut line = JsonLine::new();
    line.put("perftest", VERSION);
    line.put("say", kind);
    line
}

/// Returns the message as a line with its end. A value that is not finite makes it a failure.
pub(crate) fn finish(line: JsonLine) -> String {
    line.finish().unwrap_or_else(|NotFinite { key }| {
        let mut failed = begin_message("failed");
        failed.put("why", format!("a measured value is not a finite number (`{key}`)"));
        failed.finish().unwrap_or_default()
    })
}

/// Reads the name and the keys of a message; `None` if the line is no message.
pub(crate) fn read_message(line: &str) -> Result<Option<(String, Fields<'_>)>, ProtocolError> {
    let line = line.trim();
    let fields = match Fields::parse(line.as_bytes()) {
        Ok(fields) => fields,
        Err(error) if line.starts_with("{\"perftest\":") => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    // A line with another type under our key is not our message.
    let Ok(Some(version)) = fields.get::<u64>("perftest") else {
        return Ok(None);
    };
    if version != VERSION {
        let why = format!(
            "the worker process speaks version {version} of the messages, this one {VERSION}: both \
             need the same version of perftest. If the test executable was replaced while it ran, \
             run the test again"
        );
        return Err(ProtocolError { why });
    }
    Ok(Some((fields.need("say")?, fields)))
}

pub(crate) fn unknown_message(kind: &str) -> ProtocolError {
    ProtocolError { why: format!("version {VERSION} of the messages has none called `{kind}`") }
}
