//! A place in a file whose rows come in any order.

use hmac_sha256::Hash;
use perftest_store::ReadPlace;

/// The place of a row among those of its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) number: u64,
    pub(super) digest: u64,
}

/// The rows of a file up to a position. Machines that push at the same time may use the same numbers, so rows
/// may come before those that were read: then their count and the sum of their digests differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FilePlace {
    pub(super) records: u64,
    /// The sum of the digests, without what does not fit.
    pub(super) digests: u64,
    pub(super) last: Position,
}

impl FilePlace {
    /// Returns the place of a mark; the start of the file where the mark is not of this kind.
    pub(super) fn of(place: &ReadPlace) -> Self {
        let number = |text: Option<&str>| u64::from_str_radix(text?, 16).ok();
        let mut parts = place.mark.split('-');
        let mut next = || number(parts.next());
        let (number, digest, digests) = (next(), next(), next());
        match (number, digest, digests) {
            (Some(number), Some(digest), Some(digests)) => {
                Self { records: place.end, digests, last: Position { number, digest } }
            }
            _ => Self::default(),
        }
    }

    /// Goes behind a row.
    pub(super) fn pass(&mut self, row: Position) {
        self.records += 1;
        self.digests = self.digests.wrapping_add(row.digest);
        self.last = row;
    }

    pub(super) fn is_start(&self) -> bool {
        self.records == 0
    }
}

impl From<FilePlace> for ReadPlace {
    fn from(place: FilePlace) -> Self {
        if place.is_start() {
            return Self::default();
        }
        let FilePlace { records, digests, last } = place;
        Self { end: records, mark: format!("{:x}-{:x}-{digests:x}", last.number, last.digest) }
    }
}

/// The first 8 bytes of the SHA-256 of a line: its identity in its file.
pub(super) fn digest_of(line: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Hash::hash(line.as_bytes());
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_after_it_was_written() {
        let mut place = FilePlace::default();
        assert_eq!(ReadPlace::from(place), ReadPlace::default());
        place.pass(Position { number: 1, digest: u64::MAX });
        place.pass(Position { number: 300, digest: 2 });
        assert_eq!(FilePlace::of(&place.into()), place);
        assert_eq!(ReadPlace::from(place), ReadPlace { end: 2, mark: "12c-2-1".into() });
    }

    #[test]
    fn a_mark_of_another_kind_of_remote_is_the_start() {
        for mark in ["", "00112233445566ff", "1-2", "1-2-x"] {
            let place = ReadPlace { end: 7, mark: mark.into() };
            assert_eq!(FilePlace::of(&place), FilePlace::default(), "{mark}");
        }
    }

    #[test]
    fn a_line_has_the_digest_of_its_sha_256() {
        assert_eq!(digest_of("abc"), 0xba78_16bf_8f01_cfea);
    }
}
