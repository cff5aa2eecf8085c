//! The answer of a comparison of a test.

use perftest_core::named;

named! {
    /// What a comparison found out about a test. The names are those of the events.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum CompareAnswer {
        /// The head is slower.
        Slower = "slower",
        /// The head is not slower.
        NotSlower = "not_slower",
        /// The head is slower, and an acceptance allows it.
        Accepted = "accepted",
        /// The head is faster.
        Faster = "faster",
        /// The budget ended before an answer.
        Undecided = "undecided",
        /// The noise exceeds the tolerance.
        Unstable = "unstable",
        /// There was nothing to measure.
        SameCode = "same_code",
        /// The head has no such test.
        OnlyInBase = "only_in_base",
        /// The base has no such test.
        OnlyInHead = "only_in_head",
        /// The base could not be measured.
        BaseFailed = "base_failed",
        /// The head could not be measured, or neither side.
        Failed = "failed",
    }
}

impl CompareAnswer {
    /// The answer in a word or two.
    pub(crate) fn in_words(self) -> String {
        self.name().replace('_', " ")
    }

    /// Whether there is no answer where one was measured.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Undecided | Self::Unstable)
    }
}
