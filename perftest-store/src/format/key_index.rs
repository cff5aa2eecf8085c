//! Finds a key of an object without comparing it with all others.
//!
//! Readers ask for each possible key, and most machines write only half of them.

/// 2^64 over the golden ratio, odd: its bits follow no pattern.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Positions of keys by their hash: open addressing, at most half full.
#[derive(Debug)]
pub(super) struct KeyIndex {
    /// Each slot is one more than the position of an entry; 0 is free. Their count is a power of
    /// two.
    slots: Vec<u32>,
    are_different: bool,
}

impl KeyIndex {
    pub(super) fn of(entries: &[(&str, &str)]) -> Self {
        let slots = vec![0; (2 * entries.len()).next_power_of_two()];
        let mut index = Self { slots, are_different: true };
        for (position, (key, _)) in entries.iter().enumerate() {
            let mut slot = index.first_slot(key);
            while index.slots[slot] != 0 {
                index.are_different &= entries[index.slots[slot] as usize - 1].0 != *key;
                slot = index.next_slot(slot);
            }
            index.slots[slot] = position as u32 + 1;
        }
        index
    }

    /// Returns whether no key is there twice.
    pub(super) fn are_different(&self) -> bool {
        self.are_different
    }

    /// Returns the position of a key among the indexed entries, the first one of a repeated key.
    pub(super) fn find(&self, entries: &[(&str, &str)], key: &str) -> Option<usize> {
        let mut slot = self.first_slot(key);
        loop {
            let position = self.slots[slot].checked_sub(1)? as usize;
            if entries[position].0 == key {
                return Some(position);
            }
            slot = self.next_slot(slot);
        }
    }

    fn first_slot(&self, key: &str) -> usize {
        (some_bytes(key.as_bytes()).wrapping_mul(SPREAD) >> 32) as usize & (self.slots.len() - 1)
    }

    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

/// Combines the length of a key with its two ends and two bytes between them: hardly two of our keys have the same.
fn some_bytes(key: &[u8]) -> u64 {
    let Some(last) = key.len().checked_sub(1) else { return 0 };
    let third = key.len() / 3;
    let byte = |place: usize| u64::from(key[place]);
    (key.len() as u64) << 32
        | byte(0) << 24
        | byte(third) << 16
        | byte(last - third) << 8
        | byte(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_and_no_other_however_many_share_a_hash() {
        let keys: Vec<String> = (0..100).map(|key| format!("key{key}")).collect();
        for count in 0..keys.len() {
            let entries: Vec<(&str, &str)> =
                keys[..count].iter().map(|key| (key.as_str(), key.as_str())).collect();
            let index = KeyIndex::of(&entries);
            for (position, key) in keys.iter().enumerate() {
                let expected = (position < count).then_some(position);
                assert_eq!(index.find(&entries, key), expected);
            }
        }
    }
}
