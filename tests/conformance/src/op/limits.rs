//! What is too much for one case: a sentence in place of an hour.

/// Quantiles times values that an operation takes on: some seconds.
const MOST_WORK: usize = 500_000_000;

/// A count up to `largest`.
pub(super) fn most(key: &str, count: usize, largest: usize) -> Result<usize, String> {
    match count <= largest {
        true => Ok(count),
        false => Err(format!("{key} is {count}, and {largest} is the most")),
    }
}

/// So many quantiles of so many values.
pub(super) fn work(values: usize, quantiles: usize) -> Result<(), String> {
    match values.saturating_mul(quantiles) <= MOST_WORK {
        true => Ok(()),
        false => Err(format!(
            "{quantiles} quantiles of {values} values are too many: ask for at most {}",
            MOST_WORK / values.max(1)
        )),
    }
}
