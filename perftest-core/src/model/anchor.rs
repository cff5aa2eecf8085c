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
    /// Number of runs in an anchor.
    pub const RUNS: usize = 10;
}
