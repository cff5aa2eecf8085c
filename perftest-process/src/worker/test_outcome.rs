//! How a perf test ended, as its process tells whoever started it: whatever the runner shows of it,
//! and whether or not anything is recorded.

use super::message::{
    ProtocolError, ProtocolLine, begin_message, finish, read_message, unknown_message,
};
use perftest_core::model::{BenchmarkId, Outcome, Reason};
use perftest_store::{open_regular, read_regular_text};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The environment variable with the file to which a test process appends the outcomes of its
/// perf tests.
pub const OUTCOMES_VARIABLE: &str = "PERFTEST_OUTCOMES";

/// The environment variable with the session of all test processes of one invocation: a runner that names
/// none starts several.
pub const SESSION_VARIABLE: &str = "PERFTEST_SESSION";

/// Tens of thousands of tests fit in.
const MOST_BYTES: u64 = 256 << 20;

/// The outcome of one execution of one perf test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestOutcome {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// Whether the test failed for the runner.
    pub has_failed: bool,
    /// Whether something outside of the code kept it from being judged or recorded, and its verdict is no
    /// failure.
    pub is_unjudged: bool,
    /// What was judged; `None` when its body failed or was only tried out.
    pub judged: Option<JudgedOutcome>,
    /// What limits it, or why it failed, in words.
    pub note: Option<String>,
}

/// What a verdict says, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedOutcome {
    /// Why the test ended as it did.
    pub reason: Reason,
    /// Runs the whole test was compared with.
    pub baseline_runs: u32,
    /// Runs that series of it was compared with that had the fewest.
    pub fewest_runs: u32,
    /// Runs a verdict needs.
    pub baseline_needed: u32,
    /// Whether this run may enter a baseline. It was recorded, unless nothing is.
    pub counts_for_baseline: bool,
}

impl JudgedOutcome {
    /// Whether there were too few runs to compare the whole test with. A further series that has too
    /// few is learning beside a test that is judged.
    pub fn lacks_baseline(&self) -> bool {
        self.baseline_runs < self.baseline_needed
    }

    /// Whether the history decided nothing, for want of runs or for what disturbed them.
    pub fn is_open(&self) -> bool {
        let is_open = |reason| {
            matches!(
                reason,
                Reason::Unclear | Reason::Unstable | Reason::Untrusted | Reason::NotAlone
            )
        };
        self.lacks_baseline() || is_open(self.reason)
    }
}

impl TestOutcome {
    /// Whether it failed by its verdict, as its settings have it, and not by its body.
    pub fn has_failed_by_verdict(&self) -> bool {
        self.has_failed && !self.is_unjudged && self.judged.is_some()
    }

    /// Whether it failed because it could not be judged or recorded.
    pub fn has_failed_unjudged(&self) -> bool {
        self.has_failed && self.is_unjudged
    }

    /// Whether neither its history nor its body decided it.
    pub fn is_open(&self) -> bool {
        self.is_unjudged || self.judged.is_some_and(|judged| judged.is_open())
    }

    /// Whether it failed, and for its speed alone.
    pub fn has_failed_for_speed(&self) -> bool {
        let is_failure = |judged: JudgedOutcome| judged.reason.outcome() == Outcome::Failed;
        self.has_failed && self.judged.is_some_and(is_failure)
    }

    /// Adds it to a file. Several processes may do so at once.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_to(&self, file: &Path) -> io::Result<()> {
        let mut file = open_regular(file, File::options().append(true).create(true))?;
        file.write_all(self.encode().as_bytes())
    }

    /// All that a file has, in the order they were appended.
    ///
    /// # Errors
    /// A message when it cannot be read, or was written by another version of perftest.
    pub fn read_all(file: &Path) -> Result<Vec<Self>, String> {
        let cannot = |why: String| format!("`{}` cannot be read: {why}", file.display());
        let text =
            read_regular_text(file, MOST_BYTES).map_err(|error| cannot(error.to_string()))?;
        let mut outcomes = Vec::new();
        for line in text.lines() {
            match Self::decode(line).map_err(|error| cannot(error.to_string()))? {
                ProtocolLine::Message(outcome) => outcomes.push(outcome),
                ProtocolLine::Stray => {}
            }
        }
        Ok(outcomes)
    }

    fn encode(&self) -> String {
        let mut line = begin_message("ended");
        line.put("bench", self.benchmark.as_str());
        line.put("failed", self.has_failed);
        line.put("unjudged", self.is_unjudged);
        if let Some(judged) = &self.judged {
            line.put("verdict", judged.reason.name());
            line.put("bln", judged.baseline_runs);
            line.put("blmin", judged.fewest_runs);
            line.put("bneed", judged.baseline_needed);
            line.put("counts_for_baseline", judged.counts_for_baseline);
        }
        line.put_known("note", self.note.as_deref());
        format!("\n{}", finish(line))
    }

    fn decode(line: &str) -> Result<ProtocolLine<Self>, ProtocolError> {
        let Some((kind, fields)) = read_message(line)? else {
            return Ok(ProtocolLine::Stray);
        };
        if kind != "ended" {
            return Err(unknown_message(&kind));
        }
        let verdict: Option<String> = fields.get("verdict")?;
        let judged = match verdict {
            None => None,
            Some(name) => {
                let baseline_runs = fields.need("bln")?;
                Some(JudgedOutcome {
                    reason: Reason::from_name(&name).ok_or_else(|| unknown_message(&name))?,
                    baseline_runs,
                    // Executables of before tell of one series only.
                    fewest_runs: fields.get("blmin")?.unwrap_or(baseline_runs),
                    baseline_needed: fields.need("bneed")?,
                    counts_for_baseline: fields.need("counts_for_baseline")?,
                })
            }
        };
        Ok(ProtocolLine::Message(Self {
            benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
            has_failed: fields.need("failed")?,
            // Executables of before do not tell.
            is_unjudged: fields.get("unjudged")?.unwrap_or(false),
            judged,
            note: fields.get("note")?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    fn outcome(name: &str, reason: Option<Reason>) -> TestOutcome {
        let judged = reason.map(|reason| JudgedOutcome {
            reason,
            baseline_runs: 2,
            fewest_runs: 1,
            baseline_needed: 5,
            counts_for_baseline: true,
        });
        let has_failed = judged.is_none_or(|it| it.reason.outcome() == Outcome::Failed);
        let benchmark = BenchmarkId::from_recorded(name);
        TestOutcome {
            benchmark,
            has_failed,
            is_unjudged: false,
            judged,
            note: Some("a \"note\"\nof two lines".into()),
        }
    }

    #[test]
    fn outcomes_read_back_exactly_and_in_order() {
        let file = scratch("outcomes").join("outcomes");
        let outcomes = [outcome("t::a", Some(Reason::Red)), outcome("t::b", None)];
        outcomes.iter().for_each(|outcome| outcome.append_to(&file).unwrap());
        assert_eq!(TestOutcome::read_all(&file).unwrap(), outcomes);
    }

    #[test]
    fn a_failed_body_is_no_degradation() {
        let failed_for_speed = |reason| outcome("t", reason).has_failed_for_speed();
        assert!(failed_for_speed(Some(Reason::Red)));
        assert!(failed_for_speed(Some(Reason::Unaccepted)));
        assert!(!failed_for_speed(None));
        assert!(!failed_for_speed(Some(Reason::Unclear)));
        // As `on_unclear` may have it.
        let strict = TestOutcome { has_failed: true, ..outcome("t", Some(Reason::Unclear)) };
        assert!(strict.has_failed_by_verdict() && !strict.has_failed_for_speed());
        assert!(!outcome("t", None).has_failed_by_verdict());
        let unjudged = TestOutcome { is_unjudged: true, ..strict };
        assert!(unjudged.has_failed_unjudged() && !unjudged.has_failed_by_verdict());
    }

    #[test]
    fn a_line_of_another_version_is_refused_with_the_file() {
        let file = scratch("old-outcomes").join("outcomes");
        std::fs::write(&file, "{\"perftest\":1,\"say\":\"ended\"}\n").unwrap();
        let refused = TestOutcome::read_all(&file).unwrap_err();
        assert!(refused.contains("outcomes"), "{refused}");
    }
}
