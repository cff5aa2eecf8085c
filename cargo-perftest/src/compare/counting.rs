//! The counter of instructions for both sides.

use super::{Measurer, SideTest};
use crate::exit::{CommandError, Result};
use perftest_core::model::{InstructionCounter, Instructions};
use perftest_machine::{Countable, Counter};
use perftest_process::valgrind_version;

/// The available counter, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counting {
    counter: Option<InstructionCounter>,
}

impl Counting {
    /// Counts with the processor, if it can count.
    pub(crate) fn by_processor() -> Self {
        let can_count = Counter::of_this_thread(Countable::Instructions).is_ok();
        Self { counter: can_count.then_some(InstructionCounter::Processor) }
    }

    /// Counts with valgrind.
    ///
    /// # Errors
    /// When valgrind cannot run.
    pub(crate) fn by_valgrind() -> Result<Self> {
        let found = valgrind_version().map_err(|why| format!("--instructions: {why}"));
        found
            .map(|_| Self { counter: Some(InstructionCounter::Valgrind) })
            .map_err(CommandError::Usage)
    }

    /// Returns the instructions of one iteration on both sides; `None` if they are not counted.
    pub(crate) fn count(
        self,
        measurer: &Measurer,
        base: &SideTest,
        head: &SideTest,
    ) -> Option<Result<Instructions, String>> {
        let counter = self.counter?;
        let counted = measurer.count(base, head, counter);
        // The processor's counts were not requested, so missing ones are not reported.
        let is_missed = counter == InstructionCounter::Valgrind;
        Some(counted).filter(|counted| counted.is_ok() || is_missed)
    }
}
