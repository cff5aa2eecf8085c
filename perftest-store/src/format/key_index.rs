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
}

impl KeyIndex {
    pub(super) fn of(entries: &[(&str, &str)]) -> Self {
        let mut index = Self { slots: vec![0; (2 * entries.len()).next_power_of_two()] };
        for (position, (key, _)) in entries.iter().enumerate() {
            let mut slot = index.first_slot(key);
            while index.slots[slot] != 0 {
                slot = index.next_slot(slot);
            }
            index.slots[slot] = position as u32 + 1;
        }
        index
    }

    /// Returns the value of a key among the indexed entries.
    pub(super) fn find<'a>(&self, entries: &[(&str, &'a str)], key: &str) -> Option<&'a str> {
        let mut slot = self.first_slot(key);
        loop {
            let position = self.slots[slot].checked_sub(1)?;
            let (name, value) = entries[position as usize];
            if name == key {
                return Some(value);
            }
            slot = self.next_slot(slot);
        }
    }

    fn first_slot(&self, key: &str) -> usize {
        (ends(key.as_bytes()).wrapping_mul(SPREAD) >> 32) as usize & (self.slots.len() - 1)
    }

    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

/// Combines the first and the last four bytes of a key in one number, which is unique among our
/// keys.
fn ends(key: &[u8]) -> u64 {
    let number = |four: &[u8; 4]| u64::from(u32::from_le_bytes(*four));
    match (key.first_chunk(), key.last_chunk()) {
        (Some(first), Some(last)) => number(first) << 32 | number(last),
        _ => key.iter().fold(0, |short, byte| short << 8 | u64::from(*byte)),
    }
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
                let expected = (position < count).then_some(key.as_str());
                assert_eq!(index.find(&entries, key), expected);
            }
        }
    }
}
