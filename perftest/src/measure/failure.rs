//! Why a body has no measurement.

use std::fmt;

/// Why the body of a perf test brought no measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub enum Failure {
    /// It returned `Err`, with the error's text.
    Returned(String),
    /// It panicked, with the message.
    Panicked(String),
    /// It never measured anything.
    NothingMeasured,
    /// It called `iter` more than once.
    MeasuredTwice,
    /// One of its series cannot be judged, with the reason and the way out.
    Series(String),
    /// The process that should serve measurements lost the other side.
    Disconnected(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(error) => write!(f, "the body returned an error: {error}"),
            Self::Panicked(message) => write!(f, "the body panicked: {message}"),
            Self::NothingMeasured => f.write_str(
                "the body never called `iter`, so nothing was measured; \
                 call `bencher.iter(|| ..)` once",
            ),
            Self::MeasuredTwice => f.write_str(
                "the body called `iter` twice; one perf test measures one routine: \
                 split it into two",
            ),
            Self::Series(why) => f.write_str(why),
            Self::Disconnected(why) => write!(f, "the measuring process lost its parent: {why}"),
        }
    }
}
