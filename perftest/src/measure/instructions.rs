//! What the processor counts while a batch runs.

use super::{Failure, Routine, Stopwatch};
use perftest_machine::{Countable, Counter};

/// Runs a batch and gives the instructions of this thread in user space; `None` where the processor
/// counts none for us. The set-up of the inputs and the drops of the outputs are counted too.
///
/// # Errors
/// The failure of the routine.
pub(crate) fn count_instructions(
    routine: &mut dyn Routine,
    iterations: u64,
    stopwatch: &Stopwatch,
) -> Result<Option<u64>, Failure> {
    let counter = Counter::of_this_thread(Countable::Instructions).ok();
    let stand = || counter.as_ref().and_then(|counter| counter.read().ok());
    let before = stand();
    routine.batch(iterations, stopwatch)?;
    Ok(stand().zip(before).map(|(after, before)| after - before))
}

#[cfg(test)]
mod tests {
    use super::super::Looped;
    use super::*;
    use std::hint::black_box;

    #[test]
    fn as_many_iterations_run_as_are_to_be_counted() {
        let stopwatch = Stopwatch::uncalibrated();
        let mut calls = 0_u64;
        let mut routine = Looped::new(
            || {
                calls += 1;
                black_box(calls)
            },
            |_| None,
        );
        let counted = count_instructions(&mut routine, 1_000, &stopwatch).unwrap();
        // Where the processor counts, an iteration takes one instruction at least.
        assert!(counted.is_none_or(|instructions| instructions >= 1_000), "{counted:?}");
        drop(routine);
        assert_eq!(calls, 1_000);
    }
}
