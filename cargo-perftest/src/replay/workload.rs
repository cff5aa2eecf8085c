//! The runs of a replay.

use perftest_core::judge::{Inspector, MachineBaseline, Tally, with_conditions};
use perftest_core::model::{
    BaselineRule, BenchmarkId, CodeState, Environment, History, Lineage, Measurement, Metric,
    NewestLevel, Reason, Run, RunId, Verdict,
};
use perftest_store::Series;
use perftest_store::recording::{NoiseRecording, RecordedWorkload, next_start_ns};
use std::collections::BTreeMap;

/// Runs of one code under one configuration, oldest first, each with a measurement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workload {
    pub(crate) name: String,
    pub(crate) metric: Metric,
    pub(crate) history: History,
}

impl Workload {
    /// Converts the runs of a recording to records of the harness: without their warm-up, and with
    /// the conditions that follow from the runs before them.
    pub(crate) fn of_recording(recording: &NoiseRecording, recorded: &RecordedWorkload) -> Self {
        let mut workload = Self {
            name: format!("{}/{}", recording.name, recorded.name),
            metric: Metric::wall(),
            history: History::default(),
        };
        let warm = recorded.runs.iter().filter_map(|run| run.get(NoiseRecording::WARM_UP..));
        for measurements in warm.filter(|measurements| !measurements.is_empty()) {
            let run = recorded_run(&workload, measurements);
            workload.history.runs.push(run);
        }
        workload
    }

    /// Returns the runs of a series, one workload for each configuration. Skips fresh processes of
    /// confirmations, because they were measured for a slow result.
    pub(crate) fn of_series(series: &Series, history: History) -> Vec<Self> {
        let mut by_config: BTreeMap<String, Vec<Run>> = BTreeMap::new();
        let judged = history.runs.into_iter().filter(|run| run.evidence.is_some());
        for run in judged.filter(|run| !run.measurements.is_empty()) {
            by_config.entry(run.config.clone()).or_default().push(as_measured(run));
        }
        let is_only = by_config.len() == 1;
        let Series { benchmark, testbed, metric, .. } = series;
        let name = format!("{benchmark} on {testbed}, {}", metric.name);
        let workload = |(config, runs)| Self {
            name: if is_only { name.clone() } else { format!("{name}, configuration {config}") },
            metric: metric.clone(),
            history: History { runs },
        };
        by_config.into_iter().map(workload).collect()
    }

    /// Keeps the runs that count as unchanged code: the first attempts of the newest level. Drops a
    /// red whose code was never green, because it may be a true one. Keeps a red whose code was
    /// also green, because it was a false alarm. Drops a run that counts by its ratio: its own times
    /// are those of a disturbed machine.
    pub(crate) fn of_unchanged_code(mut self) -> Self {
        let ended = |run: &Run| run.evidence.as_ref().map(|it| it.reason.verdict());
        let runs = &self.history.runs;
        let is_acquitted = |red: &Run| {
            let is_same = |run: &&Run| run.code == red.code && !run.code.text.is_empty();
            runs.iter().filter(is_same).any(|run| ended(run) == Some(Verdict::Green))
        };
        let is_unchanged = |run: &Run| {
            run.attempt <= 1
                && !run.counts_by_ratio()
                && (ended(run) != Some(Verdict::Red) || is_acquitted(run))
        };
        let are_unchanged: Vec<bool> = runs.iter().map(is_unchanged).collect();
        let runs = std::mem::take(&mut self.history.runs).into_iter().zip(are_unchanged);
        let unchanged: Vec<Run> =
            runs.filter_map(|(run, is_unchanged)| is_unchanged.then_some(run)).collect();
        let level = NewestLevel::of(&unchanged, BaselineRule::default().needed);
        let members: Vec<&RunId> = level.runs().into_iter().map(|run| &run.id).collect();
        // Improved runs that are too few for a level are of changed code.
        let is_of_level = |run: &&Run| {
            run.evidence.as_ref().is_none_or(|it| it.reason != Reason::Improved)
                || members.contains(&&run.id)
        };
        let runs = unchanged[level.start()..].iter().filter(is_of_level);
        self.history.runs = runs.cloned().collect();
        self
    }

    pub(crate) fn runs(&self) -> &[Run] {
        &self.history.runs
    }

    /// Returns the history of these runs.
    pub(super) fn part(&self, runs: &[usize]) -> History {
        History { runs: runs.iter().map(|index| self.history.runs[*index].clone()).collect() }
    }

    /// The configuration of all runs.
    pub(crate) fn config(&self) -> &str {
        self.history.runs.first().map_or("", |run| &run.config)
    }
}

/// Returns the next run of a history. Each run has another code state, so that each may count for
/// the baseline unless its conditions forbid it.
fn recorded_run(workload: &Workload, measurements: &[Measurement]) -> Run {
    let Workload { name, metric, history } = workload;
    let number = history.runs.len() as u64;
    let baseline = BaselineRule::default().select(history, "", None, &Lineage::default());
    let conditions =
        Inspector::new(MachineBaseline::in_baseline(&baseline)).inspect_all(measurements);
    let tally = Tally::of(measurements, &conditions);
    let mut environment = Environment::default();
    tally.mark(&mut environment);
    let benchmark = BenchmarkId::from_recorded(name.as_str());
    let run = Run {
        code: CodeState {
            executable: number.to_string(),
            text: number.to_string(),
            programs: Vec::new(),
        },
        started_ms: number,
        warm_up: NoiseRecording::WARM_UP as u32,
        counts_for_baseline: !environment.is_untrusted() && !tally.leaves_no_level(),
        environment,
        ..Run::blank(RunId::new(number, 0), benchmark, metric.clone())
    };
    with_conditions(run, measurements.to_vec(), &conditions)
}

/// Restores the fields that a record omits, as far as they follow from the others.
///
/// The run may count for the baseline whatever its provenance: a replay shows what the settings
/// would have decided, also for repeated runs of the same code.
fn as_measured(mut run: Run) -> Run {
    let mut start_ns = 0;
    for (index, measurement) in (0..).zip(&mut run.measurements) {
        measurement.start_ns = start_ns;
        start_ns = next_start_ns(measurement);
        // Switches are not recorded. If the wall time counted although the body was off the
        // processor, the body had yielded.
        if !run.suspects.contains(&index) && !run.on_processor_time.contains(&index) {
            measurement.voluntary_switches = Some(1);
            measurement.involuntary_switches = Some(0);
        }
    }
    run.counts_for_baseline = !run.environment.is_untrusted() || run.metric.is_deterministic();
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::judge::Condition;
    use perftest_core::model::Tag;
    use perftest_store::conformance::example_run;

    fn series() -> Series {
        let Run { benchmark, testbed, metric, .. } = example_run(0);
        Series { benchmark, formerly: None, testbed, metric }
    }

    fn recorded(runs: Vec<Vec<Measurement>>) -> Workload {
        let workload = RecordedWorkload { name: "sort".into(), planted_percent: None, runs };
        let recording = NoiseRecording { name: "idle".into(), workloads: Vec::new() };
        Workload::of_recording(&recording, &workload)
    }

    fn measurement(value: f64) -> Measurement {
        Measurement { thread_cpu_ns: Some(1_000_000), ..Measurement::of_value(value) }
    }

    #[test]
    fn the_warm_up_of_a_recording_is_dropped_and_what_is_shorter_is_no_run() {
        let cold = vec![measurement(9e6); 10];
        let warm = [cold.clone(), vec![measurement(1e6); 5]].concat();
        let workload = recorded(vec![warm, cold]);
        assert_eq!(workload.name, "idle/sort");
        assert_eq!(workload.runs().len(), 1);
        assert_eq!(workload.runs()[0].measurements, [measurement(1e6); 5]);
        assert!(workload.runs()[0].counts_for_baseline);
    }

    #[test]
    fn a_recorded_run_is_marked_as_the_harness_marks_it() {
        let mut samples = vec![measurement(1e6); 30];
        samples[12] = measurement(2e6);
        let workload = recorded(vec![samples, vec![measurement(2e6); 30]]);
        // The measurement after an interruption is disturbed too.
        assert_eq!(workload.runs()[0].suspects, [2, 3]);
        assert!(!workload.runs()[1].counts_for_baseline);
        assert!(workload.runs()[1].environment.tags.contains(&Tag::Busy));
    }

    #[test]
    fn the_runs_of_a_series_are_kept_apart_by_configuration_and_fresh_processes_are_left_out() {
        let fresh = Run { evidence: None, ..example_run(1) };
        let other = Run { config: "other".into(), counts_for_baseline: false, ..example_run(2) };
        let history = History { runs: vec![example_run(0), fresh, other, example_run(3)] };
        let workloads = Workload::of_series(&series(), history);
        let found: Vec<(&str, usize)> =
            workloads.iter().map(|it| (it.config(), it.runs().len())).collect();
        assert_eq!(found, [("8c9d0e1f", 2), ("other", 1)]);
        assert!(workloads[1].name.ends_with(", configuration other"));
        assert!(workloads[1].runs()[0].counts_for_baseline);
    }

    #[test]
    fn of_unchanged_code_are_first_tries_of_the_newest_level_and_no_red_that_may_be_true() {
        let of = |number: u64, value: f64, reason: Reason, text: &str| {
            let mut run = Run {
                measurements: vec![measurement(value); 4],
                suspects: Vec::new(),
                on_processor_time: Vec::new(),
                code: CodeState {
                    executable: text.into(),
                    text: text.into(),
                    programs: Vec::new(),
                },
                ..example_run(number)
            };
            run.evidence.as_mut().unwrap().reason = reason;
            run
        };
        let value = |number: u64, level_ns: f64| level_ns * (1.0 + 0.001 * (number % 5) as f64);
        let old = (0..20).map(|number| of(number, value(number, 2e6), Reason::Green, "old"));
        let new = (20..40).map(|number| of(number, value(number, 1e6), Reason::Green, "new"));
        let true_red = of(40, 1.5e6, Reason::Red, "slow");
        let false_red = of(41, 1.5e6, Reason::Red, "new");
        let retry = Run { attempt: 2, ..of(42, 1e6, Reason::Green, "new") };
        let by_ratio = (43..50).map(|number| Run {
            flags: vec![Run::BY_RATIO.to_owned()],
            ..of(number, value(number, 1.3e6), Reason::Green, "new")
        });
        let others = [true_red, false_red, retry];
        let runs = old.chain(new).chain(others).chain(by_ratio).collect();
        let workload = Workload::of_series(&series(), History { runs }).remove(0);
        let unchanged = workload.of_unchanged_code();
        let found: Vec<u64> = unchanged.runs().iter().map(|run| run.started_ms).collect();
        let expected: Vec<u64> =
            (20..40).chain([41]).map(|number| example_run(number).started_ms).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_body_that_slept_in_a_recorded_run_is_not_held_interrupted() {
        let sleeping = Measurement { thread_cpu_ns: Some(1_000), ..measurement(1e6) };
        let run = Run {
            measurements: vec![sleeping; 4],
            suspects: vec![3],
            on_processor_time: Vec::new(),
            ..example_run(0)
        };
        let workloads = Workload::of_series(&series(), History { runs: vec![run] });
        let measurements = &workloads[0].runs()[0].measurements;
        let conditions = Inspector::new(MachineBaseline::default()).inspect_all(measurements);
        assert_eq!(conditions[..3], [Condition::Clean; 3]);
        assert_eq!(conditions[3], Condition::Interrupted);
        assert!(measurements.windows(2).all(|pair| pair[0].start_ns < pair[1].start_ns));
    }
}
