//! How many marked items a draw without replacement has.
//!
//! Definition: of `all` items so many are `marked`, and of all items so many are `drawn`, every choice equally likely.
//! The number of marked ones among them is hypergeometric. Its tail is Fisher's exact test (1935): whether a share is
//! larger in one of two samples, given how many values of both have the property. Exact for every size, and
//! conservative, because counts are whole. Cost O(n).

/// Returns the probability of at least `hits` marked items among the drawn ones.
///
/// ```
/// use perftest_analysis::stats::hypergeometric_at_least;
/// // The lady tasting tea names three of four cups, or all.
/// let by_chance = hypergeometric_at_least(3, 4, 4, 8);
/// assert!((by_chance - 17.0 / 70.0).abs() < 1e-12);
/// ```
///
/// # Panics
/// When more items are marked or drawn than there are.
pub fn hypergeometric_at_least(hits: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    assert!(drawn <= all && marked <= all, "{drawn} drawn and {marked} marked of {all}");
    let fewest = (drawn + marked).saturating_sub(all);
    let mut log = 0.0;
    let share = |count: usize| {
        let share = log;
        let with_one_more = (marked - count) as f64 * (drawn - count) as f64;
        let as_before = (count + 1) as f64 * (all + count + 1 - marked - drawn) as f64;
        log += (with_one_more / as_before).ln();
        share
    };
    let logs: Vec<f64> = (fewest..=drawn.min(marked)).map(share).collect();
    // Without it the largest shares of many items are beyond the range of numbers.
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = |logs: &[f64]| logs.iter().map(|log| (log - largest).exp()).sum::<f64>();
    let too_few = hits.saturating_sub(fewest).min(logs.len());
    sum(&logs[too_few..]) / sum(&logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_published_ones() {
        // Fisher's twins of convicts: of 13 identical ones 10 were convicted, of 17 others 2; he gives 1 in 2150.
        let twins = hypergeometric_at_least(10, 13, 12, 30);
        assert!((twins - 619.0 / 1_330_665.0).abs() < 1e-12, "{twins}");
    }

    #[test]
    fn the_ends_are_the_ends() {
        assert_eq!(hypergeometric_at_least(0, 5, 3, 9), 1.0);
        assert_eq!(hypergeometric_at_least(4, 5, 3, 9), 0.0);
        assert_eq!(hypergeometric_at_least(0, 0, 0, 0), 1.0);
        // Of nine items seven are drawn and five marked: three marked ones at least.
        assert_eq!(hypergeometric_at_least(3, 7, 5, 9), 1.0);
    }

    #[test]
    fn a_million_items_are_no_trouble() {
        let half = hypergeometric_at_least(250_000, 500_000, 500_000, 1_000_000);
        assert!((0.5..0.501).contains(&half), "{half}");
        let none = hypergeometric_at_least(300_000, 500_000, 500_000, 1_000_000);
        assert_eq!(none, 0.0);
    }
}
