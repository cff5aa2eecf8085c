//! Where each word stands: `HashMap`s filled and asked, and their words in order in a `BTreeMap`.
//! A `HashMap` hashes by keys that differ between processes, so processes differ by some percent.

use crate::data::{ALICE, pages};
use crate::slowdown::stretch;
use std::collections::{BTreeMap, HashMap};

/// The pages of the novel, `factor` times as many as it has.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(ALICE), factor)
}

/// How many words of each page stand on the page before as well, looked up one by one in an index
/// of that page; and how many words stand anywhere, each counted once.
#[must_use]
pub fn repetitions(pages: &[&str]) -> (usize, usize) {
    let indexes: Vec<_> = pages.iter().map(|page| index(page)).collect();
    let again = |(before, page): (&HashMap<&str, Vec<usize>>, &&str)| {
        page.split_ascii_whitespace().filter(|word| before.contains_key(word)).count()
    };
    let repeated = indexes.iter().zip(pages.iter().skip(1)).map(again).sum();
    let in_order: BTreeMap<&str, &Vec<usize>> =
        indexes.iter().flatten().map(|(word, places)| (*word, places)).collect();
    (repeated, in_order.len())
}

/// The places of each word of a page.
fn index(page: &str) -> HashMap<&str, Vec<usize>> {
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, word) in page.split_ascii_whitespace().enumerate() {
        index.entry(word).or_default().push(place);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_all_places_of_a_word() {
        assert_eq!(index("down, down, down. Would")["down,"], [0, 1]);
    }

    #[test]
    fn a_word_that_comes_again_on_the_next_page_is_a_repetition() {
        assert_eq!(repetitions(&["the Queen", "the King the", "Queen"]), (2, 3));
        assert_eq!(repetitions(&[]), (0, 0));
    }

    #[test]
    fn a_slowdown_adds_pages() {
        let (usual, _) = repetitions(&input(1.0));
        let (twice, _) = repetitions(&input(2.0));
        assert!((2 * usual).abs_diff(twice) < 100, "{usual} and {twice}");
    }
}
