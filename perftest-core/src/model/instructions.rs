//! Instructions counted in two executables.

use crate::named;

named! {
    /// The counter of the instructions.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum InstructionCounter {
        /// The processor's own counter.
        #[default]
        Processor = "processor",
        /// valgrind, which executes the program itself.
        Valgrind = "valgrind",
    }
}

/// The instructions of two executables for the same work: a second measure beside time. It decides
/// no verdict.
///
/// The count covers an iteration with the making of its input and the drop of its output, in user
/// space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instructions {
    /// Per iteration, in the executable to compare with.
    pub before: f64,
    /// Per iteration, in the executable under test.
    pub now: f64,
    /// The counter.
    pub counter: InstructionCounter,
    /// The difference of two counts of the same executable, as a share of the smaller one: the
    /// larger share of both executables. 0 if they agreed.
    pub variation: f64,
}

impl Instructions {
    /// Counts that differ by more than this share do not repeat. A convention.
    pub const REPEATABLE: f64 = 0.001;

    /// Creates the result from two counts of each executable, per iteration.
    pub fn of(before: [f64; 2], now: [f64; 2], counter: InstructionCounter) -> Self {
        let mean = |[first, second]: [f64; 2]| first.midpoint(second);
        Self {
            before: mean(before),
            now: mean(now),
            counter,
            variation: variation(before).max(variation(now)),
        }
    }

    /// The ratio of the present count to the earlier one.
    pub fn ratio(&self) -> f64 {
        self.now / self.before
    }

    /// Returns whether both executables execute as many, to a thousandth.
    pub fn are_equal(&self) -> bool {
        self.are_repeatable() && (self.ratio() - 1.0).abs() <= Self::REPEATABLE
    }

    /// Returns whether the counts of one executable agree to a thousandth.
    pub fn are_repeatable(&self) -> bool {
        self.variation <= Self::REPEATABLE
    }
}

fn variation([first, second]: [f64; 2]) -> f64 {
    if first == second { 0.0 } else { (first - second).abs() / first.min(second) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_counts_of_one_executable_show_whether_they_repeat() {
        let of = |before, now| Instructions::of(before, now, InstructionCounter::Valgrind);
        let exact = of([1204.0, 1204.0], [1505.0, 1505.0]);
        assert_eq!((exact.variation, exact.ratio()), (0.0, 1.25));
        let close = of([1204.0, 1204.0], [1000.0, 1001.0]);
        assert!(close.are_repeatable() && close.now == 1000.5, "{close:?}");
        assert!(of([1204.0, 1204.0], [1204.0, 1205.0]).are_equal() && !exact.are_equal());
        let random = of([1204.0, 1230.0], [1000.0, 1000.0]);
        assert!(!random.are_repeatable(), "{random:?}");
    }

    #[test]
    fn names_read_back() {
        for counter in InstructionCounter::ALL {
            assert_eq!(InstructionCounter::from_name(counter.name()), Some(counter));
        }
        assert_eq!(InstructionCounter::from_name("abacus"), None);
    }
}
