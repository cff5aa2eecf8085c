//! Why a slower test was not judged alone, and what to do.

use crate::model::{Note, Obstacle};

/// Returns why no process was alone with the test. Without the measuring lock nobody knows whether others measured.
pub(super) fn not_alone(notes: &[Note]) -> &'static str {
    if lacks_lock(notes) {
        "it could not be confirmed alone"
    } else {
        "other tests ran at the same time"
    }
}

/// Advises to run tests one by one; `None` where that does not help: the note on the measuring lock has what does.
pub(super) fn judge_it_alone(notes: &[Note]) -> Option<&'static str> {
    let alone = "judge it alone: cargo nextest run, or cargo test -- --test-threads=1";
    (!lacks_lock(notes)).then_some(alone)
}

fn lacks_lock(notes: &[Note]) -> bool {
    notes.iter().any(|it| matches!(it, Note::Hindered { obstacle: Obstacle::NoLock(_) }))
}
