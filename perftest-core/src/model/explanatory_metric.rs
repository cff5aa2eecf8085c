//! Metrics beside the judged value that explain it.

use super::{InstructionCounter, Metric, ProcessRecord, Sample, SeriesKind, StageTime, Usage};
use crate::list::IntoList;

/// Fewest earlier runs with the metric: fewer may be chance. A convention: three are the fewest with a middle.
const FEWEST_RUNS: usize = 3;

/// Usages that explain a change of wall time. Time of the measuring thread is omitted: it equals
/// that of the process, or explains less.
const EXPLAINING: [Usage; 3] = [Usage::Cpu, Usage::Faults, Usage::Switches];

/// A value of one iteration beside the judged one, with its earlier value: it explains, and has no
/// verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplanatoryMetric {
    /// Name of the metric, or of the stage with a `/` before it.
    pub name: String,
    /// Median of this process.
    pub now: f64,
    /// Median of the baseline runs; `None` if too few of them have the metric.
    pub before: Option<f64>,
}

impl ExplanatoryMetric {
    /// The name of instructions by valgrind, which are not comparable with the processor's.
    pub const INSTRUCTIONS_BY_VALGRIND: &'static str = "valgrind_instructions";

    /// Returns all metrics of the process beside wall time, with their values in the baseline.
    pub fn all<'a>(process: &ProcessRecord, baseline: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let before: Vec<&Self> = baseline.into_list();
        let with_before = |(name, now): (String, f64)| {
            let known = before.iter().filter(|it| it.name == name).map(|it| it.now);
            let known: Vec<f64> = known.into_list();
            let before = Sample::median_of(&known).filter(|_| known.len() >= FEWEST_RUNS);
            Self { name, now, before }
        };
        Self::medians(process).into_iter().map(with_before).into_list()
    }

    /// Returns all metrics of the process beside wall time with their medians, by name.
    pub(crate) fn medians(process: &ProcessRecord) -> Vec<(String, f64)> {
        let usages = EXPLAINING.map(|usage| {
            let values: Vec<f64> =
                process.takes.iter().filter_map(|take| usage.of(&take.measurement)).into_list();
            (usage.metric().name, Sample::median_of(&values))
        });
        let stages = process.stages().into_iter().map(|stage| {
            let of_take = |take| SeriesKind::Stage(stage.clone()).of(take);
            let values: Vec<f64> =
                process.takes.iter().filter_map(of_take).map(|it| it.value).into_list();
            (Self::name_of_stage(&stage), Sample::median_of(&values))
        });
        let once = process.values.iter().map(|it| (name_of_value(&it.metric), Some(it.value)));
        let all = usages.into_iter().chain(stages).chain(once);
        all.filter_map(|(name, median)| Some((name, median?))).into_list()
    }

    /// Returns the name of a stage among explanatory metrics.
    pub fn name_of_stage(stage: &str) -> String {
        format!("/{stage}")
    }

    /// Returns the stage, if this is one.
    ///
    /// ```
    /// use perftest_core::model::ExplanatoryMetric;
    /// let lex = ExplanatoryMetric { name: ExplanatoryMetric::name_of_stage("lex"), now: 1.0, before: None };
    /// assert_eq!(lex.stage(), Some("lex"));
    /// ```
    pub fn stage(&self) -> Option<&str> {
        self.name.strip_prefix('/')
    }

    /// Returns the name of the author's own metric, if this is one.
    ///
    /// ```
    /// use perftest_core::model::ExplanatoryMetric;
    /// let explanatory_metric = |name: &str| ExplanatoryMetric { name: name.into(), now: 1.0, before: None };
    /// assert_eq!(explanatory_metric("bytes_out").own_metric(), Some("bytes_out"));
    /// assert_eq!(explanatory_metric("allocs").own_metric(), None);
    /// assert_eq!(explanatory_metric("/lex").own_metric(), None);
    /// ```
    pub fn own_metric(&self) -> Option<&str> {
        let is_ours = SeriesKind::built_in(&self.name).is_some()
            || self.name == Self::INSTRUCTIONS_BY_VALGRIND;
        (!is_ours && self.stage().is_none()).then_some(&self.name)
    }
}

/// Earlier runs have only this name, and their counter may have been another one.
fn name_of_value(metric: &Metric) -> String {
    if *metric == Metric::instructions(InstructionCounter::Valgrind) {
        return ExplanatoryMetric::INSTRUCTIONS_BY_VALGRIND.to_owned();
    }
    metric.name.clone()
}

impl ProcessRecord {
    /// Returns the names of the stages that its measurements reached, in the order of the first
    /// calls.
    pub fn stages(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let reached = self.takes.iter().flat_map(|take| &take.stages);
        for StageTime { name, .. } in reached.filter(|stage| stage.calls > 0) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Measurement, ProcessValue, Take};

    fn process() -> ProcessRecord {
        let take = |cpu_ns, lex_ns| Take {
            measurement: Measurement { process_cpu_ns: Some(cpu_ns), ..Measurement::of_value(9.0) },
            stages: vec![StageTime {
                name: "lex".into(),
                calls: 1,
                wall_ns: lex_ns,
                ..StageTime::default()
            }],
        };
        ProcessRecord {
            takes: vec![take(5, 2.0), take(9, 3.0), take(7, 4.0)],
            values: vec![ProcessValue { metric: Metric::allocations(), value: 12.0 }],
        }
    }

    #[test]
    fn usage_stages_and_what_is_known_once_are_reported_by_their_medians() {
        let all = ExplanatoryMetric::all(&process(), [].into_iter());
        let summary: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.now, it.before)).collect();
        assert_eq!(summary, [("cpu", 7.0, None), ("/lex", 3.0, None), ("allocs", 12.0, None)]);
        assert_eq!(process().stages(), ["lex"]);
    }

    #[test]
    fn instructions_are_kept_apart_by_who_counts_them() {
        let name = |counter| name_of_value(&Metric::instructions(counter));
        assert_eq!(name(InstructionCounter::Processor), "instructions");
        assert_eq!(name(InstructionCounter::Valgrind), "valgrind_instructions");
    }
}
