//! The counter of instructions for both sides.

use super::{Measurer, SideTest};
use crate::exit::{CommandError, Result};
use perftest_core::judge::ComparisonResult;
use perftest_core::model::{InstructionCounter, Instructions, Reason};
use perftest_machine::{Countable, Counter};
use perftest_process::valgrind_version;
use std::time::Duration;

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

    /// Returns whether to count after a comparison that took the time `spent` of the budget. The processor's counts are
    /// not requested: of a test that is not slower they must fit into what is left. Both sides together need three
    /// processes each, which do less than those of three pairs.
    pub(super) fn suits(
        self,
        compared: &ComparisonResult,
        spent: Duration,
        budget: Duration,
    ) -> bool {
        let is_requested = self.counter == Some(InstructionCounter::Valgrind);
        let of_three_pairs = 3 * spent / compared.pairs.max(1);
        is_requested || compared.reason == Reason::Red || spent + of_three_pairs <= budget
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::TestComparison;

    #[test]
    fn a_long_test_that_is_not_slower_is_not_counted_beyond_its_budget() {
        let suits = |counter, reason, seconds| {
            let of_five_pairs = TestComparison::of_measured("t", reason, 1.0);
            let spent = Duration::from_secs(seconds);
            let compared = of_five_pairs.measured().unwrap();
            Counting { counter: Some(counter) }.suits(compared, spent, Duration::from_secs(30))
        };
        let processor = InstructionCounter::Processor;
        assert!(suits(processor, Reason::Green, 2) && suits(processor, Reason::Red, 90));
        assert!(!suits(processor, Reason::Green, 20) && !suits(processor, Reason::Unclear, 30));
        assert!(suits(InstructionCounter::Valgrind, Reason::Green, 90));
    }
}
