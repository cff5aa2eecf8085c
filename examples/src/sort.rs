//! Sorting many lists of strings.

use crate::data::{ALICE, pages};
use crate::seeded::Seeded;
use crate::slowdown::stretch;

/// The words of each page of the novel, the words of a page in random order; `factor` times as
/// many pages. Many lists and not one long one, because then twice the input is twice the work.
#[must_use]
pub fn input(factor: f64, seeded: &mut Seeded) -> Vec<Vec<&'static str>> {
    stretch(&pages(ALICE), factor)
        .into_iter()
        .map(|page| {
            let mut words: Vec<&str> = page.split_ascii_whitespace().collect();
            seeded.shuffle(&mut words);
            words
        })
        .collect()
}

/// Sorts the words of each list.
pub fn sort_each(lists: &mut [Vec<&str>]) {
    for list in lists {
        list.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_is_sorted_and_keeps_its_words() {
        let mut lists = input(1.0, &mut Seeded::new(1));
        assert!(lists.iter().filter(|list| list.len() > 1).all(|list| !list.is_sorted()));
        sort_each(&mut lists);
        assert!(lists.iter().all(|list| list.is_sorted()));
        assert_eq!(lists.concat().len(), ALICE.split_ascii_whitespace().count());
    }

    #[test]
    fn no_two_inputs_in_a_row_are_alike() {
        let mut seeded = Seeded::new(1);
        assert_ne!(input(1.0, &mut seeded), input(1.0, &mut seeded));
    }

    #[test]
    fn a_slowdown_adds_lists() {
        let lists = |factor| input(factor, &mut Seeded::new(1)).len();
        assert_eq!((lists(1.0), lists(1.25), lists(2.0)), (91, 114, 182));
    }
}
