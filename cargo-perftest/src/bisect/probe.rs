//! One comparison of the search.

use super::CommitLine;
use crate::compare::ratio_in_words;
use crate::report::{extend, object_of};
use perftest_analysis::verdicts::BisectionAnswer;
use perftest_core::fields::fields_of_compared;
use perftest_core::judge::ComparisonResult;
use perftest_core::model::BenchmarkId;
use perftest_core::words::notes;
use serde_json::{Value, json};
use std::time::Duration;

/// The result of building and comparing a commit.
#[derive(Debug)]
pub(crate) enum ProbeResult {
    Measured(Box<ComparisonResult>),
    /// The machine code of an already compared commit.
    SameCode {
        commit: usize,
        probed: BisectionAnswer,
    },
    /// The commit could not be measured, with the reason.
    Unanswered(String),
}

/// One step of the search.
#[derive(Debug)]
pub(crate) struct BisectProbe {
    /// The commit to compare with.
    pub(crate) base: usize,
    pub(crate) head: usize,
    pub(crate) seen: ProbeResult,
    pub(crate) spent: Duration,
}

impl BisectProbe {
    pub(crate) fn probed(&self) -> BisectionAnswer {
        match &self.seen {
            ProbeResult::Measured(compared) => BisectionAnswer::of(compared),
            ProbeResult::SameCode { probed, .. } => *probed,
            ProbeResult::Unanswered(_) => BisectionAnswer::Unanswered,
        }
    }

    pub(crate) fn compared(&self) -> Option<&ComparisonResult> {
        match &self.seen {
            ProbeResult::Measured(compared) => Some(compared),
            _ => None,
        }
    }

    /// The name of the answer in events.
    fn name(&self) -> &'static str {
        match self.probed() {
            BisectionAnswer::Slower { .. } => "slower",
            BisectionAnswer::NotSlower => "not_slower",
            BisectionAnswer::Unanswered => "not_comparable",
        }
    }

    /// Returns the answer in a word or two.
    pub(crate) fn in_words(&self) -> String {
        self.name().replace('_', " ")
    }

    /// Formats the result with its evidence.
    pub(crate) fn in_full(&self, line: &CommitLine) -> String {
        let ratio = self.compared().map(|it| format!(", {}", ratio_in_words(it.ratio)));
        let why = self.why(line).map(|why| format!(": {why}"));
        format!("{}{}{}", self.in_words(), ratio.unwrap_or_default(), why.unwrap_or_default())
    }

    /// Returns a remark below the table.
    pub(crate) fn remark(&self, line: &CommitLine) -> Option<String> {
        Some(format!("{}: {}", line.commit(self.head).short(), self.why(line)?))
    }

    pub(crate) fn as_json(&self, line: &CommitLine, benchmark: &BenchmarkId) -> Value {
        let fields = self.compared().map(fields_of_compared).unwrap_or_default();
        let mut value = json!({
            "event": "bisect_probe",
            "v": 1,
            "benchmark": benchmark.as_str(),
            "base": line.commit(self.base).revision.commit,
            "head": line.commit(self.head).revision.commit,
            "subject": line.commit(self.head).subject,
            "answer": self.name(),
            "seconds": self.spent.as_secs_f64(),
            "note": self.why(line),
        });
        extend(&mut value, Value::Object(object_of(fields)));
        if let Some(compared) = self.compared() {
            value["verdict"] = compared.reason.name().into();
        }
        value
    }

    /// Returns why the commit was not measured.
    fn why(&self, line: &CommitLine) -> Option<String> {
        match &self.seen {
            ProbeResult::Measured(compared) => notes(&compared.notes),
            ProbeResult::SameCode { commit, .. } => {
                Some(format!("the same code as {}", line.commit(*commit).short()))
            }
            ProbeResult::Unanswered(why) => Some(why.clone()),
        }
    }
}
