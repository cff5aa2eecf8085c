//! Notes beside a table.

use super::{ExcludedRuns, RemovedSeason};
use crate::report::histories;
use crate::series::in_words;
use perftest_store::Series;
use std::collections::HashSet;

/// Most tests in one note.
const NAMED: usize = 5;

/// Returns the first names, and the number of the others.
pub(crate) fn some_of(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("{more} more"));
    }
    all
}

/// Notes the patterns that were removed from histories, and those that could not be.
pub(crate) fn removed_season<'a>(
    all: impl Iterator<Item = (&'a Series, &'a RemovedSeason)>,
) -> Vec<String> {
    let named = all.filter_map(|(series, RemovedSeason { description, refused, .. })| {
        let name = in_words(&series.benchmark, &series.metric);
        Some(format!("{name}: {}", description.as_ref().or(refused.as_ref())?))
    });
    some_of(named.collect())
}

/// Notes the runs in another unit or direction, which are not comparable with the others.
pub(crate) fn other_units<'a>(
    all: impl Iterator<Item = (&'a Series, &'a ExcludedRuns)>,
) -> Vec<String> {
    let mut seen = HashSet::new();
    // Several stretches may belong to one history.
    let histories = all.filter(|(series, _)| seen.insert(*series));
    let named = histories.flat_map(|(series, left_out)| {
        let name = in_words(&series.benchmark, &series.metric);
        left_out.units_in_words(&series.metric).map(move |words| format!("{name}: {words}"))
    });
    some_of(named.collect())
}

/// Counts the histories with too few runs of the default branch. `all` has the branch's name for
/// each.
pub(crate) fn lacking<'a>(all: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let lacking: Vec<&str> = all.flatten().collect();
    let branch = lacking.first()?;
    Some(format!(
        "{} with too few runs of {branch} to judge: every run counts there, uncommitted code too",
        histories(lacking.len())
    ))
}
