//! A routine that changes its input in place.

use super::{OutputBuffer, Routine, most_iterations};
use crate::measure::stopwatch::{Stopwatch, Timing};
use crate::measure::{Failure, bench_loop};

/// A routine that borrows a fresh input at each call. `setup` makes the inputs of a batch before the
/// timing, `teardown` receives them after it.
pub(crate) struct BorrowRoutine<I, T, S, F, D> {
    setup: S,
    routine: F,
    teardown: D,
    /// Most inputs that exist at a time.
    most: u64,
    inputs: Vec<I>,
    kept: OutputBuffer<T>,
}

impl<I, T, S, F, D> BorrowRoutine<I, T, S, F, D>
where
    S: FnMut() -> I,
    F: FnMut(&mut I) -> T,
    D: FnMut(I),
{
    pub(crate) fn new(setup: S, routine: F, teardown: D) -> Self {
        let most = most_iterations(size_of::<T>() + size_of::<I>());
        Self { setup, routine, teardown, most, inputs: Vec::new(), kept: OutputBuffer::new() }
    }

    /// Limits the number of inputs at a time.
    pub(crate) fn at_most(self, inputs: u64) -> Self {
        Self { most: self.most.min(inputs), ..self }
    }
}

impl<I, T, S, F, D> Routine for BorrowRoutine<I, T, S, F, D>
where
    S: FnMut() -> I,
    F: FnMut(&mut I) -> T,
    D: FnMut(I),
{
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        self.inputs.extend((0..iterations).map(|_| (self.setup)()));
        let slots = self.kept.slots(iterations);
        let work = || bench_loop::run_borrowing(&mut self.inputs, slots, &mut self.routine);
        let timing = stopwatch.time(work);
        let settled = self.kept.settle(iterations, &|_| None);
        self.inputs.drain(..).for_each(&mut self.teardown);
        settled.map(|()| timing)
    }

    fn most_iterations(&self) -> u64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockKind;

    #[test]
    fn every_input_is_changed_in_place_and_taken_back_after_its_batch() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let (mut made, mut back) = (0, Vec::new());
        let setup = || {
            made += 1;
            made
        };
        let mut borrowing =
            BorrowRoutine::new(setup, |input: &mut u32| *input *= 10, |input| back.push(input));
        borrowing.batch(3, &stopwatch).unwrap();
        borrowing.batch(2, &stopwatch).unwrap();
        drop(borrowing);
        assert_eq!(back, [10, 20, 30, 40, 50]);
    }

    #[test]
    fn no_more_inputs_exist_at_a_time_than_allowed() {
        let borrowing = BorrowRoutine::new(|| 1_u8, |input| *input, drop);
        assert!(borrowing.most_iterations() > 64);
        assert_eq!(borrowing.at_most(64).most_iterations(), 64);
        let large = BorrowRoutine::new(|| [0_u8; 1 << 20], |_| (), drop);
        assert!(large.at_most(64).most_iterations() < 64);
    }
}
