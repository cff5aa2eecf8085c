//! Searches a very long series in windows.
//!
//! A search whose time grows faster than the series gets at most [`WINDOW`] values at once. The next
//! window begins where the last segment does that ends well before the window; where there is none,
//! in the middle of the window. Behaviour: up to that length nothing is different; beyond, a level
//! is compared with at most a window of its past, and what a detector derives from the whole series
//! (quantiles, penalties) it derives from each window.

use perftest_core::model::Sample;

/// The most values that are searched at once. A convention: a longer search costs more than the series grows.
pub(super) const WINDOW: usize = 20_000;

/// Finds the changes of a series, each the index of a first value, by a search in each window.
pub(super) fn changes(series: &Sample, search: impl Fn(&Sample) -> Vec<usize>) -> Vec<usize> {
    let values = series.values();
    if values.len() <= WINDOW {
        return search(series);
    }
    let (mut all, mut start, mut end) = (Vec::new(), 0, 0);
    while end < values.len() {
        end = values.len().min(start + WINDOW);
        let window = Sample::new(values[start..end].to_vec());
        let found = window.map_or_else(|_| Vec::new(), |it| search(&it));
        // Later values may still move the last changes, so the next window finds those.
        let is_settled = |change: &usize| end == values.len() || *change <= WINDOW / 4 * 3;
        all.extend(found.into_iter().filter(is_settled).map(|change| start + change));
        start = all.last().map_or(0, |last| *last).max(start + WINDOW / 2);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds every value that differs from the one before, unless too little follows.
    fn differences(series: &Sample) -> Vec<usize> {
        assert!(series.size() <= WINDOW);
        let pairs = series.values().windows(2).enumerate();
        let differs = pairs.filter(|(_, pair)| pair[0] != pair[1]).map(|(before, _)| before + 1);
        differs.filter(|change| change + 10 <= series.size()).collect()
    }

    #[test]
    fn every_change_of_a_long_series_is_found_once() {
        for level in [900, 7_001, 15_000, 20_000, 33_333] {
            for size in [WINDOW, WINDOW + 1, 3 * WINDOW, 100_000] {
                let values = (0..size).map(|index| (index / level) as f64).collect();
                let found = changes(&Sample::new(values).unwrap(), differences);
                let expected = (1..).map(|it| it * level).take_while(|change| change + 10 <= size);
                assert_eq!(found, expected.collect::<Vec<_>>(), "{level} of {size}");
            }
        }
    }
}
