//! Notes beside a table.

use super::StretchFacts;
use crate::report::{histories, write_line};
use crate::series::name_of;
use std::collections::HashSet;
use std::io::{self, Write};

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

/// The notes on these histories. Those that are `judged` are counted if they have too few runs of the default branch.
pub(crate) fn notes<'a>(
    all: &[&'a StretchFacts],
    judged: impl Iterator<Item = &'a StretchFacts>,
) -> Vec<String> {
    let left_out = match all {
        [only] => only.left_out.in_words(),
        _ => Vec::new(),
    };
    let all = || all.iter().copied();
    let of_runs = lacking(judged).into_iter().chain(removed_seasons(all()));
    let longer = all().filter(|it| it.left_out.has_older).map(|it| &it.series);
    let longer = older_runs(longer.collect::<HashSet<_>>().len());
    of_runs.chain(left_out).chain(longer).chain(other_units(all())).collect()
}

/// Writes a line for each note.
pub(crate) fn write_notes(notes: &[String], out: &mut dyn Write) -> io::Result<()> {
    notes.iter().try_for_each(|note| write_line(out, &format_args!("note: {note}")))
}

/// Notes the patterns that were removed from histories, and those that could not be.
fn removed_seasons<'a>(all: impl Iterator<Item = &'a StretchFacts>) -> Vec<String> {
    let named = all.filter_map(|StretchFacts { series, removed_season: season, .. }| {
        let words = season.description.as_ref().or(season.refused.as_ref())?;
        Some(format!("{}: {words}", name_of(series)))
    });
    some_of(named.collect())
}

/// Notes the runs in another unit or direction, which are not comparable with the others.
fn other_units<'a>(all: impl Iterator<Item = &'a StretchFacts>) -> Vec<String> {
    let mut seen = HashSet::new();
    // Several stretches may belong to one history.
    let histories = all.filter(|it| seen.insert(&it.series));
    let named = histories.flat_map(|StretchFacts { series, left_out, .. }| {
        let name = name_of(series);
        left_out.units_in_words(&series.metric).map(move |words| format!("{name}: {words}"))
    });
    some_of(named.collect())
}

/// The note on so many histories that are longer than the limit.
pub(crate) fn older_runs(longer: usize) -> Option<String> {
    let words = "with older runs that were not looked at: --limit takes more";
    (longer > 0).then(|| format!("{} {words}", histories(longer)))
}

/// Counts the histories with too few runs of the default branch.
fn lacking<'a>(all: impl Iterator<Item = &'a StretchFacts>) -> Option<String> {
    let lacking: Vec<&str> = all.filter_map(|it| it.lacking.as_deref()).collect();
    let branch = lacking.first()?;
    Some(format!(
        "{} with too few runs of {branch} to judge: every run counts there, uncommitted code too",
        histories(lacking.len())
    ))
}
