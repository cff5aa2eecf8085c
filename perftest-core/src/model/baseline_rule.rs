//! The sizes of a baseline.

/// The sizes of a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaselineRule {
    /// Runs that a verdict needs, and the fewest runs of a level.
    pub needed: usize,
    /// The largest number of newest runs, counted among runs that match.
    pub window: usize,
    /// Largest number of runs of one code state, once the baseline has enough runs: running the
    /// same code again and again must not move its own baseline.
    pub per_code_state: usize,
}

impl Default for BaselineRule {
    fn default() -> Self {
        Self { needed: 5, window: Self::WINDOW, per_code_state: 3 }
    }
}

impl BaselineRule {
    /// The largest number of newest runs in a baseline. A convention: `ci/campaigns/simulate.sh` judges with 5, 10
    /// and 30 runs (docs/evidence/verdicts.md).
    pub const WINDOW: usize = 30;
    /// Newest runs in which the baseline is searched: the window, and room for runs that do not match, such as the
    /// author's own runs when the baseline has merged runs only. A convention.
    pub const LOADED_RUNS: usize = 200;
    /// As far as the search goes on where other branches have so many of the newest runs that they hide those of this
    /// code: the runs of a thousand builds of branches.
    pub const SEARCHED_RUNS: usize = 16 * Self::LOADED_RUNS;
}
