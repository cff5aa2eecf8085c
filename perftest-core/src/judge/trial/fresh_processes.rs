//! What fresh processes have shown to a trial.

use crate::judge::round::Round;
use std::time::Duration;

/// The fresh processes of a trial.
#[derive(Debug, Clone, Default)]
pub(super) struct FreshProcesses {
    /// The fastest round of each.
    pub rounds: Vec<Round>,
    /// Processes in which the degradation stood.
    pub stood: u32,
    /// Processes so disturbed that they neither confirm nor acquit.
    pub disturbed: u32,
    /// Others took the processors that one of them needed.
    pub contended: bool,
    /// Time for all of them.
    pub spent: Duration,
}
