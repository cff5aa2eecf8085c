//! Functions over published crates on real input. Each gives a body that is ready to be timed: its
//! input is prepared, and what the body returns is a number, so that it frees all that it allocates.

use hashbrown::{HashMap, HashSet};
use indexmap::IndexMap;
use memchr::memmem;
use miniz_oxide::deflate::compress_to_vec;
use serde_json::Value;
use smallvec::SmallVec;
use unicode_width::UnicodeWidthStr;

const ALICE: &str = include_str!("../data/alice29.txt");
const MEDIA_TYPES: &str = include_str!("../data/mime_db.json");

/// What a body hands to the next step of a program, in bytes.
const BLOCK: usize = 8 * 1024;

/// The tests by name: what `run` is given is a body.
#[macro_export]
macro_rules! each_body {
    ($run:ident) => {
        $run! {
            lines, stops, words, hex_encode, hex_decode, base64_encode, base64_decode, map_build,
            map_look_up, map_numbers, deflate, inflate, width, integers, floats, json_parse,
            json_write, index_build, small_vectors
        }
    };
}

/// A copy of the text in memory of its own: pages of the executable itself lie at the same places in
/// the caches in each process of a build, so that one build would always be slower.
fn text() -> &'static str {
    ALICE.to_owned().leak()
}

fn block() -> &'static [u8] {
    &text().as_bytes()[..BLOCK]
}

fn some_words() -> Vec<&'static str> {
    text().split_whitespace().take(4_000).collect()
}

/// Numbers of one to twenty digits.
fn numbers(count: u64) -> Vec<u64> {
    let spread = |i: u64| {
        let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed >> (mixed % 60)
    };
    (0..count).map(spread).collect()
}

fn fractions(count: u64) -> Vec<f64> {
    numbers(count).iter().map(|&number| number as f64 / 1_024.7).collect()
}

fn counted<'a>(words: &[&'a str]) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(*word).or_insert(0) += 1;
    }
    counts
}

/// Text of several scripts.
fn scripts() -> String {
    text()[..4 * BLOCK].replace("Alice", "アリス").replace("e ", "é ")
}

/// Functions that prepare their input and give a body that borrows it. The work is compiled once,
/// in this crate, so that the test and the plain program time the same machine code.
macro_rules! bodies {
    ($($(#[$attribute:meta])* fn $name:ident($input:ident: $type:ty = $prepared:expr) $work:block)+) => {$(
        $(#[$attribute])*
        pub fn $name() -> impl FnMut() -> usize {
            #[inline(never)]
            fn work($input: &$type) -> usize $work
            let prepared: $type = $prepared;
            move || work(&prepared)
        }
    )+};
}

bodies! {
    /// Lines of a text, counted by `memchr`.
    fn lines(text: &[u8] = text().as_bytes()) {
        memchr::memchr_iter(b'\n', text).count()
    }

    /// Ends of sentences, found one after the other by `memchr`.
    fn stops(text: &[u8] = text().as_bytes()) {
        memchr::memchr3_iter(b'.', b'!', b'?', text).fold(0, |sum, place| sum ^ place)
    }

    /// A name in a text, found by `memchr`.
    fn words(both: (memmem::Finder<'static>, &[u8]) = {
        (memmem::Finder::new("Rabbit"), text().as_bytes())
    }) {
        let (name, text) = both;
        name.find_iter(text).fold(0, |sum, place| sum ^ place)
    }

    /// Bytes written in hexadecimal by `hex`.
    fn hex_encode(bytes: &[u8] = block()) {
        hex::encode(bytes).len()
    }

    /// Bytes read from hexadecimal by `hex`.
    fn hex_decode(encoded: String = hex::encode(block())) {
        hex::decode(encoded).expect("it was encoded").len()
    }

    /// Bytes written by `base64`.
    #[allow(deprecated)] // The one function that all versions have.
    fn base64_encode(bytes: &[u8] = block()) {
        base64::encode(bytes).len()
    }

    /// Bytes read by `base64`.
    #[allow(deprecated)]
    fn base64_decode(encoded: String = base64::encode(block())) {
        base64::decode(encoded).expect("it was encoded").len()
    }

    /// Words counted in a map of `hashbrown`.
    fn map_build(words: Vec<&'static str> = some_words()) {
        counted(words).len()
    }

    /// Words looked up in a map of `hashbrown` that has half of them.
    fn map_look_up(both: (HashMap<&'static str, u32>, Vec<&'static str>) = {
        let words = some_words();
        (counted(&words[..2_000]), words)
    }) {
        let (counts, words) = both;
        words.iter().filter(|word| counts.contains_key(**word)).count()
    }

    /// Numbers put into a set of `hashbrown`.
    fn map_numbers(numbers: Vec<u64> = numbers(2_000)) {
        numbers.iter().copied().collect::<HashSet<u64>>().len()
    }

    /// A block compressed by `miniz_oxide`.
    fn deflate(bytes: &[u8] = block()) {
        compress_to_vec(bytes, 6).len()
    }

    /// A text decompressed by `miniz_oxide`.
    fn inflate(compressed: Vec<u8> = compress_to_vec(text().as_bytes(), 6)) {
        miniz_oxide::inflate::decompress_to_vec(compressed).ok().expect("it was compressed").len()
    }

    /// Columns that a text needs, by `unicode-width`.
    fn width(text: String = scripts()) {
        text.lines().map(UnicodeWidthStr::width).sum()
    }

    /// Integers written by `itoa`: too many for the processor to foresee their lengths.
    fn integers(numbers: Vec<u64> = numbers(50_000)) {
        numbers.iter().map(|&number| itoa::Buffer::new().format(number).len()).sum()
    }

    /// Fractions written by `ryu`.
    fn floats(fractions: Vec<f64> = fractions(2_000)) {
        fractions.iter().map(|&fraction| ryu::Buffer::new().format(fraction).len()).sum()
    }

    /// A catalogue read by `serde_json`.
    fn json_parse(catalogue: &str = MEDIA_TYPES.to_owned().leak()) {
        let catalogue: Value = serde_json::from_str(catalogue).expect("it is JSON");
        catalogue.as_object().map_or(0, |entries| entries.len())
    }

    /// Numbers written by `serde_json`.
    fn json_write(both: (Vec<u64>, Vec<f64>) = (numbers(2_000), fractions(2_000))) {
        serde_json::to_string(both).expect("they are numbers").len()
    }

    /// Words counted in the order of a text, by `indexmap`.
    fn index_build(words: Vec<&'static str> = some_words()) {
        let mut counts = IndexMap::new();
        for word in words {
            *counts.entry(*word).or_insert(0) += 1;
        }
        counts.values().filter(|&&count| count == 1).count()
    }

    /// Words copied into vectors of `smallvec`, letter by letter.
    fn small_vectors(words: Vec<&'static str> = some_words()) {
        let copy = |word: &&str| {
            let mut letters = SmallVec::<[u8; 8]>::new();
            word.bytes().for_each(|letter| letters.push(letter));
            letters.iter().fold(0, |sum, letter| sum ^ usize::from(*letter))
        };
        words.iter().map(copy).sum()
    }
}
