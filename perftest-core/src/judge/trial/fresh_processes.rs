//! Results of fresh processes.

use crate::judge::round::Round;
use crate::model::Note;
use std::time::Duration;

/// The fresh processes of a trial.
#[derive(Debug, Clone, Default)]
pub(super) struct FreshProcesses {
    /// The fastest round of each.
    pub rounds: Vec<Round>,
    /// Number of processes that confirmed the degradation.
    pub stood: u32,
    /// Processes so disturbed that they neither confirm nor acquit.
    pub disturbed: u32,
    /// Whether others took the processors that one of them needed.
    pub contended: bool,
    /// Why the newest that seemed fast enough does not acquit.
    pub doubt: Option<Note>,
    /// Time for all of them.
    pub spent: Duration,
}
