//! Functions whose length is known within a factor of two, whatever the processor: what a harness
//! reads of them is the function, or the harness.
//!
//! A processor works on several calls at once, as far as they do not wait for each other. Here each
//! call waits for the one before, except those of [`independent`].

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Nothing.
#[inline]
pub fn empty() {}

/// Few instructions, of which several calls overlap: below 1 ns.
#[inline]
pub fn independent() -> u64 {
    rounds(black_box(1), 1)
}

/// About 1 ns.
#[inline]
pub fn about_1_ns() -> u64 {
    chained(1)
}

/// About 50 ns.
#[inline]
pub fn about_50_ns() -> u64 {
    chained(45)
}

/// About 1 us.
#[inline]
pub fn about_1_us() -> u64 {
    chained(920)
}

/// So many rounds on the word that the call before left.
#[inline]
fn chained(count: u32) -> u64 {
    static WORD: AtomicU64 = AtomicU64::new(1);
    let word = rounds(WORD.load(Relaxed), count);
    WORD.store(word, Relaxed);
    word
}

/// Multiplications and rotations, each of which waits for the one before: some 1.1 ns each.
#[inline]
fn rounds(word: u64, count: u32) -> u64 {
    (0..count).fold(word, |word, _| word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
}
