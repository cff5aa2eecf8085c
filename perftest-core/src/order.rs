//! Sorting that is compiled once for all kinds of items.
//!
//! The standard library's sort is several kilobytes of code for each kind, in each crate, and users wait
//! for the compiler. Here only the comparison and the swap are compiled for each.

use crate::list::IntoList;
use std::cmp::Ordering;

/// Sorts a list. Equal items keep their order.
///
/// ```
/// let mut names = ["b", "c", "a"];
/// perftest_core::order::sort(&mut names);
/// assert_eq!(names, ["a", "b", "c"]);
/// ```
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, &T::cmp);
}

/// Sorts a list by a comparison. Equal items keep their order.
#[inline(never)]
pub fn sort_by<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    for &(place, other) in &swaps(items.len(), &|a, b| compare(&items[a], &items[b])) {
        items.swap(place, other);
    }
}

/// Sorts numbers. Zeros of both signs and what is no number have a place, too: [`f64::total_cmp`].
pub fn sort_numbers(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// The swaps that sort so many items, one after the other. `compare` takes places of the unsorted list.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..count).into_list();
    sorted.sort_by(|a, b| compare(*a, *b));
    // Earlier swaps move the items that later ones look for.
    let mut item_at: Vec<usize> = (0..count).into_list();
    let mut place_of = item_at.clone();
    let mut swaps = Vec::with_capacity(count);
    for (place, item) in sorted.into_iter().enumerate() {
        let (other, moved) = (place_of[item], item_at[place]);
        (item_at[other], place_of[moved]) = (moved, other);
        swaps.push((place, other));
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_of_a_few_items_are_sorted_and_equal_ones_keep_their_order() {
        // The digits of a number are the items; their places tell equal ones apart.
        for number in 0..4_usize.pow(6) {
            let digits = (0..6).map(|place| (number / 4_usize.pow(place) % 4, place));
            let mut items: Vec<(usize, u32)> = digits.collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(digit, _)| *digit);
            sort_by(&mut items, &|a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn long_lists_and_empty_ones_are_sorted() {
        for count in [0, 1, 1_000] {
            let mut items: Vec<u64> = (0..count).map(|it| it * 7_919 % 1_009).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn numbers_have_an_order_even_where_they_are_none() {
        let mut values = [1.0, f64::NAN, -0.0, 0.0, f64::NEG_INFINITY];
        sort_numbers(&mut values);
        assert_eq!(values[..2], [f64::NEG_INFINITY, -0.0]);
        assert!(values[1].is_sign_negative() && values[2].is_sign_positive() && values[4].is_nan());
    }
}
