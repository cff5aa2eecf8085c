//! The parts of a test with their own history.

use super::{
    BenchmarkId, InstructionCounter, Measurement, Metric, ProcessRecord, StageTime, Take, Usage,
};
use crate::list::IntoList;

/// One of the series of a test. All series come from the same measurements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SeriesKind {
    /// The wall time of the whole.
    Whole,
    /// The wall time of a stage, by its name.
    Stage(String),
    /// Resource usage of each measurement.
    Usage(Usage),
    /// A value of a whole process.
    Process(Metric),
}

impl SeriesKind {
    /// Returns the series of a built-in metric, by the metric's name; `None` for any other name.
    /// For `instructions` it is the series that the processor counts.
    ///
    /// ```
    /// use perftest_core::model::{SeriesKind, Metric};
    /// assert_eq!(SeriesKind::built_in("wall"), Some(SeriesKind::Whole));
    /// assert_eq!(SeriesKind::built_in("allocs"), Some(SeriesKind::Process(Metric::allocations())));
    /// assert_eq!(SeriesKind::built_in("happiness"), None);
    /// ```
    pub fn built_in(name: &str) -> Option<Self> {
        Self::all_built_in().find(|series_kind| series_kind.metric().name == name)
    }

    /// Returns the series of all built-in metrics.
    pub(super) fn all_built_in() -> impl Iterator<Item = Self> {
        let once = [
            Metric::allocations(),
            Metric::allocated_bytes(),
            Metric::peak_bytes(),
            Metric::user_time(),
            Metric::system_time(),
            Metric::peak_resident(),
            Metric::instructions(InstructionCounter::Processor),
            Metric::cycles(),
            Metric::branch_misses(),
            Metric::cache_misses(),
        ];
        let usages = Usage::ALL.map(Self::Usage);
        [Self::Whole].into_iter().chain(usages).chain(once.map(Self::Process))
    }

    /// Returns the metric.
    pub fn metric(&self) -> Metric {
        match self {
            Self::Whole | Self::Stage(_) => Metric::wall(),
            Self::Usage(usage) => usage.metric(),
            Self::Process(metric) => metric.clone(),
        }
    }

    /// Returns the name of the series within its test: that of the stage or metric; empty for the
    /// whole.
    pub fn name(&self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Stage(name) => name.clone(),
            Self::Usage(_) | Self::Process(_) => self.metric().name,
        }
    }

    /// Returns the benchmark with the history, in a test of this id: a stage is a separate
    /// benchmark, a metric is another metric of the same benchmark.
    pub fn benchmark(&self, whole: &BenchmarkId) -> BenchmarkId {
        match self {
            Self::Stage(name) => whole.stage(name),
            _ => whole.clone(),
        }
    }

    /// Returns whether its value has the work of all threads of the process, also of those that belong to other tests.
    ///
    /// ```
    /// use perftest_core::model::SeriesKind;
    /// let has_all = |name| SeriesKind::built_in(name).is_some_and(|it| it.has_work_of_process());
    /// assert_eq!(["wall", "thread_cpu", "cpu", "allocs"].map(has_all), [false, false, true, true]);
    /// ```
    pub fn has_work_of_process(&self) -> bool {
        match self {
            Self::Whole | Self::Stage(_) => false,
            Self::Usage(usage) => *usage == Usage::Cpu,
            Self::Process(metric) => metric.is_of_allocations(),
        }
    }

    /// Returns the measurement's value in this series; `None` if it was not measured, and for
    /// values of a whole process.
    pub fn of(&self, take: &Take) -> Option<Measurement> {
        match self {
            Self::Whole => Some(take.measurement),
            Self::Stage(name) => {
                let stage = take.stages.iter().find(|stage| stage.name == *name)?;
                Some(of_stage(stage, &take.measurement))
            }
            Self::Usage(usage) => {
                usage.of(&take.measurement).map(|value| of_usage(*usage, value, &take.measurement))
            }
            Self::Process(_) => None,
        }
    }

    /// Returns the values of all measurements of a process in this series; `None` if one lacks it.
    /// A value of the whole process is one measurement.
    pub fn of_process(&self, process: &ProcessRecord) -> Option<Vec<Measurement>> {
        match self {
            Self::Process(metric) => Some(vec![Measurement::of_value(process.value(metric)?)]),
            _ => process.takes.iter().map(|take| self.of(take)).into_list_of_some(),
        }
    }
}

/// A stage without its own usage has the disturbances of the whole.
fn of_stage(stage: &StageTime, whole: &Measurement) -> Measurement {
    let value = stage.wall_ns / whole.iterations.max(1) as f64;
    if stage.thread_cpu_ns.is_none() {
        return Measurement { value, ..*whole };
    }
    Measurement {
        start_ns: whole.start_ns,
        iterations: whole.iterations,
        wall_ns: stage.wall_ns,
        value,
        thread_cpu_ns: stage.thread_cpu_ns,
        process_cpu_ns: stage.process_cpu_ns,
        involuntary_switches: stage.involuntary_switches,
        voluntary_switches: stage.voluntary_switches,
        core_kind: whole.core_kind,
        probes: whole.probes,
        ..Measurement::default()
    }
}

/// Processor time depends on the machine's speed and not on interruptions; a count depends on
/// neither.
fn of_usage(usage: Usage, value: f64, whole: &Measurement) -> Measurement {
    let iterations = whole.iterations;
    let plain = Measurement { iterations, ..Measurement::of_value(value) };
    if !usage.metric().is_time() {
        return plain;
    }
    Measurement {
        start_ns: whole.start_ns,
        wall_ns: value * iterations as f64,
        core_kind: whole.core_kind,
        probes: whole.probes,
        ..plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Probes, ProcessValue};

    fn whole() -> Measurement {
        Measurement {
            iterations: 2,
            wall_ns: 1_000.0,
            value: 500.0,
            thread_cpu_ns: Some(700),
            process_cpu_ns: Some(900),
            minor_faults: Some(3),
            probes: Probes { clock_ghz: Some(4.0), ..Probes::default() },
            ..Measurement::default()
        }
    }

    fn take(stages: Vec<StageTime>) -> Take {
        Take { measurement: whole(), stages }
    }

    fn lex(thread_cpu_ns: Option<u64>) -> StageTime {
        let name = "lex".to_owned();
        StageTime { name, calls: 2, wall_ns: 60.0, thread_cpu_ns, ..StageTime::default() }
    }

    #[test]
    fn a_stage_of_a_short_batch_was_as_undisturbed_as_the_whole() {
        let seen = SeriesKind::Stage("lex".into()).of(&take(vec![lex(None)])).unwrap();
        assert_eq!(seen, Measurement { value: 30.0, ..whole() });
    }

    #[test]
    fn a_stage_of_a_long_iteration_speaks_for_itself() {
        let seen = SeriesKind::Stage("lex".into()).of(&take(vec![lex(Some(60))])).unwrap();
        assert_eq!((seen.wall_ns, seen.value, seen.thread_cpu_ns), (60.0, 30.0, Some(60)));
        assert_eq!((seen.minor_faults, seen.probes), (None, whole().probes));
    }

    #[test]
    fn a_stage_that_one_measurement_did_not_reach_has_no_series_in_its_process() {
        let process =
            ProcessRecord { takes: vec![take(vec![lex(None)]), take(vec![])], values: Vec::new() };
        assert_eq!(SeriesKind::Stage("lex".into()).of_process(&process), None);
        assert_eq!(SeriesKind::Whole.of_process(&process), Some(vec![whole(); 2]));
    }

    #[test]
    fn time_on_the_processor_is_normalised_and_counts_are_not() {
        let seen = |usage| SeriesKind::Usage(usage).of(&take(Vec::new())).unwrap();
        let (cpu, faults) = (seen(Usage::Cpu), seen(Usage::Faults));
        assert_eq!((cpu.value, cpu.thread_cpu_ns, cpu.probes), (450.0, None, whole().probes));
        assert_eq!((faults.value, faults.probes), (1.5, Probes::default()));
        assert_eq!(SeriesKind::Usage(Usage::Switches).of(&take(Vec::new())), None);
    }

    #[test]
    fn what_is_known_once_is_one_measurement() {
        let values = vec![ProcessValue { metric: Metric::allocations(), value: 7.0 }];
        let process = ProcessRecord { takes: vec![take(Vec::new()); 3], values };
        let seen = SeriesKind::Process(Metric::allocations()).of_process(&process);
        assert_eq!(seen, Some(vec![Measurement::of_value(7.0)]));
        assert_eq!(SeriesKind::Process(Metric::peak_bytes()).of_process(&process), None);
    }
}
