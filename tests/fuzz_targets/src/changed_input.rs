//! Cheap changes of a kept input: no fuzzer, but the same every time.

use perftest_core::stats::Random;

/// What numbers, lines and texts are often wrong by.
const PIECES: [&[u8]; 16] = [
    b"\n",
    b"\r\n",
    b"\"",
    b"\\u0000",
    b"\0",
    b"\xff",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"18446744073709551616",
    b"9007199254740993",
    b"{",
    b"[[",
    b",",
    "\u{202e}ß".as_bytes(),
];

/// Changes of an input, one after the other.
pub struct ChangedInput<'a> {
    original: &'a [u8],
    random: Random,
}

impl<'a> ChangedInput<'a> {
    /// The changes of this input that follow from the seed.
    pub fn new(original: &'a [u8], seed: u64) -> Self {
        Self { original, random: Random::new(seed) }
    }
}

impl Iterator for ChangedInput<'_> {
    type Item = Vec<u8>;

    /// One to four places are changed.
    fn next(&mut self) -> Option<Vec<u8>> {
        let mut data = self.original.to_vec();
        for _ in 0..=self.random.below(4) {
            let place = self.random.below(data.len() + 1);
            let rest = data.len() - place;
            let length = self.random.below(rest.min(40) + 1);
            match self.random.below(6) {
                0 if rest > 0 => data[place] ^= 1 << self.random.below(8),
                1 => data.truncate(place),
                2 => drop(data.drain(place..place + length)),
                3 => {
                    let copied = data[place..place + length].to_vec();
                    let target = self.random.below(data.len() + 1);
                    data.splice(target..target, copied);
                }
                4 => {
                    let piece = PIECES[self.random.below(PIECES.len())];
                    data.splice(place..place + length, piece.iter().copied());
                }
                _ => {
                    let piece = PIECES[self.random.below(PIECES.len())];
                    data.splice(place..place, piece.iter().copied());
                }
            }
        }
        Some(data)
    }
}
