//! How many runs count for the baseline.

/// How many runs count for the baseline, and are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaselineRule {
    /// Runs a verdict needs, and the fewest that are a level of their own.
    pub needed: usize,
    /// Newest runs that are kept, counted in runs that match.
    pub window: usize,
    /// Runs of one code state that may count for the baseline once the baseline has what it needs: running the
    /// same code again and again must not move its own baseline.
    pub per_code_state: usize,
}

impl Default for BaselineRule {
    fn default() -> Self {
        Self { needed: 5, window: Self::WINDOW, per_code_state: 3 }
    }
}

impl BaselineRule {
    /// Newest runs that are compared with, at most.
    pub const WINDOW: usize = 30;
}
