//! The status of one threshold on one history.

/// The status, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AlertStatus {
    /// A person has to look.
    Open,
    /// A person has acknowledged the alert.
    Acknowledged,
    /// The alert is suppressed.
    Suppressed,
    /// Alarms in a row are too few for an alert.
    Waiting,
    /// The values are better than they were, which fails nothing.
    Improved,
    /// The values are back.
    Resolved,
    /// All values are within the limits.
    Quiet,
    /// The newest run has no result.
    Unjudged,
}

impl AlertStatus {
    /// The status in a word or two.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Unjudged => "not judged",
            _ => self.name(),
        }
    }

    /// The stable name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Acknowledged => "acknowledged",
            Self::Suppressed => "suppressed",
            Self::Waiting => "waiting",
            Self::Improved => "improved",
            Self::Resolved => "resolved",
            Self::Quiet => "quiet",
            Self::Unjudged => "unjudged",
        }
    }
}
