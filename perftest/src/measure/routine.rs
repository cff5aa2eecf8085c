//! The user's routine, which the meter runs one batch at a time.

#![allow(unsafe_code)] // Dropping the kept outputs; the block explains its safety.

mod borrow;
mod child;
mod command;
mod custom;
mod peak_memory;
mod stand_ins;

pub(crate) use borrow::BorrowRoutine;
#[cfg(unix)]
pub(crate) use child::kill_running;
pub(crate) use command::CommandRoutine;
pub(crate) use custom::CustomRoutine;
pub(crate) use stand_ins::StandIns;

use super::stopwatch::{Stopwatch, Timing};
use super::{Failure, bench_loop};
use perftest_core::model::{ProcessValue, StageTime};
use std::mem::MaybeUninit;
use std::path::PathBuf;

/// Inputs and outputs of one batch take at most this much on a thread, so that they stay near the processor. What they
/// own elsewhere, such as the memory of a vector, is unknown and not in it.
const KEPT_BYTES: usize = 4 << 20;

/// Something that can be measured in batches.
pub(crate) trait Routine {
    /// Runs `iterations` calls between two clock reads. Set-up comes before, drops and checks of
    /// outputs after.
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure>;

    /// Most iterations a batch may have for its inputs and outputs, without what they own elsewhere.
    fn most_iterations(&self) -> u64;

    /// Returns the times of the reached stages in the last batch.
    fn stages(&self) -> Vec<StageTime> {
        Vec::new()
    }

    /// Returns values that cover all batches so far.
    fn values(&self) -> Vec<ProcessValue> {
        Vec::new()
    }

    /// Returns the metrics that not all batches have, each with the reason.
    fn unmeasurable(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns the programs that it has started, as their commands name them.
    fn programs(&self) -> &[PathBuf] {
        &[]
    }

    /// Whether counts during a batch, such as allocations, belong to its iterations.
    fn counts_per_iteration(&self) -> bool {
        true
    }
}

/// A routine without input. `check` inspects each output after the timing.
pub(crate) struct LoopRoutine<T, F, C> {
    routine: F,
    check: C,
    kept: OutputBuffer<T>,
}

impl<T, F: FnMut() -> T, C: Fn(&T) -> Option<String>> LoopRoutine<T, F, C> {
    pub(crate) fn new(routine: F, check: C) -> Self {
        Self { routine, check, kept: OutputBuffer::new() }
    }
}

impl<T, F: FnMut() -> T, C: Fn(&T) -> Option<String>> Routine for LoopRoutine<T, F, C> {
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        let slots = self.kept.slots(iterations);
        let timing = stopwatch.time(|| bench_loop::keep(slots, &mut self.routine));
        self.kept.settle(iterations, &self.check)?;
        Ok(timing)
    }

    fn most_iterations(&self) -> u64 {
        most_iterations(size_of::<T>())
    }
}

/// A routine with a fresh input for each call, made by `setup` outside the timing. `check` inspects
/// each output after the timing.
pub(crate) struct SetupRoutine<I, T, S, F, C> {
    setup: S,
    routine: F,
    check: C,
    inputs: Vec<I>,
    kept: OutputBuffer<T>,
}

impl<I, T, S, F, C> SetupRoutine<I, T, S, F, C>
where
    S: FnMut() -> I,
    C: Fn(&T) -> Option<String>,
{
    pub(crate) fn new(setup: S, routine: F, check: C) -> Self {
        Self { setup, routine, check, inputs: Vec::new(), kept: OutputBuffer::new() }
    }

    /// [`Routine::batch`] of a routine with awaited outputs.
    pub(crate) async fn batch_awaiting(
        &mut self,
        iterations: u64,
        stopwatch: &Stopwatch,
    ) -> Result<Timing, Failure>
    where
        F: AsyncFnMut(I) -> T,
    {
        self.inputs.extend((0..iterations).map(|_| (self.setup)()));
        let slots = self.kept.slots(iterations);
        let inputs = self.inputs.drain(..);
        let work = bench_loop::consume_awaiting(inputs, slots, &mut self.routine);
        let timing = stopwatch.time_awaited(work).await;
        self.kept.settle(iterations, &self.check)?;
        Ok(timing)
    }

    /// [`Routine::most_iterations`], with and without awaited outputs.
    pub(crate) fn most_kept(&self) -> u64 {
        most_iterations(size_of::<T>() + size_of::<I>())
    }
}

impl<I, T, S, F, C> Routine for SetupRoutine<I, T, S, F, C>
where
    S: FnMut() -> I,
    F: FnMut(I) -> T,
    C: Fn(&T) -> Option<String>,
{
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        self.inputs.extend((0..iterations).map(|_| (self.setup)()));
        let slots = self.kept.slots(iterations);
        let inputs = self.inputs.drain(..);
        let work = || bench_loop::consume(inputs, slots, &mut self.routine);
        let timing = stopwatch.time(work);
        self.kept.settle(iterations, &self.check)?;
        Ok(timing)
    }

    fn most_iterations(&self) -> u64 {
        self.most_kept()
    }
}

fn most_iterations(bytes_each: usize) -> u64 {
    (KEPT_BYTES / bytes_each.max(1)).max(1) as u64
}

/// Room for the outputs of a batch, allocated before the first clock read.
struct OutputBuffer<T> {
    slots: Vec<MaybeUninit<T>>,
}

impl<T> OutputBuffer<T> {
    fn new() -> Self {
        Self { slots: Vec::new() }
    }

    fn slots(&mut self, iterations: u64) -> &mut [MaybeUninit<T>] {
        let wanted = iterations as usize;
        if self.slots.len() < wanted {
            self.slots.resize_with(wanted, MaybeUninit::uninit);
        }
        &mut self.slots[..wanted]
    }

    /// Checks and drops the outputs of a batch in which every one of the first `iterations`
    /// slots was written.
    fn settle(
        &mut self,
        iterations: u64,
        check: &impl Fn(&T) -> Option<String>,
    ) -> Result<(), Failure> {
        let mut failure = None;
        for slot in &mut self.slots[..iterations as usize] {
            // SAFETY: the loops of `bench_loop` write each slot they are given. A routine that
            // panics and a future that is dropped half-way never reach this call. So the slot holds
            // a value without another owner. It is read once and dropped here, and then counts as
            // unwritten. `every_output_is_dropped_exactly_once` would notice a slip.
            let output = unsafe { slot.assume_init_read() };
            failure = failure.or_else(|| check(&output));
        }
        failure.map_or(Ok(()), |error| Err(Failure::Returned(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockKind;
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::rc::Rc;

    struct DropCounter(Rc<Cell<u32>>);

    impl Drop for DropCounter {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    /// One without system calls that Miri lacks.
    fn stopwatch() -> Stopwatch {
        Stopwatch::calibrate(ClockKind::Monotonic).without_usage()
    }

    #[test]
    fn every_output_is_dropped_exactly_once() {
        let stopwatch = stopwatch();
        let drops = Rc::new(Cell::new(0));
        let mut looped = LoopRoutine::new(|| DropCounter(Rc::clone(&drops)), |_| None);
        looped.batch(7, &stopwatch).unwrap();
        looped.batch(3, &stopwatch).unwrap();
        assert_eq!(drops.get(), 10);
    }

    #[test]
    fn every_input_is_made_once_and_reaches_the_routine() {
        let stopwatch = stopwatch();
        let (mut made, mut seen) = (0, Vec::new());
        let setup = || {
            made += 1;
            made
        };
        let mut prepared = SetupRoutine::new(setup, |input: u32| seen.push(input), |()| None);
        prepared.batch(3, &stopwatch).unwrap();
        prepared.batch(2, &stopwatch).unwrap();
        drop(prepared);
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn an_error_among_the_outputs_fails_the_batch_and_is_quoted() {
        let stopwatch = stopwatch();
        let mut calls = 0;
        let routine = || {
            calls += 1;
            if calls == 2 { Err("disk on fire") } else { Ok(()) }
        };
        let check = |output: &Result<(), &str>| output.as_ref().err().map(ToString::to_string);
        let failed = LoopRoutine::new(routine, check).batch(3, &stopwatch);
        assert_eq!(failed, Err(Failure::Returned("disk on fire".into())));
        let check = |output: &Result<Infallible, ()>| output.err().map(|()| "no bytes".into());
        let failed = LoopRoutine::new(|| Err(()), check).batch(3, &stopwatch);
        assert_eq!(failed, Err(Failure::Returned("no bytes".into())), "an error without size");
        let check = |output: &Result<(), &str>| output.as_ref().err().map(ToString::to_string);
        let routine = |input| if input { Err("disk on fire") } else { Ok(()) };
        let failed = SetupRoutine::new(|| true, routine, check).batch(3, &stopwatch);
        assert_eq!(failed, Err(Failure::Returned("disk on fire".into())));
    }

    #[test]
    fn a_routine_that_panics_leaves_nothing_half_dropped() {
        let stopwatch = stopwatch();
        let drops = Rc::new(Cell::new(0));
        let mut calls = 0;
        let mut looped = LoopRoutine::new(
            || {
                calls += 1;
                assert!(calls != 3, "third call");
                DropCounter(Rc::clone(&drops))
            },
            |_| None,
        );
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = looped.batch(5, &stopwatch);
        }));
        assert!(unwound.is_err());
        drop(looped);
        // The two outputs of the broken batch leak; a drop of unwritten slots would be far worse.
        assert_eq!(drops.get(), 0);
    }
}
