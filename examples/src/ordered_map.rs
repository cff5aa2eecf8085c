//! Filling a `BTreeMap` with keys in random order.

use crate::seeded::Seeded;
use crate::slowdown::scale;
use std::collections::BTreeMap;

/// How many keys the usual [`input`] has.
pub const KEYS: usize = 3_000;

/// The keys of call `i`: `factor` times [`KEYS`] of them, others for each `i`. An insertion into a
/// larger map is a little more work, so that 25% more keys are 28% more of it.
#[must_use]
pub fn input(factor: f64, i: u64) -> Vec<u64> {
    let mut seeded = Seeded::new(i);
    (0..scale(KEYS, factor)).map(|_| seeded.next_u64()).collect()
}

/// A map from each key to the last place it stands at, filled one key after the other.
#[must_use]
pub fn places(keys: Vec<u64>) -> BTreeMap<u64, usize> {
    let mut places = BTreeMap::new();
    for (place, key) in keys.into_iter().enumerate() {
        places.insert(key, place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_knows_the_last_place_of_each_key() {
        assert!(places(vec![30, 10, 30]).into_iter().eq([(10, 1), (30, 2)]));
    }

    #[test]
    fn each_call_has_keys_of_its_own_and_every_run_has_the_same() {
        let calls: Vec<_> = (0..10).map(|i| input(1.0, i)).collect();
        let keys: BTreeMap<u64, usize> = places(calls.concat());
        assert_eq!(keys.len(), 10 * KEYS, "a key came twice");
        assert_eq!(calls[7], input(1.0, 7));
    }

    #[test]
    fn the_keys_are_in_no_order() {
        let keys = input(1.0, 0);
        let rises = keys.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(rises.abs_diff(KEYS / 2) < KEYS / 20, "{rises}");
    }

    #[test]
    fn a_slowdown_adds_keys() {
        let keys = |factor| input(factor, 1).len();
        assert_eq!((keys(1.0), keys(1.25), keys(2.0)), (3_000, 3_750, 6_000));
    }
}
