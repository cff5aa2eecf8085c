//! Why an alert has its status.

use std::fmt;

/// Why an alert is acknowledged or suppressed, or why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatusReason {
    /// The words of an acknowledgement, or of a suppression in the rules.
    Given(String),
    /// The test only reports.
    ReportsOnly,
    /// The name of the test mutes it.
    IgnoredName,
    /// The rule has no result, with what it lacks.
    OfRule(String),
    /// No run of the branch counts.
    AllSetAside,
}

impl fmt::Display for StatusReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given(words) | Self::OfRule(words) => words,
            Self::ReportsOnly => "the test has on_red = \"report\"",
            Self::IgnoredName => "its name ends in a suffix to ignore alerts",
            Self::AllSetAside => "every run is set aside",
        })
    }
}
