//! Slow drift of a test from its anchor.

use super::series_history::SeriesHistory;
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::{Direction, Lineage, Note};
use perftest_store::{Store, load_anchor};

/// Returns the note on a test whose newest runs differ from their anchor by more than the
/// tolerance. `None` if the anchor cannot be read: reading the newest runs reports a damaged
/// history.
pub(super) fn note(
    store: &dyn Store,
    known: &SeriesHistory,
    lineage: &Lineage,
    direction: Direction,
    policy: &Policy,
) -> Option<Note> {
    let anchor = load_anchor(store, known.query.as_ref()?, &known.acceptances).ok()?.value;
    let drift = Drift::between(&anchor, &known.history, lineage, direction, policy)?;
    let (ratio, since_commit) = (drift.degradation.estimate, drift.since_commit.clone());
    drift.is_beyond_limit().then_some(Note::Drifted { ratio, since_commit })
}
