//! The time by which a record is placed among others.

use crate::format::Fields;
use perftest_core::model::RunId;

/// Of two clocks that differ by more, one is wrong. A convention: clocks that a network sets differ by far less.
const MOST_APART_MS: u64 = 86_400_000;

/// When a record was made, and when its commit was: by the clocks of two machines.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordTime {
    /// As ids begin.
    recorded: String,
    /// Milliseconds since 1970; 0 if there is none.
    committed_ms: u64,
}

impl RecordTime {
    /// The times of a record with this id and these fields.
    pub(super) fn new(id: &str, fields: &Fields<'_>) -> Self {
        let committed_s: u64 = fields.get_or_default("commit_time_s").unwrap_or_default();
        let recorded = RunId::time_in(id).to_owned();
        Self { recorded, committed_ms: committed_s.saturating_mul(1_000) }
    }

    /// Returns what orders records: when it was made, or when its commit was if that is later by a wrong clock. No run
    /// begins before its commit, but the clock of a machine without a battery is years behind until a network sets it. A
    /// commit later than `latest` has the wrong time itself. Records of one commit are in the order of their ids.
    pub(super) fn place(&self, latest: &str) -> String {
        let committed = time_of(self.committed_ms);
        let is_years_behind =
            self.recorded < time_of(self.committed_ms.saturating_sub(MOST_APART_MS));
        let time =
            if is_years_behind && *committed <= *latest { &committed } else { &self.recorded };
        [time.as_str(), &self.recorded].concat()
    }
}

/// Returns the latest time that is no wrong one, by the clock of this machine. Where most of these records were made
/// later, that clock is behind, and none of them is wrong.
pub(super) fn latest_time<'a>(
    now_ms: u64,
    records: impl Iterator<Item = &'a RecordTime> + Clone,
) -> String {
    let latest = time_of(now_ms.saturating_add(MOST_APART_MS));
    let later = records.clone().filter(|it| it.recorded > latest).count();
    if 2 * later > records.count() { time_of(u64::MAX) } else { latest }
}

/// The beginning of the ids of this time.
fn time_of(time_ms: u64) -> String {
    const LATEST_MS: u64 = (1 << 48) - 1;
    RunId::time_in(RunId::new(time_ms.min(LATEST_MS), 0).as_str()).to_owned()
}
