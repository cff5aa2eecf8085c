//! The status of one threshold on one history.

use perftest_core::named;

named! {
    /// The status, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum AlertStatus {
        /// A person has to look.
        Open = "open",
        /// A person has acknowledged the alert.
        Acknowledged = "acknowledged",
        /// The alert is suppressed.
        Suppressed = "suppressed",
        /// Alarms in a row are too few for an alert.
        Waiting = "waiting",
        /// The values are better than they were, which fails nothing.
        Improved = "improved",
        /// The values are back.
        Resolved = "resolved",
        /// All values are within the limits.
        Quiet = "quiet",
        /// The newest run has no result.
        Unjudged = "unjudged",
    }
}

impl AlertStatus {
    /// The status in a word or two.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Unjudged => "not judged",
            _ => self.name(),
        }
    }
}
