//! The series of one test, each with its history and its trial.

mod accepted_level;
mod lost_series;

use super::crowding::crowding;
use super::loaded_history::LoadedHistory;
use super::recording::{FreshMeasurer, MeasurementSource, Recording};
use super::series::TrialSeries;
use super::test_context::TestContext;
use crate::measure::{Allocations, BuildDirectories, Failure, event_of};
use crate::own_metric::OwnMetric;
use crate::sink::Sink;
use perftest_core::list::IntoList;
use perftest_core::model::{
    BenchmarkId, Evidence, MachineState, Metric, ProcessValue, Reason, Sample, SeriesKind,
    Tolerance,
};
use perftest_core::words::{describe_note, quantity};
use perftest_machine::{Countable, Counter};
use std::path::{Path, PathBuf};

/// A stage below this share of the shortest measurable time fails its test. Between the two the
/// stage gets no verdict, so that a stage near the bound does not fail now and then.
const MUCH_TOO_SHORT: f64 = 0.5;

/// Judges all series of a test over one recording.
pub(super) struct SeriesRunner<'a> {
    context: &'a TestContext<'a>,
    sink: &'a mut dyn Sink,
    whole: &'a LoadedHistory,
    /// The machine before the first measurement.
    before: &'a MachineState,
    benchmark: BenchmarkId,
    /// The further metrics with a verdict, as the attribute lists them.
    pub metrics: &'static [&'static str],
    afresh: &'a mut dyn FreshMeasurer,
    pub recording: Recording,
    /// The verdict on the whole, once there is one.
    pub evidence: Option<Evidence>,
    pub further: Vec<TrialSeries>,
    /// Series without a verdict, and why.
    pub without_verdict: Vec<(String, String)>,
    /// Why the history of a series could not be read, the first of them.
    pub unreadable: Option<String>,
    /// What the routine cannot measure this time, and why.
    pub unmeasurable: Vec<(String, String)>,
}

impl<'a> SeriesRunner<'a> {
    pub(super) fn new(
        context: &'a TestContext<'a>,
        whole: &'a LoadedHistory,
        before: &'a MachineState,
        afresh: &'a mut dyn FreshMeasurer,
        sink: &'a mut dyn Sink,
    ) -> Self {
        Self {
            context,
            sink,
            whole,
            before,
            benchmark: context.test.benchmark(),
            metrics: context.test.metrics,
            afresh,
            recording: Recording::default(),
            evidence: None,
            further: Vec::new(),
            without_verdict: Vec::new(),
            unreadable: None,
            unmeasurable: Vec::new(),
        }
    }

    /// Fails where a test has started a program that cargo built, and the attribute saw none: changes of that program
    /// would be unchanged code.
    ///
    /// # Errors
    /// [`Failure::Command`].
    pub(super) fn refuse_unknown_program(&self, programs: &[PathBuf]) -> Result<(), Failure> {
        let test = self.context.test;
        let directories = BuildDirectories::new(test.program_directories.iter().map(Path::new));
        let unknown = programs.iter().find(|it| test.programs.is_none() && directories.have(it));
        match unknown {
            Some(program) => Err(Failure::Command(format!(
                "`{}` is started in a helper or a macro: call `command` in the body of the test itself, so that the \
                 program's code counts",
                program.display()
            ))),
            None => Ok(()),
        }
    }

    /// Judges what the measurements contain: the whole, its stages, and the metrics that the
    /// attribute lists. A stage whose calls last less than `shortest_ns` gets no verdict.
    ///
    /// # Errors
    /// The failure of the body or of a series.
    pub(super) fn judge(
        &mut self,
        source: &mut dyn MeasurementSource,
        shortest_ns: f64,
    ) -> Result<(), Failure> {
        self.evidence = Some(self.verdict(&SeriesKind::Whole, self.whole, source)?);
        self.recording.refuse_much_too_short(shortest_ns)?;
        for stage in self.recording.own.stages() {
            match self.recording.too_short(&stage, shortest_ns) {
                Some(why) => self.without_verdict.push((stage, why)),
                None => self.judge_further(SeriesKind::Stage(stage), source)?,
            }
        }
        let metrics = self.metrics.iter().filter_map(|name| SeriesKind::built_in(name));
        for series_kind in metrics.filter(|it| matches!(it, SeriesKind::Usage(_))) {
            match self.crowded_out(&series_kind) {
                Some(why) => self.without_verdict.push((series_kind.name(), why)),
                None => self.judge_further(series_kind, source)?,
            }
        }
        self.recording.refuse_partly_reached()?;
        self.miss_stages()
    }

    /// Judges the values that are counted once: the counters that the attribute lists, and the
    /// author's own metrics with a tolerance.
    ///
    /// # Errors
    /// The failure of a series.
    pub(super) fn judge_values(&mut self, own: Vec<OwnMetric>) -> Result<(), Failure> {
        let metrics = self.metrics.iter().filter_map(|name| SeriesKind::built_in(name));
        for series_kind in metrics.filter(|it| matches!(it, SeriesKind::Process(_))) {
            let metric = series_kind.metric();
            // The unit of instructions depends on the counter.
            let value = self.recording.own.value_named(&metric.name).cloned();
            match (value, self.unmeasurable.iter().find(|(name, _)| *name == metric.name)) {
                (Some(value), _) => self.judge_value(value, None)?,
                (None, Some(unmeasurable)) => self.without_verdict.push(unmeasurable.clone()),
                (None, None) => return Err(not_known(&metric)),
            }
        }
        for OwnMetric { value, tolerance } in own {
            self.recording.own.values.push(value.clone());
            if tolerance.is_some() {
                self.judge_value(value, tolerance)?;
            }
        }
        self.miss_own_metrics()
    }

    /// Why no measurement has this usage, if that is because the threads took turns: then it is not recorded.
    fn crowded_out(&self, usage: &SeriesKind) -> Option<String> {
        let is_recorded = self.recording.own.takes.iter().any(|take| usage.of(take).is_some());
        let note = crowding(self.context.session, self.context.test).filter(|_| !is_recorded);
        note.as_ref().map(describe_note)
    }

    /// Whether the test has no baseline, and is long enough to be measured.
    pub(super) fn is_new_and_measurable(&self) -> bool {
        let floor = self.context.shortest_measurable(&SeriesKind::Whole, None);
        let is_new = |it: &Evidence| it.clone().measurable_from(floor).reason == Reason::NoBaseline;
        self.evidence.as_ref().is_some_and(is_new)
    }

    /// The history of a further series, whose tolerance the body may have given. A series whose history cannot be read has
    /// no verdict.
    fn known(
        &mut self,
        series_kind: &SeriesKind,
        tolerance: Option<Tolerance>,
    ) -> Option<LoadedHistory> {
        let TestContext { session, test, .. } = self.context;
        let whole = self.whole;
        let known = LoadedHistory::beside(whole, session, test, series_kind, tolerance, self.sink);
        self.or_unread(&series_kind.name(), known)
    }

    /// Returns what was read for a series, or leaves the series without a verdict. What the others proved stands.
    fn or_unread<T>(&mut self, name: &str, read: Result<T, String>) -> Option<T> {
        let why = match read {
            Ok(read) => return Some(read),
            Err(why) => why,
        };
        self.without_verdict.push((name.to_owned(), why.clone()));
        self.unreadable.get_or_insert(why);
        None
    }

    fn verdict(
        &mut self,
        series_kind: &SeriesKind,
        known: &LoadedHistory,
        source: &mut dyn MeasurementSource,
    ) -> Result<Evidence, Failure> {
        self.decide(series_kind, known, None, &mut |recording, trial, afresh| {
            recording.judge(series_kind, trial, known.of_good_builds(), source, afresh)
        })
    }

    fn judge_further(
        &mut self,
        series_kind: SeriesKind,
        source: &mut dyn MeasurementSource,
    ) -> Result<(), Failure> {
        let Some(known) = self.known(&series_kind, None) else { return Ok(()) };
        let evidence = self.verdict(&series_kind, &known, source)?;
        self.further.push(TrialSeries { series_kind, known, tolerance: None, evidence });
        Ok(())
    }

    fn judge_value(
        &mut self,
        value: ProcessValue,
        tolerance: Option<Tolerance>,
    ) -> Result<(), Failure> {
        let series_kind = SeriesKind::Process(value.metric.clone());
        let Some(mut known) = self.known(&series_kind, tolerance) else { return Ok(()) };
        if known.own.is_repeated_by(&series_kind, value.value) {
            known.other_speed = None;
        }
        let judge = &mut |recording: &mut Recording, trial, afresh: &mut dyn FreshMeasurer| {
            recording.judge_value(&value, trial, known.of_good_builds(), afresh)
        };
        let evidence = self.decide(&series_kind, &known, tolerance, judge)?;
        self.further.push(TrialSeries { series_kind, known, tolerance, evidence });
        Ok(())
    }
}

impl Recording {
    /// Refuses stages that the clock can hardly measure.
    ///
    /// # Errors
    /// The failure of the first such stage.
    fn refuse_much_too_short(&self, shortest_ns: f64) -> Result<(), Failure> {
        let is_much_too_short = |stage: &String| {
            self.each_ns(stage).is_some_and(|it| it < MUCH_TOO_SHORT * shortest_ns)
        };
        match self.own.stages().into_iter().find(is_much_too_short) {
            Some(stage) => {
                let why = self.too_short(&stage, shortest_ns).unwrap_or_default();
                Err(Failure::Series(format!("the stage `{stage}` cannot be judged: {why}")))
            }
            None => Ok(()),
        }
    }

    /// Why the clock is too coarse for a stage; `None` if it is fine enough.
    fn too_short(&self, stage: &str, shortest_ns: f64) -> Option<String> {
        let each_ns = self.each_ns(stage).filter(|each_ns| *each_ns < shortest_ns)?;
        Some(format!(
            "{} a call is less than 100 steps of the clock ({}): give it more work in a call, or make \
             it one stage with the one beside it",
            quantity(each_ns, "ns"),
            quantity(shortest_ns, "ns")
        ))
    }

    /// Median duration of a call of the stage.
    fn each_ns(&self, stage: &str) -> Option<f64> {
        let reached = self.own.takes.iter().flat_map(|take| &take.stages);
        let calls = reached.filter(|it| it.name == stage && it.calls > 0);
        let each: Vec<f64> = calls.map(|it| it.wall_ns / it.calls as f64).into_list();
        Sample::median_of(&each)
    }
}

/// The failure of a metric that only the processor counts.
fn not_counted(event: Countable, name: &str) -> Failure {
    let refusal = Counter::of_this_thread(event).and_then(|counter| counter.read()).err();
    let why = refusal.map_or_else(|| "others used it meanwhile".to_owned(), |it| it.to_string());
    let way_out = match event {
        Countable::Instructions => {
            "Or let valgrind count: install it and set PERFTEST_INSTRUCTIONS=valgrind. Or take it out"
        }
        _ => "Or take it out",
    };
    Failure::Series(format!(
        "`{name}` cannot be judged because the processor's counter cannot be read: {why}. {way_out} \
         of `metrics`"
    ))
}

fn not_known(metric: &Metric) -> Failure {
    if let Some(event) = event_of(&metric.name) {
        return not_counted(event, &metric.name);
    }
    let of_commands = [Metric::user_time(), Metric::system_time(), Metric::peak_resident()];
    let way_out = if of_commands.contains(metric) {
        "because only a whole process has it, on a system that reports it. Measure with \
         b.command(..), or take it out of `metrics`"
    } else if Allocations::are_counted() {
        "because allocations cannot be counted in a separate process, in several threads, and in \
         `iter_custom`. Take it out of `metrics`"
    } else {
        "because this test binary counts no allocations. Add to it: #[global_allocator] static \
         ALLOCATOR: perftest::CountingAllocator = perftest::CountingAllocator::new();"
    };
    Failure::Series(format!("`{}` cannot be judged {way_out}", metric.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{StageTime, Take};

    /// Three measurements with two calls of a stage in each.
    fn recording_of_stage(each_ns: [f64; 3]) -> Recording {
        let take = |each_ns| {
            let name = "lex".to_owned();
            let stage =
                StageTime { name, calls: 2, wall_ns: 2.0 * each_ns, ..StageTime::default() };
            Take { stages: vec![stage], ..Take::default() }
        };
        let mut recording = Recording::default();
        recording.own.takes = each_ns.map(take).to_vec();
        recording
    }

    #[test]
    fn a_stage_near_the_shortest_has_no_verdict_and_one_of_less_than_half_fails_the_test() {
        let judged = |each_ns| {
            let recording = recording_of_stage(each_ns);
            (
                recording.refuse_much_too_short(1_000.0).is_ok(),
                recording.too_short("lex", 1_000.0).is_none(),
            )
        };
        assert_eq!(judged([400.0, 1_010.0, 1_100.0]), (true, true));
        assert_eq!(judged([400.0, 990.0, 1_100.0]), (true, false));
        assert_eq!(judged([400.0, 510.0, 1_100.0]), (true, false));
        assert_eq!(judged([400.0, 490.0, 1_100.0]), (false, false));
    }

    #[test]
    fn a_stage_that_fails_the_test_is_reported_with_both_times_and_the_way_out() {
        let failure = recording_of_stage([31.0; 3]).refuse_much_too_short(1_000.0).unwrap_err();
        let failure = failure.to_string();
        for part in ["the stage `lex` cannot be judged: 31.00 ns a call", "(1.000 us)", "one stage"]
        {
            assert!(failure.contains(part), "{failure}");
        }
    }
}
