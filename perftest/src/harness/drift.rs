//! Slow drift of a test from its anchor.

use super::loaded_history::LoadedHistory;
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::Direction;
use perftest_core::words::drifted;
use perftest_store::{Store, load_anchor};

/// What to say of a test whose newest runs lie beyond the tolerance from their anchor. Nothing
/// where the anchor cannot be read: what is wrong with a history is said where its newest runs
/// are read.
pub(super) fn remark(
    store: &dyn Store,
    known: &LoadedHistory,
    direction: Direction,
    policy: &Policy,
) -> Option<String> {
    let anchor = load_anchor(store, known.query.as_ref()?, &known.acceptances).ok()?.value;
    let drift = Drift::between(&anchor, &known.history, direction, policy)?;
    drift.is_beyond_limit().then(|| drifted(&drift))
}
