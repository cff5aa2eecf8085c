//! The result of a push or a pull.

use crate::exit::CommandError;
use perftest_store::Damage;

/// What one direction did, or would do.
#[derive(Debug, Default)]
pub(crate) struct ExchangeResult {
    /// Files with new records.
    pub(super) files: usize,
    /// Records that were added.
    pub(super) added: usize,
    /// Records that were there.
    pub(super) known: usize,
    /// Acceptances for other machines. Where runs are only shown, all records that are no runs.
    pub(super) left_out: usize,
    /// Whether the runs are only shown.
    pub(super) is_show_only: bool,
    /// Lines that are no records, and were left out.
    pub(super) damaged: Vec<Damage>,
    /// Files that could not be read or written, with the reason.
    pub(super) failed: Vec<CommandError>,
    /// Why there is nothing to receive.
    pub(super) note: Option<String>,
    /// The command.
    pub(super) event: &'static str,
    /// The result in words.
    pub(super) words: String,
}
