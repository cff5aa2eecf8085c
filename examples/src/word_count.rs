//! Word frequencies with owned strings: a workload of many small allocations.

use crate::data::{ALICE, pages};
use crate::slowdown::stretch;
use std::collections::BTreeMap;

/// The pages of the novel, `factor` times as many as it has.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(ALICE), factor)
}

/// How often each word stands in a text. A word is a run of letters and is counted in lower case.
///
/// ```
/// use perftest_examples::word_count::frequencies;
/// assert_eq!(frequencies("Oh dear! Oh dear!")["dear"], 2);
/// ```
#[must_use]
pub fn frequencies(text: &str) -> BTreeMap<String, u32> {
    let mut frequencies = BTreeMap::new();
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    for word in words {
        *frequencies.entry(word.to_ascii_lowercase()).or_insert(0) += 1;
    }
    frequencies
}

/// The most frequent word of each page that has one; the last in the alphabet where several are.
#[must_use]
pub fn favourites(pages: &[&str]) -> Vec<String> {
    pages
        .iter()
        .filter_map(|page| frequencies(page).into_iter().max_by_key(|(_, count)| *count))
        .map(|(word, _)| word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_novel_names_alice_often() {
        let frequencies = frequencies(ALICE);
        assert_eq!(
            (frequencies["the"], frequencies["alice"], frequencies.len()),
            (1_642, 398, 2_576)
        );
    }

    #[test]
    fn a_page_without_words_has_no_favourite() {
        assert_eq!(favourites(&["to be or not to be?", " 1865 "]), ["to"]);
    }

    #[test]
    fn a_slowdown_adds_pages() {
        let usual = favourites(&input(1.0)).len();
        assert_eq!(favourites(&input(2.0)).len(), 2 * usual);
    }
}
