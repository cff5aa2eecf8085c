//! The measured loops. Everything here runs between two clock reads.
//!
//! The synchronous loops are never inlined: each clock has its own reads round a batch, and a loop
//! in two copies would call the routine from two places. The compiler would then hardly inline the
//! routine, and a call takes most of a nanosecond.
//!
//! Each call stands alone: the compiler does not work on several at once, as a vector of inputs. A `black_box` in each
//! round prevents that, and one of `()` is no instruction.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// Calls `routine` once for each slot and keeps the output there, to be checked and dropped later.
#[inline(never)]
pub(super) fn keep<T>(slots: &mut [MaybeUninit<T>], routine: &mut impl FnMut() -> T) {
    for slot in black_box(slots) {
        slot.write(routine());
        black_box(());
    }
}

/// Passes each input by reference to `routine` and keeps the output, to be dropped later.
#[inline(never)]
pub(super) fn run_borrowing<I, T>(
    inputs: &mut [I],
    slots: &mut [MaybeUninit<T>],
    routine: &mut impl FnMut(&mut I) -> T,
) {
    for (slot, input) in black_box(slots).iter_mut().zip(black_box(inputs)) {
        slot.write(routine(input));
        black_box(());
    }
}

/// Passes each input to `routine`, awaits the output before the next input, and keeps the output,
/// to be dropped later.
#[inline]
pub(super) async fn consume_awaiting<I, T>(
    inputs: std::vec::Drain<'_, I>,
    slots: &mut [MaybeUninit<T>],
    routine: &mut impl AsyncFnMut(I) -> T,
) {
    for (slot, input) in black_box(slots).iter_mut().zip(inputs) {
        slot.write(routine(black_box(input)).await);
    }
}

/// Passes each input to `routine` and keeps the output, to be dropped later.
#[inline(never)]
pub(super) fn consume<I, T>(
    inputs: std::vec::Drain<'_, I>,
    slots: &mut [MaybeUninit<T>],
    routine: &mut impl FnMut(I) -> T,
) {
    for (slot, input) in black_box(slots).iter_mut().zip(inputs) {
        slot.write(routine(black_box(input)));
    }
}
