//! Functions over published crates on real input. Each gives a body that is ready to be timed: its
//! input is prepared, and what the body returns is a number, so that it frees all that it allocates.

use indexmap::IndexMap;
use memchr::memmem;
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
        $run!(
            lines, stops, words, hex_encode, hex_decode, base64_encode, base64_decode, map_build,
            map_look_up, map_numbers, deflate, inflate, width, integers, floats, json_parse,
            json_write, index_build, small_vectors
        );
    };
}

fn block() -> &'static [u8] {
    &ALICE.as_bytes()[..BLOCK]
}

fn some_words() -> Vec<&'static str> {
    ALICE.split_whitespace().take(4_000).collect()
}

/// Numbers of one to twenty digits.
fn numbers() -> Vec<u64> {
    let spread = |(i, word): (u64, &str)| {
        let mixed = (i + word.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed >> (mixed % 60)
    };
    (0..).zip(some_words()).take(2_000).map(spread).collect()
}

fn fractions() -> Vec<f64> {
    numbers().iter().map(|&number| number as f64 / 1_024.7).collect()
}

/// Lines of a text, counted by `memchr`.
pub fn lines() -> impl FnMut() -> usize {
    || memchr::memchr_iter(b'\n', ALICE.as_bytes()).count()
}

/// Ends of sentences, found one after the other by `memchr`.
pub fn stops() -> impl FnMut() -> usize {
    || memchr::memchr3_iter(b'.', b'!', b'?', ALICE.as_bytes()).fold(0, |sum, place| sum ^ place)
}

/// A name in a text, found by `memchr`.
pub fn words() -> impl FnMut() -> usize {
    let name = memmem::Finder::new("Rabbit");
    move || name.find_iter(ALICE.as_bytes()).fold(0, |sum, place| sum ^ place)
}

/// Bytes written in hexadecimal by `hex`.
pub fn hex_encode() -> impl FnMut() -> usize {
    || hex::encode(block()).len()
}

/// Bytes read from hexadecimal by `hex`.
pub fn hex_decode() -> impl FnMut() -> usize {
    let encoded = hex::encode(block());
    move || hex::decode(&encoded).expect("it was encoded").len()
}

/// Bytes written by `base64`.
#[allow(deprecated)] // The one function that all versions have.
pub fn base64_encode() -> impl FnMut() -> usize {
    || base64::encode(block()).len()
}

/// Bytes read by `base64`.
#[allow(deprecated)]
pub fn base64_decode() -> impl FnMut() -> usize {
    let encoded = base64::encode(block());
    move || base64::decode(&encoded).expect("it was encoded").len()
}

fn counted<'a>(words: &[&'a str]) -> hashbrown::HashMap<&'a str, u32> {
    let mut counts = hashbrown::HashMap::new();
    for word in words {
        *counts.entry(*word).or_insert(0) += 1;
    }
    counts
}

/// Words counted in a map of `hashbrown`.
pub fn map_build() -> impl FnMut() -> usize {
    let words = some_words();
    move || counted(&words).len()
}

/// Words looked up in a map of `hashbrown`.
pub fn map_look_up() -> impl FnMut() -> usize {
    let words = some_words();
    let counts = counted(&words[..2_000]);
    move || words.iter().filter(|word| counts.contains_key(**word)).count()
}

/// Numbers put into a set of `hashbrown`.
pub fn map_numbers() -> impl FnMut() -> usize {
    let numbers = numbers();
    move || numbers.iter().copied().collect::<hashbrown::HashSet<u64>>().len()
}

/// A block compressed by `miniz_oxide`.
pub fn deflate() -> impl FnMut() -> usize {
    || miniz_oxide::deflate::compress_to_vec(block(), 6).len()
}

/// A block decompressed by `miniz_oxide`.
pub fn inflate() -> impl FnMut() -> usize {
    let compressed = miniz_oxide::deflate::compress_to_vec(ALICE.as_bytes(), 6);
    move || {
        let text = miniz_oxide::inflate::decompress_to_vec(&compressed);
        text.ok().expect("it was compressed").len()
    }
}

/// Columns that a text of several scripts needs, by `unicode-width`.
pub fn width() -> impl FnMut() -> usize {
    let text = ALICE[..4 * BLOCK].replace("Alice", "アリス").replace("e ", "é ");
    move || text.lines().map(UnicodeWidthStr::width).sum()
}

/// Integers written by `itoa`.
pub fn integers() -> impl FnMut() -> usize {
    let numbers = numbers();
    move || numbers.iter().map(|&number| itoa::Buffer::new().format(number).len()).sum()
}

/// Fractions written by `ryu`.
pub fn floats() -> impl FnMut() -> usize {
    let fractions = fractions();
    move || fractions.iter().map(|&fraction| ryu::Buffer::new().format(fraction).len()).sum()
}

/// A catalogue read by `serde_json`.
pub fn json_parse() -> impl FnMut() -> usize {
    || {
        let catalogue: Value = serde_json::from_str(MEDIA_TYPES).expect("it is JSON");
        catalogue.as_object().map_or(0, |entries| entries.len())
    }
}

/// Numbers written by `serde_json`.
pub fn json_write() -> impl FnMut() -> usize {
    let both = (numbers(), fractions());
    move || serde_json::to_string(&both).expect("they are numbers").len()
}

/// Words counted in the order of a text, by `indexmap`.
pub fn index_build() -> impl FnMut() -> usize {
    let words = some_words();
    move || {
        let mut counts = IndexMap::new();
        for word in &words {
            *counts.entry(*word).or_insert(0) += 1;
        }
        counts.values().filter(|&&count| count == 1).count()
    }
}

/// Words copied into vectors of `smallvec`, letter by letter.
pub fn small_vectors() -> impl FnMut() -> usize {
    let words = some_words();
    move || {
        let copy = |word: &&str| {
            let mut letters = SmallVec::<[u8; 8]>::new();
            word.bytes().for_each(|letter| letters.push(letter));
            letters.iter().fold(0, |sum, letter| sum ^ usize::from(*letter))
        };
        words.iter().map(copy).sum()
    }
}
