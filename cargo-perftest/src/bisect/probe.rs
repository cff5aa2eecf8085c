//! What one comparison of the search saw.

use super::Line;
use crate::compare::ratio_in_words;
use crate::report::extend;
use perftest_analysis::verdicts::Probed;
use perftest_core::fields::fields_of_compared;
use perftest_core::judge::Compared;
use perftest_core::model::BenchmarkId;
use perftest_core::words::notes;
use perftest_store::json_of;
use serde_json::{Value, json};
use std::time::Duration;

/// What came of building and comparing a commit.
#[derive(Debug)]
pub(crate) enum Seen {
    Measured(Box<Compared>),
    /// The machine code of a commit that was told before.
    SameCode {
        commit: usize,
        probed: Probed,
    },
    /// It could not be measured, with the reason.
    Untold(String),
}

/// One step of the search.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The commit that is compared with.
    pub(crate) base: usize,
    pub(crate) head: usize,
    pub(crate) seen: Seen,
    pub(crate) spent: Duration,
}

impl Probe {
    pub(crate) fn probed(&self) -> Probed {
        match &self.seen {
            Seen::Measured(compared) => Probed::of(compared),
            Seen::SameCode { probed, .. } => *probed,
            Seen::Untold(_) => Probed::Untold,
        }
    }

    pub(crate) fn compared(&self) -> Option<&Compared> {
        match &self.seen {
            Seen::Measured(compared) => Some(compared),
            _ => None,
        }
    }

    /// The answer in a word or two.
    pub(crate) fn in_words(&self) -> &'static str {
        match self.probed() {
            Probed::Slower { .. } => "slower",
            Probed::NotSlower => "not slower",
            Probed::Untold => "not told",
        }
    }

    /// The answer and what it rests on.
    pub(crate) fn in_full(&self, line: &Line) -> String {
        let ratio = self.compared().map(|it| format!(", {}", ratio_in_words(it.ratio)));
        let why = self.why(line).map(|why| format!(": {why}"));
        format!("{}{}{}", self.in_words(), ratio.unwrap_or_default(), why.unwrap_or_default())
    }

    pub(crate) fn as_row(&self, line: &Line) -> [String; 5] {
        let cell = |text: &dyn Fn(&Compared) -> String| self.compared().map_or("-".into(), text);
        let commit = line.commit(self.head);
        [
            commit.short(),
            commit.subject.clone(),
            cell(&|it| ratio_in_words(it.ratio)),
            self.in_words().to_owned(),
            cell(&|it| it.pairs.to_string()),
        ]
    }

    /// What to say below the table.
    pub(crate) fn remark(&self, line: &Line) -> Option<String> {
        Some(format!("{}: {}", line.commit(self.head).short(), self.why(line)?))
    }

    pub(crate) fn as_json(&self, line: &Line, benchmark: &BenchmarkId) -> Value {
        let fields = self.compared().map(fields_of_compared).unwrap_or_default();
        let mut value = json!({
            "event": "bisect_probe",
            "v": 1,
            "benchmark": benchmark.as_str(),
            "base": line.commit(self.base).revision.commit,
            "head": line.commit(self.head).revision.commit,
            "subject": line.commit(self.head).subject,
            "answer": self.in_words().replace(' ', "_"),
            "seconds": self.spent.as_secs_f64(),
            "note": self.why(line),
        });
        extend(&mut value, Value::Object(json_of(fields)));
        value
    }

    /// What was in the way, or made measuring unnecessary.
    fn why(&self, line: &Line) -> Option<String> {
        match &self.seen {
            Seen::Measured(compared) => notes(&compared.notes),
            Seen::SameCode { commit, .. } => {
                Some(format!("the same code as {}", line.commit(*commit).short()))
            }
            Seen::Untold(why) => Some(why.clone()),
        }
    }
}
