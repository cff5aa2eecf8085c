//! The status of one threshold on one history.

/// The status, the worst first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AlertStatus {
    /// A person has to look.
    Open,
    /// A person has acknowledged the alert, for this reason.
    Acknowledged(String),
    /// The alert is suppressed, for this reason.
    Suppressed(String),
    /// Alarms in a row that are too few for an alert.
    Waiting {
        /// Number of alarms.
        alarms: usize,
        /// Number of alarms that open an alert.
        needed: u32,
    },
    /// The values are better than they were, which fails nothing.
    Improved,
    /// The values are back.
    Resolved,
    /// All values are within the limits.
    Quiet,
    /// The newest run has no result, for this reason.
    Unjudged(String),
}

impl AlertStatus {
    /// The stable name in JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Acknowledged(_) => "acknowledged",
            Self::Suppressed(_) => "suppressed",
            Self::Waiting { .. } => "waiting",
            Self::Improved => "improved",
            Self::Resolved => "resolved",
            Self::Quiet => "quiet",
            Self::Unjudged(_) => "unjudged",
        }
    }

    /// The rank of the status, whatever its reason.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Open => 0,
            Self::Acknowledged(_) => 1,
            Self::Suppressed(_) => 2,
            Self::Waiting { .. } => 3,
            Self::Improved => 4,
            Self::Resolved => 5,
            Self::Quiet => 6,
            Self::Unjudged(_) => 7,
        }
    }

    /// Returns the reason that a person or a rule gave.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Acknowledged(why) | Self::Suppressed(why) | Self::Unjudged(why) => Some(why),
            Self::Open | Self::Waiting { .. } | Self::Improved | Self::Resolved | Self::Quiet => {
                None
            }
        }
    }
}
