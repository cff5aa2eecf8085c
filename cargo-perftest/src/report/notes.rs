//! What has to be known beside a table.

use crate::reading::{ExcludedRuns, RemovedSeason};
use crate::series::in_words;
use perftest_store::Series;
use std::collections::HashSet;

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
pub(super) fn removed_season<'a>(
    all: impl Iterator<Item = (&'a Series, &'a RemovedSeason)>,
) -> Vec<String> {
    let named = all.filter_map(|(series, RemovedSeason { description, refused, .. })| {
        let name = in_words(&series.benchmark, &series.metric);
        Some(format!("{name}: {}", description.as_ref().or(refused.as_ref())?))
    });
    some_of(named.collect())
}

/// Which runs of the histories are in another unit or direction, and so compare with none of the others.
pub(super) fn other_units<'a>(
    all: impl Iterator<Item = (&'a Series, &'a ExcludedRuns)>,
) -> Vec<String> {
    let mut seen = HashSet::new();
    // Several stretches are of one history.
    let histories = all.filter(|(series, _)| seen.insert(*series));
    let named = histories.flat_map(|(series, left_out)| {
        let name = in_words(&series.benchmark, &series.metric);
        left_out.units_in_words(&series.metric).map(move |words| format!("{name}: {words}"))
    });
    some_of(named.collect())
}

/// How often the default branch was too short: its name, where it was, for each history.
pub(super) fn lacking<'a>(all: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let lacking: Vec<&str> = all.flatten().collect();
    let branch = lacking.first()?;
    Some(format!(
        "{} with too few runs of {branch} to judge: every run counts there, uncommitted code too",
        histories(lacking.len())
    ))
}

/// So many histories.
pub(crate) fn histories(count: usize) -> String {
    format!("{count} {}", if count == 1 { "history" } else { "histories" })
}
