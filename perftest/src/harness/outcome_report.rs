//! Reports the outcome of a test to the program that started this process.

use crate::event::{Event, JudgedSeries, MeasuredTest, TestEnd, TestReport};
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::model::{Outcome, Reason};
use perftest_core::words::notes;
use perftest_process::{DecidingSeries, JudgedOutcome, TestOutcome};
use std::path::Path;

/// Adds the outcome to `file`. An error here only warns, since the test has ended already.
pub(super) fn report_outcome(
    test: &PerfTest,
    report: &TestReport,
    file: &Path,
    sink: &mut dyn Sink,
) {
    if let Err(error) = outcome(test, report).append_to(file) {
        let file = file.display();
        let name = &report.name;
        let warning = format!("the outcome of {name} could not be written to `{file}`: {error}");
        sink.take(&Event::Warning(&warning));
    }
}

fn outcome(test: &PerfTest, report: &TestReport) -> TestOutcome {
    let (judged, note) = match &report.end {
        TestEnd::Judged(it) => (Some(judged(it)), notes(&it.gravest.evidence.notes)),
        TestEnd::Compared(it) => {
            // A limit needs no history, so none is missing.
            let judged = JudgedOutcome {
                reason: it.compared.reason,
                baseline_runs: 0,
                fewest_runs: 0,
                baseline_needed: 0,
                counts_for_baseline: false,
                is_accepted: false,
            };
            (Some(judged), notes(&it.compared.notes))
        }
        TestEnd::Failed(why) => (None, Some(why.clone())),
        TestEnd::Unjudged(it) => (None, Some(it.obstacle.to_string())),
        TestEnd::Smoke(why) => (None, Some((*why).to_owned())),
        TestEnd::Ignored(why) => (None, why.map(str::to_owned)),
    };
    let has_failed = report.outcome() == Outcome::Failed;
    let is_unjudged = report.hindrance().is_some();
    let (benchmark, series) = (test.benchmark(), series(report));
    let open_beside_wall = open_beside_wall(&report.end);
    let line = Some(report.line()).filter(|line| !line.is_empty());
    TestOutcome { benchmark, has_failed, is_unjudged, judged, series, open_beside_wall, line, note }
}

/// The series that decided.
fn series(report: &TestReport) -> Option<DecidingSeries> {
    let whole = &report.benchmark;
    match &report.end {
        TestEnd::Judged(it) => {
            let JudgedSeries { series_kind, evidence, .. } = &it.gravest;
            Some(DecidingSeries {
                benchmark: series_kind.benchmark(whole),
                metric: series_kind.metric().name,
                degradation: evidence.degradation.map(|it| it.lower),
            })
        }
        TestEnd::Compared(it) => Some(DecidingSeries {
            benchmark: whole.clone(),
            metric: it.metric.name.clone(),
            degradation: Some(it.compared.ratio.lower),
        }),
        TestEnd::Failed(_) | TestEnd::Unjudged(_) | TestEnd::Smoke(_) | TestEnd::Ignored(_) => None,
    }
}

/// Stages and metrics that the history did not decide. A comparison of wall times does not decide them either.
fn open_beside_wall(end: &TestEnd) -> Vec<String> {
    let TestEnd::Judged(it) = end else {
        return Vec::new();
    };
    let mut open = Vec::new();
    // How the sides differ tells nothing about a bound.
    if it.series().any(|one| one.evidence.limit_is_open) {
        open.push(TestOutcome::LIMIT.to_owned());
    }
    for series in it.series().filter(|it| !it.is_whole()) {
        let reason = series.evidence.reason;
        if reason == Reason::NoBaseline || reason.is_undecided() {
            open.push(series.series_kind.name());
        }
    }
    open
}

/// The verdict of the gravest series. The baseline counts are those of the whole: a new further
/// metric does not make a test with a history a test without one.
fn judged(it: &MeasuredTest) -> JudgedOutcome {
    let whole = it.series().find(|one| one.is_whole()).unwrap_or(&it.gravest);
    let fewest_runs = it.series().map(|one| one.evidence.baseline_runs).min();
    JudgedOutcome {
        reason: it.gravest.evidence.reason,
        baseline_runs: whole.evidence.baseline_runs,
        fewest_runs: fewest_runs.unwrap_or_default(),
        baseline_needed: whole.evidence.baseline_needed,
        counts_for_baseline: it.counts_for_baseline,
        is_accepted: it.is_accepted(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::judge::{Policy, Step, StepAnswer, Trial};
    use perftest_core::model::{
        Baseline, BaselineRule, Direction, Environment, Evidence, Measurement, Metric, Revision,
        SeriesKind,
    };
    use std::time::Duration;

    /// Returns a series that was compared with this many runs.
    fn series(series_kind: &SeriesKind, reason: Reason, baseline_runs: u32) -> JudgedSeries {
        let baseline = Baseline::empty(&BaselineRule::default());
        let policy = Policy { max_measurements: Some(1), ..Policy::default() };
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        trial.observe(StepAnswer::Measured(Measurement::of_value(1.0)), Duration::ZERO);
        let Step::Done(evidence) = trial.step() else {
            panic!("a trial that learns from one measurement ends with it");
        };
        JudgedSeries {
            series_kind: series_kind.clone(),
            outcome: reason.outcome(),
            evidence: Evidence { reason, baseline_runs, ..*evidence },
            work: None,
        }
    }

    /// Returns a test with these series.
    fn measured(all: Vec<JudgedSeries>) -> MeasuredTest {
        let (gravest, others) = JudgedSeries::gravest_and_others(all).expect("there is one");
        MeasuredTest {
            gravest,
            others,
            without_verdict: Vec::new(),
            environment: Environment::default(),
            testbed: String::new(),
            revision: Revision::default(),
            counts_for_baseline: true,
            hindrance: None,
        }
    }

    #[test]
    fn a_test_with_a_new_metric_has_the_history_that_it_had() {
        let allocations = SeriesKind::Process(Metric::allocations());
        let judged_outcome = judged(&measured(vec![
            series(&SeriesKind::Whole, Reason::Green, 30),
            series(&allocations, Reason::NoBaseline, 2),
        ]));
        assert_eq!((judged_outcome.reason, judged_outcome.baseline_runs), (Reason::NoBaseline, 30));
        assert!(!judged_outcome.lacks_baseline());
        assert_eq!(judged_outcome.fewest_runs, 2, "a series that learns goes on");
    }

    #[test]
    fn what_is_open_beside_the_wall_time_is_named() {
        let metric = |metric| SeriesKind::Process(metric);
        let test = measured(vec![
            series(&SeriesKind::Whole, Reason::Unclear, 30),
            series(&metric(Metric::allocations()), Reason::NoBaseline, 2),
            series(&metric(Metric::user_time()), Reason::Unclear, 30),
            series(&metric(Metric::peak_resident()), Reason::Green, 30),
        ]);
        assert_eq!(open_beside_wall(&TestEnd::Judged(Box::new(test))), ["allocs", "user"]);
    }
}
