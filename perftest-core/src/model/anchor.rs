//! A frozen baseline.

use super::History;

/// The first runs of a level. They show a slow drift in small steps, which a moving baseline does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The runs, oldest first.
    pub history: History,
    /// The allowed ratio to these runs, for acceptances since that have no anchor of their own yet;
    /// 1 without any.
    pub accepted_ratio: f64,
}

impl Anchor {
    /// Number of runs in an anchor. A convention.
    pub const RUNS: usize = 10;
    /// The fewest of them that can be compared: the others were red, or count by their ratio to a run that is not
    /// among them. A convention: half of them, and as many as a verdict needs.
    pub const FEWEST_COMPARED: usize = 5;

    /// Whether these are as many runs as an anchor has, and enough of them have times.
    #[inline]
    pub fn suffices(history: &History) -> bool {
        history.runs.len() == Self::RUNS && history.as_counted().len() >= Self::FEWEST_COMPARED
    }
}
