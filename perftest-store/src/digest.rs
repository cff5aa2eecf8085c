//! The hash behind file names and identities.

use perftest_core::list::IntoList;
use perftest_core::model::{Baseline, RunId};
use perftest_core::order::sort;
use std::fmt;
use std::io::{self, Read};

/// A 64-bit identity of bytes: FNV-1a.
///
/// It distinguishes data that differs by accident. It does not protect against deliberate
/// collisions.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm".
///
/// ```
/// use perftest_store::Digest;
/// assert_eq!(Digest::of(b"foobar").hex16(), "85944171f73967e8");
/// assert_ne!(Digest::of_fields(["ab", "c"]), Digest::of_fields(["a", "bc"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(u64);

impl Digest {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    /// 2^64 over the golden ratio, odd: its bits follow no pattern.
    const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15;

    /// Returns the digest of no bytes, the start of a stream.
    pub fn new() -> Self {
        Self(Self::OFFSET)
    }

    /// Returns the digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        digest.update(bytes);
        digest
    }

    /// Returns the digest of several texts, which also depends on their borders.
    pub fn of_fields<'a>(fields: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digest = Self::new();
        for field in fields {
            digest.update(field.as_bytes());
            // 0xff never occurs in UTF-8.
            digest.update(&[0xff]);
        }
        digest
    }

    /// Returns the digest of the names of a baseline's runs, in whatever order they are.
    pub fn of_baseline(baseline: &Baseline) -> Self {
        let ids = baseline.runs.iter().map(|run| &run.id);
        let mut ids: Vec<&str> = ids.map(RunId::as_str).into_list();
        sort(&mut ids);
        Self::of_fields(ids)
    }

    /// Returns the digest of a large block such as an executable, eight bytes at a time. It is
    /// several times faster than [`of`](Self::of), and has a different value.
    ///
    /// FNV's step alone would lose changes of a word's high bits. This step multiplies state and
    /// word in 128 bits and folds the high half onto the low one.
    pub fn of_large_block(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        let rest = digest.take_words(bytes);
        digest.end_large_block(rest, bytes.len() as u64)
    }

    /// Returns [`of_large_block`](Self::of_large_block) of all bytes of `source`, without holding
    /// them all in memory.
    ///
    /// # Errors
    /// Those of `source`.
    pub fn of_large_source(source: &mut dyn Read) -> io::Result<Self> {
        // Small enough to stay in a cache of the processor.
        let mut buffer = vec![0; 256 * 1024];
        let (mut digest, mut length) = (Self::new(), 0);
        loop {
            let filled = fill(source, &mut buffer)?;
            length += filled as u64;
            // A full buffer has only whole words.
            let rest = digest.take_words(&buffer[..filled]);
            if filled < buffer.len() {
                return Ok(digest.end_large_block(rest, length));
            }
        }
    }

    /// Adds all whole words, and returns the remaining bytes.
    fn take_words<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let product = u128::from(self.0 ^ u64::from_le_bytes(*word)) * Self::SPREAD;
            self.0 = (product >> 64) as u64 ^ product as u64;
        }
        rest
    }

    fn end_large_block(mut self, rest: &[u8], length: u64) -> Self {
        self.update(rest);
        self.update(&length.to_le_bytes());
        self
    }

    /// Adds further bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(Self::PRIME);
        }
    }

    /// 16 lower-case hex digits.
    pub fn hex16(self) -> String {
        format!("{:016x}", self.0)
    }

    /// Returns whether these are the digits of [`hex16`](Self::hex16).
    pub(crate) fn is_written(self, digits: &[u8]) -> bool {
        let digit = |place: usize| b"0123456789abcdef"[(self.0 >> (60 - 4 * place)) as usize & 15];
        digits.len() == 16 && digits.iter().enumerate().all(|(place, it)| *it == digit(place))
    }

    /// Returns whether a text has the form of [`hex16`](Self::hex16).
    pub fn is_hex16(text: &str) -> bool {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == 16 && text.bytes().all(is_digit)
    }

    /// 8 lower-case hex digits: both halves folded together, for names.
    pub fn hex8(self) -> String {
        format!("{:08x}", (self.0 >> 32) ^ (self.0 & 0xffff_ffff))
    }
}

/// Reads until the buffer is full or the source ends; returns the number of bytes.
fn fill(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:016x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_published_vectors_hold() {
        assert_eq!(Digest::of(b"").hex16(), "cbf29ce484222325");
        assert_eq!(Digest::of(b"a").hex16(), "af63dc4c8601ec8c");
    }

    #[test]
    fn only_its_own_digits_are_those_of_a_digest() {
        let digest = Digest::of(b"foobar");
        assert!(digest.is_written(digest.hex16().as_bytes()));
        for other in
            ["", "85944171f73967e", "85944171F73967E8", "85944171f73967e80", "05944171f73967e8"]
        {
            assert!(!digest.is_written(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_stream_equals_its_whole() {
        let mut stream = Digest::new();
        stream.update(b"foo");
        stream.update(b"bar");
        assert_eq!(stream, Digest::of(b"foobar"));
    }

    #[test]
    fn every_single_and_double_bit_flip_of_a_large_block_changes_its_digest() {
        let block = [0x5a_u8; 32];
        let mut seen = HashSet::from([Digest::of_large_block(&block)]);
        let flip = |block: &mut [u8; 32], bit: usize| block[bit / 8] ^= 1 << (bit % 8);
        for first in 0..256 {
            for second in first..256 {
                let mut changed = block;
                flip(&mut changed, first);
                if second > first {
                    flip(&mut changed, second);
                }
                assert!(seen.insert(Digest::of_large_block(&changed)), "{first} {second}");
            }
        }
    }

    #[test]
    fn a_source_has_the_digest_of_its_bytes_in_one_block_whatever_its_length() {
        const PIECE: usize = 256 * 1024;
        let bytes: Vec<u8> = (0..2 * PIECE + 9).map(|n| ((n * n) >> 3) as u8).collect();
        for length in [0, 1, 7, 8, 9, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, bytes.len()] {
            let mut block = &bytes[..length];
            let of_source = Digest::of_large_source(&mut block).unwrap();
            assert_eq!(of_source, Digest::of_large_block(&bytes[..length]), "{length}");
        }
    }

    #[test]
    fn a_large_block_and_its_extension_by_zeroes_differ() {
        assert_ne!(Digest::of_large_block(&[0; 16]), Digest::of_large_block(&[0; 24]));
        assert_ne!(Digest::of_large_block(&[0; 16]), Digest::of_large_block(&[0; 17]));
    }
}
