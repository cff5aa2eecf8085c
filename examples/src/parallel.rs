//! Work shared by two threads.

use crate::data::{PARADISE_LOST, pages};
use crate::slowdown::stretch;
use std::thread;

/// How many threads [`count_words`] starts.
pub const THREADS: usize = 2;

/// How many copies of the poem are in the usual [`input`]: enough that starting the threads is a
/// small part of the work.
pub const COPIES: u32 = 4;

/// The pages of the poem, `factor` times [`COPIES`] of it.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(PARADISE_LOST), f64::from(COPIES) * factor)
}

/// How many words stand on the pages. Each of [`THREADS`] threads counts a share of the pages.
#[must_use]
pub fn count_words(pages: &[&str]) -> usize {
    let mut counts = [0; THREADS];
    let shares = pages.chunks(pages.len().div_ceil(THREADS).max(1));
    thread::scope(|scope| {
        for (share, count) in shares.zip(&mut counts) {
            scope.spawn(|| *count = share.iter().map(|page| words_on(page)).sum());
        }
    });
    counts.iter().sum()
}

fn words_on(page: &str) -> usize {
    page.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_count_what_one_counts() {
        let pages = pages(PARADISE_LOST);
        assert_eq!(count_words(&pages), words_on(PARADISE_LOST));
        assert_eq!(count_words(&pages), 80_490);
    }

    #[test]
    fn fewer_pages_than_threads_are_no_trouble() {
        assert_eq!(count_words(&[]), 0);
        assert_eq!(count_words(&["Of Man's first disobedience"]), 5);
    }

    #[test]
    fn a_slowdown_adds_pages() {
        assert_eq!(count_words(&input(1.0)), 4 * 80_490);
        assert_eq!(count_words(&input(2.0)), 8 * 80_490);
    }
}
