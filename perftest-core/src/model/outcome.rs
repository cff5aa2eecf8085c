//! The verdict, its reason, and the outcome for the test runner.

use crate::named;

/// The statistical verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No relevant degradation.
    Green,
    /// A relevant degradation.
    Red,
    /// The measurements prove neither.
    NeedMore,
}

named! {
    /// The reason of a test's result.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Reason {
        /// Proven: slower by less than the tolerance, if at all.
        Green = "green",
        /// Proven: faster by more than the tolerance.
        Improved = "improved",
        /// Faster by more than the tolerance in a test with `on_improved = "fail"`, and not accepted
        /// yet.
        Unaccepted = "unaccepted",
        /// A degradation beyond the tolerance, confirmed in fresh processes.
        Red = "red",
        /// Slower than the absolute limit of the test, confirmed in fresh processes, whatever the
        /// history.
        OverLimit = "over_limit",
        /// The budget ended before green or red was proven.
        Unclear = "unclear",
        /// The test's own noise exceeds its tolerance.
        Unstable = "unstable",
        /// Too few runs to compare with yet.
        NoBaseline = "no_baseline",
        /// Too fast to measure.
        NotMeasurable = "not_measurable",
        /// Slower here, but other tests ran at the same time and could not be excluded.
        NotAlone = "not_alone",
        /// The machine was unfit to measure.
        Untrusted = "untrusted",
        /// Slower, but its machine code is that of a baseline run.
        SameCode = "same_code",
        /// Slower than its history, but so is the last good build now.
        MachineSlower = "machine_slower",
    }
}

impl Reason {
    /// Returns the statistical verdict.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Green | Self::Improved | Self::Unaccepted => Verdict::Green,
            Self::Red | Self::OverLimit => Verdict::Red,
            Self::Unclear
            | Self::Unstable
            | Self::NoBaseline
            | Self::NotMeasurable
            | Self::NotAlone
            | Self::Untrusted
            | Self::SameCode
            | Self::MachineSlower => Verdict::NeedMore,
        }
    }

    /// Returns whether a run with this reason counts as good: it was proven, or starts a baseline.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Green | Self::Improved | Self::NoBaseline)
    }

    /// Returns whether the code of a run with this reason is fast enough, whatever the machine was.
    pub fn clears_code(self) -> bool {
        self.is_good() || matches!(self, Self::Unaccepted | Self::SameCode | Self::MachineSlower)
    }

    /// Returns whether the code of a run with this reason may be too slow: nothing clears it. What is too short to be
    /// measured cannot be.
    pub fn leaves_code_open(self) -> bool {
        !self.clears_code() && self != Self::NotMeasurable
    }

    /// Returns whether the measurements were compared with a baseline and gave no answer.
    pub fn is_without_answer(self) -> bool {
        matches!(self, Self::Unclear | Self::Unstable)
    }

    /// Returns whether a baseline was there and decided nothing, because of disturbances or of chance.
    pub fn is_undecided(self) -> bool {
        self.is_without_answer() || matches!(self, Self::Untrusted | Self::NotAlone)
    }

    /// Returns the weight of the reason: the gravest of several reasons is that of the test. A
    /// proven good result has weight zero.
    ///
    /// ```
    /// use perftest_core::model::Reason;
    /// assert!(Reason::Red.gravity() > Reason::Unclear.gravity());
    /// assert_eq!(Reason::Improved.gravity(), Reason::Green.gravity());
    /// ```
    pub fn gravity(self) -> u32 {
        match self {
            Self::Green | Self::Improved => 0,
            Self::SameCode | Self::MachineSlower => 1,
            Self::NoBaseline => 2,
            Self::NotMeasurable => 3,
            Self::NotAlone => 4,
            Self::Unclear => 5,
            Self::Unstable => 6,
            Self::Untrusted => 7,
            Self::Unaccepted => 8,
            Self::OverLimit => 9,
            Self::Red => 10,
        }
    }

    /// Returns the outcome for the test runner: a confirmed degradation, an exceeded limit and an
    /// unaccepted improvement fail.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Red | Self::OverLimit | Self::Unaccepted => Outcome::Failed,
            _ => Outcome::Passed,
        }
    }
}

named! {
    /// The outcome for the test runner.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Outcome {
        /// `ok`.
        Passed = "ok",
        /// `FAILED`.
        Failed = "failed",
        /// `ignored`.
        Ignored = "ignored",
    }
}
