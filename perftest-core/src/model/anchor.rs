//! A frozen baseline.

use super::History;

/// The first runs of a level: what creeps away from it in small steps is seen against them, while
/// a baseline that moves along sees nothing.
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
