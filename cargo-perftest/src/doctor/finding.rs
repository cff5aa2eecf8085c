//! A fact, what it does to performance tests here, and what to do.

use perftest_core::named;

named! {
    /// How much a finding matters; the worst is the least.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Severity {
        /// No verdict can be expected while it holds.
        Unfit = "unfit",
        /// It costs time or certainty, and there is something to do about it.
        Warning = "warning",
        /// Good to know.
        Note = "note",
        /// In order.
        Good = "good",
    }
}

/// The advice where none is needed.
const NOTHING: &str = "nothing to do";

/// One answer to one question about a machine or a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// A stable name for programs.
    pub(crate) topic: &'static str,
    /// What is so.
    pub(crate) fact: String,
    /// What it does to performance tests here.
    pub(crate) effect: String,
    /// What to do about it.
    pub(crate) advice: String,
    /// What the advice is to add to a file, word for word.
    pub(crate) add: Vec<String>,
}

impl Finding {
    /// A finding about which there is nothing to do.
    pub(crate) fn new(
        severity: Severity,
        topic: &'static str,
        fact: impl Into<String>,
        effect: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            topic,
            fact: fact.into(),
            effect: effect.into(),
            advice: NOTHING.into(),
            add: Vec::new(),
        }
    }

    /// The finding with what to do about it.
    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..self }
    }

    /// Whether it is more than good to know.
    pub(crate) fn asks_for_something(&self) -> bool {
        self.severity < Severity::Note || self.advice != NOTHING
    }

    /// The finding with lines to add to a file.
    pub(crate) fn add(self, lines: Vec<String>) -> Self {
        Self { add: lines, ..self }
    }
}
