//! Functions whose length is known within a factor of two, whatever the processor: what a harness
//! reads of them is the function, or the harness.

use std::hint::black_box;

/// Nothing.
#[inline]
pub fn empty() {}

/// About 1 ns.
#[inline]
pub fn about_1_ns() -> u64 {
    rounds(1)
}

/// About 50 ns.
#[inline]
pub fn about_50_ns() -> u64 {
    rounds(48)
}

/// About 1 us.
#[inline]
pub fn about_1_us() -> u64 {
    rounds(1_000)
}

/// So many multiplications and rotations, each of which waits for the one before.
#[inline(always)]
fn rounds(count: u32) -> u64 {
    (0..count).fold(black_box(1), |word: u64, _| {
        word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    })
}
