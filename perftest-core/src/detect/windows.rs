//! A very long series, looked at a stretch at a time.
//!
//! A search whose time grows faster than the series gets at most [`WINDOW`] values at once. The next
//! window begins where the last segment does that ends well before the window; where there is none,
//! in the middle of the window. Behaviour: up to that length nothing is different; beyond, a level
//! is compared with at most a window of its past, and what a detector derives from the whole series
//! (quantiles, penalties) it derives from each window.

use crate::model::Sample;

/// The most values that are searched at once.
pub(super) const WINDOW: usize = 20_000;

/// The changes of a series, each the index of a first value, by a search for those of one window.
pub(super) fn changes(series: &Sample, search: impl Fn(&Sample) -> Vec<usize>) -> Vec<usize> {
    let values = series.values();
    let mut all = Vec::new();
    let mut start = 0;
    while values.len() - start > WINDOW {
        let window = &values[start..start + WINDOW];
        let found = Sample::new(window.to_vec()).map_or_else(|_| Vec::new(), |it| search(&it));
        // What the values behind the window may move is left to the next one.
        let settled = found.into_iter().filter(|change| *change <= WINDOW / 4 * 3);
        let first = start;
        all.extend(settled.map(|change| first + change));
        start = all.last().map_or(0, |last| *last).max(start + WINDOW / 2);
    }
    if start == 0 {
        return search(series);
    }
    let rest = Sample::new(values[start..].to_vec()).map_or_else(|_| Vec::new(), |it| search(&it));
    all.extend(rest.into_iter().map(|change| start + change));
    all
}
