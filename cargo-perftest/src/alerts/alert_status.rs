//! How things stand with one threshold on one history.

/// How things stand, the worst first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AlertStatus {
    /// Somebody has to look.
    Open,
    /// Somebody has, and said why it may be.
    Acknowledged(String),
    /// Nobody wants to know, for this reason.
    Suppressed(String),
    /// Alarms in a row that are too few for an alert.
    Waiting {
        /// How many there are.
        alarms: usize,
        /// How many it takes.
        needed: u32,
    },
    /// The values are better than they were, which fails nothing.
    Improved,
    /// The values are back.
    Resolved,
    /// Nothing is out of line.
    Quiet,
    /// The newest run could not be judged, and why.
    Unjudged(String),
}

impl AlertStatus {
    /// The stable name in answers for programs.
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

    /// Its place in their order, whatever the reason.
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

    /// What somebody gave as a reason for it.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Acknowledged(why) | Self::Suppressed(why) | Self::Unjudged(why) => Some(why),
            Self::Open | Self::Waiting { .. } | Self::Improved | Self::Resolved | Self::Quiet => {
                None
            }
        }
    }
}
