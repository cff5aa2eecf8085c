//! Instructions counted in two executables.

/// Who counted the instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InstructionCounter {
    /// The processor's own counter.
    #[default]
    Processor,
    /// valgrind, which executes the program itself.
    Valgrind,
}

impl InstructionCounter {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Processor, Self::Valgrind];

    /// The name in records and reports: `processor` or `valgrind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Valgrind => "valgrind",
        }
    }

    /// The counter of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|counter| counter.name() == name)
    }
}

/// How many instructions an executable and the one before it take for the same work: a second
/// measure beside time. It decides no verdict.
///
/// What is counted is an iteration with the making of its input and the drop of its output, in
/// user space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instructions {
    /// Per iteration, of the executable that is compared with.
    pub before: f64,
    /// Per iteration, of the executable that is judged.
    pub now: f64,
    /// Who counted.
    pub counter: InstructionCounter,
    /// How far two counts of the same executable lay apart, as a share of the smaller one: the
    /// larger share of both executables. 0 where they agreed.
    pub variation: f64,
}

impl Instructions {
    /// Counts that lie further apart, as a share, do not repeat themselves.
    pub const REPEATABLE: f64 = 0.001;

    /// From two counts of each executable, per iteration.
    pub fn of(before: [f64; 2], now: [f64; 2], counter: InstructionCounter) -> Self {
        let mean = |[first, second]: [f64; 2]| first.midpoint(second);
        Self {
            before: mean(before),
            now: mean(now),
            counter,
            variation: variation(before).max(variation(now)),
        }
    }

    /// How many times as many it takes now.
    pub fn ratio(&self) -> f64 {
        self.now / self.before
    }

    /// Whether the counts of one executable are the same each time, but for a thousandth.
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
    fn two_counts_of_one_executable_say_whether_they_repeat() {
        let of = |before, now| Instructions::of(before, now, InstructionCounter::Valgrind);
        let exact = of([1204.0, 1204.0], [1505.0, 1505.0]);
        assert_eq!((exact.variation, exact.ratio()), (0.0, 1.25));
        let close = of([1204.0, 1204.0], [1000.0, 1001.0]);
        assert!(close.are_repeatable() && close.now == 1000.5, "{close:?}");
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
