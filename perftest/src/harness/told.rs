//! Tells whoever started this process how a test ended.

use crate::event::{End, Event, TestReport};
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::model::Outcome;
use perftest_store::{JudgedOutcome, TestOutcome};
use std::path::Path;

/// Adds the outcome to `file`. When that fails the test has ended all the same: it is warned of.
pub(super) fn tell_outcome(test: &PerfTest, report: &TestReport, file: &Path, sink: &mut dyn Sink) {
    if let Err(error) = outcome(test, report).append_to(file) {
        let file = file.display();
        let name = &report.name;
        let warning = format!("the outcome of {name} could not be written to `{file}`: {error}");
        sink.take(&Event::Warning(&warning));
    }
}

fn outcome(test: &PerfTest, report: &TestReport) -> TestOutcome {
    let (judged, note) = match &report.end {
        End::Judged(it) => {
            let judged = JudgedOutcome {
                reason: it.gravest.evidence.reason,
                baseline_runs: it.gravest.evidence.baseline_runs,
                baseline_needed: it.gravest.evidence.baseline_needed,
                teaches: it.teaches,
            };
            (Some(judged), it.gravest.evidence.note.clone())
        }
        End::Compared(it) => {
            // It needs no history and lacks none.
            let (baseline_runs, baseline_needed, teaches) = (0, 0, false);
            let reason = it.compared.reason;
            let judged = JudgedOutcome { reason, baseline_runs, baseline_needed, teaches };
            (Some(judged), it.compared.note.clone())
        }
        End::Failed(why) => (None, why.clone()),
        End::Smoke(why) | End::Ignored(why) => (None, (*why).to_owned()),
    };
    let has_failed = report.outcome() == Outcome::Failed;
    TestOutcome { benchmark: test.benchmark(), has_failed, judged, note }
}
