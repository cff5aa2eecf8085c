//! A sum over a text by rayon's threads, which are started once for a process.

use crate::data::{PARADISE_LOST, pages};
use crate::slowdown::stretch;
use rayon::prelude::*;

/// How many copies of the poem are in the usual [`input`]: enough that waking the threads is a
/// small part of the work.
pub const COPIES: u32 = 2;

/// The pages of the poem, `factor` times [`COPIES`] of it.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(PARADISE_LOST), f64::from(COPIES) * factor)
}

/// The sum of the squares of the lengths of all words, in bytes.
#[must_use]
pub fn squares(pages: &[&str]) -> usize {
    pages.par_iter().map(|page| squares_on(page)).sum()
}

fn squares_on(page: &str) -> usize {
    page.split_ascii_whitespace().map(|word| word.len() * word.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_together_sum_what_one_sums() {
        assert_eq!(squares(&["Of Man's first", "", "disobedience"]), 4 + 25 + 25 + 144);
        assert_eq!(squares(&pages(PARADISE_LOST)), squares_on(PARADISE_LOST));
    }

    #[test]
    fn a_slowdown_adds_pages() {
        assert_eq!(squares(&input(1.0)), 2 * squares_on(PARADISE_LOST));
        assert_eq!(squares(&input(2.0)), 4 * squares_on(PARADISE_LOST));
    }
}
