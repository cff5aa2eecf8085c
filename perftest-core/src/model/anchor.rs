//! A frozen baseline.

use super::History;

/// The first runs of a level. They show a slow drift in small steps, which a moving baseline does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The runs, oldest first.
    pub history: History,
    /// What was accepted since and has no anchor of its own yet: the allowed ratio to these runs;
    /// 1 when nothing was.
    pub accepted_ratio: f64,
}

impl Anchor {
    /// Runs an anchor has.
    pub const RUNS: usize = 10;
}
