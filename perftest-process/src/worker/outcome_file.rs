//! The outcomes in a file, which the tool reads.

use super::message::{ProtocolError, read_message, unknown_message};
use super::test_outcome::{DecidingSeries, JudgedOutcome, TestOutcome};
use perftest_core::model::{BenchmarkId, Reason};
use perftest_store::line::Fields;
use perftest_store::read_regular_text;
use std::path::Path;

/// Largest size of the file, enough for tens of thousands of tests.
const MOST_BYTES: u64 = 256 << 20;

impl TestOutcome {
    /// Reads all outcomes of a file, in the order of appending.
    ///
    /// # Errors
    /// A message when the file cannot be read, or was written by another version of perftest.
    pub fn read_all(file: &Path) -> Result<Vec<Self>, String> {
        let cannot = |why: String| format!("`{}` cannot be read: {why}", file.display());
        let text =
            read_regular_text(file, MOST_BYTES).map_err(|error| cannot(error.to_string()))?;
        let decoded = text.lines().filter_map(|line| Self::decode(line).transpose());
        decoded.map(|outcome| outcome.map_err(|error| cannot(error.to_string()))).collect()
    }

    /// One line of such a file, while it is being written; `None` where it holds no outcome that can be
    /// read.
    pub fn of_line(line: &str) -> Option<Self> {
        Self::decode(line).ok().flatten()
    }

    fn decode(line: &str) -> Result<Option<Self>, ProtocolError> {
        let Some((kind, fields)) = read_message(line)? else {
            return Ok(None);
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
                    // Older executables report one series only.
                    fewest_runs: fields.get("blmin")?.unwrap_or(baseline_runs),
                    baseline_needed: fields.need("bneed")?,
                    counts_for_baseline: fields.need("counts_for_baseline")?,
                    // Older executables omit this key.
                    is_accepted: fields.get("accepted")?.unwrap_or(false),
                })
            }
        };
        Ok(Some(Self {
            benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
            has_failed: fields.need("failed")?,
            // Older executables omit this key.
            is_unjudged: fields.get("unjudged")?.unwrap_or(false),
            judged,
            series: series_in(&fields)?,
            // Older executables omit this key.
            open_beside_wall: fields.get_or_default("open")?,
            line: fields.get("line")?,
            note: fields.get("note")?,
        }))
    }
}

/// Executables of before name none.
fn series_in(fields: &Fields<'_>) -> Result<Option<DecidingSeries>, ProtocolError> {
    let Some(name) = fields.get::<String>("series")? else {
        return Ok(None);
    };
    Ok(Some(DecidingSeries {
        benchmark: BenchmarkId::from_recorded(name),
        metric: fields.need("metric")?,
        degradation: fields.get("ratio")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Outcome;
    use perftest_store::conformance::scratch;

    fn outcome(name: &str, reason: Option<Reason>) -> TestOutcome {
        let judged = reason.map(|reason| JudgedOutcome {
            reason,
            baseline_runs: 2,
            fewest_runs: 1,
            baseline_needed: 5,
            counts_for_baseline: true,
            is_accepted: true,
        });
        let has_failed = judged.is_none_or(|it| it.reason.outcome() == Outcome::Failed);
        let benchmark = BenchmarkId::from_recorded(name);
        let series = judged.map(|_| DecidingSeries {
            benchmark: benchmark.stage("pack"),
            metric: "wall".into(),
            degradation: Some(1.25),
        });
        TestOutcome {
            benchmark,
            has_failed,
            is_unjudged: false,
            judged,
            series,
            open_beside_wall: vec!["pack".into(), "allocs".into()],
            line: Some("12.04 us    1.39x slower".into()),
            note: Some("a \"note\"\nof two lines".into()),
        }
    }

    #[test]
    fn outcomes_read_back_exactly_and_in_order() {
        let directory = scratch("outcomes");
        let file = directory.join("outcomes");
        let outcomes = [outcome("t::a", Some(Reason::Red)), outcome("t::b", None)];
        outcomes.iter().for_each(|outcome| outcome.append_to(&file).unwrap());
        assert_eq!(TestOutcome::read_all(&file).unwrap(), outcomes);
    }

    #[test]
    fn a_ratio_without_bounds_is_left_out_and_the_outcome_stays() {
        let mut endless = outcome("t", Some(Reason::Red));
        endless.series.as_mut().unwrap().degradation = Some(f64::INFINITY);
        let read = TestOutcome::of_line(endless.encode().trim()).unwrap();
        assert_eq!(read.series.unwrap().degradation, None);
        assert_eq!(TestOutcome::of_line("half a li"), None);
    }

    #[test]
    fn a_failed_body_is_no_degradation() {
        let failed_for_speed = |reason| outcome("t", reason).has_failed_for_speed();
        assert!(failed_for_speed(Some(Reason::Red)));
        assert!(failed_for_speed(Some(Reason::Unaccepted)));
        assert!(!failed_for_speed(None));
        assert!(!failed_for_speed(Some(Reason::Unclear)));
        // As with `on_unclear = "fail"`.
        let strict = TestOutcome { has_failed: true, ..outcome("t", Some(Reason::Unclear)) };
        assert!(strict.has_failed_by_verdict() && !strict.has_failed_for_speed());
        assert!(!outcome("t", None).has_failed_by_verdict());
        let unjudged = TestOutcome { is_unjudged: true, ..strict };
        assert!(unjudged.has_failed_unjudged() && !unjudged.has_failed_by_verdict());
    }

    #[test]
    fn a_line_of_another_version_is_refused_with_the_file() {
        let directory = scratch("old-outcomes");
        let file = directory.join("outcomes");
        std::fs::write(&file, "{\"perftest\":1,\"say\":\"ended\"}\n").unwrap();
        let refused = TestOutcome::read_all(&file).unwrap_err();
        assert!(refused.contains("outcomes"), "{refused}");
    }
}
