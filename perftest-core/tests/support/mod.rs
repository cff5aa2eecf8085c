//! Runs as a test needs them.

use perftest_core::model::{
    BenchmarkId, CodeState, Evidence, Measurement, Metric, Reason, Revision, Run, RunId, Tolerance,
};

pub(crate) fn evidence(reason: Reason) -> Evidence {
    Evidence {
        reason,
        degradation: None,
        now: None,
        before: None,
        baseline_runs: 0,
        baseline_commits: 0,
        baseline_commit: String::new(),
        commits_before_base: None,
        baseline_is_provisional: false,
        level_began: None,
        baseline_needed: 5,
        tolerance: Tolerance::default(),
        limit: None,
        limit_is_open: false,
        accepted_ratio: None,
        smallest_detectable: None,
        false_alarm_rate: None,
        noise: None,
        needed_measurements: None,
        needed_budget_s: None,
        paired_result: None,
        explanatory_metrics: Vec::new(),
        normalised_by: None,
        measurements: 1,
        suspects: 0,
        processes: 1,
        slow_processes: 0,
        notes: Vec::new(),
    }
}

/// Run number `order`, of value `value`, made of code `text`.
pub(crate) fn run(order: u64, value: f64, text: &str) -> Run {
    let benchmark = BenchmarkId::new("codec", "perf", "encode");
    Run {
        testbed: "local/1".into(),
        config: "cfg".into(),
        code: code(text),
        started_ms: order,
        revision: Revision { commit: format!("c{order}"), ..Revision::default() },
        measurements: vec![Measurement::of_value(value)],
        evidence: Some(evidence(Reason::Green)),
        counts_for_baseline: true,
        ..Run::blank(RunId::new(order, 0), benchmark, Metric::wall())
    }
}

pub(crate) fn code(text: &str) -> CodeState {
    CodeState { executable: text.into(), text: text.into(), programs: Vec::new() }
}
