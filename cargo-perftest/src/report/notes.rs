//! What has to be known beside a table.

use crate::reading::TakenOut;
use crate::series::in_words;
use perftest_store::Series;

/// Tests that are named in a note.
const NAMED: usize = 5;

/// The first of them, and how many more there are.
pub(super) fn some_of(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("{more} more"));
    }
    all
}

/// What was taken out of which history, or could not be.
pub(super) fn taken_out<'a>(all: impl Iterator<Item = (&'a Series, &'a TakenOut)>) -> Vec<String> {
    let named = all.filter_map(|(series, TakenOut { told, refused, .. })| {
        let name = in_words(&series.benchmark, &series.metric);
        Some(format!("{name}: {}", told.as_ref().or(refused.as_ref())?))
    });
    some_of(named.collect())
}
