//! A scripted body with its fresh processes, for tests.

use super::{
    BaseProcess, FreshMeasurer, FreshProcess, MeasurementSource, Recording, Refusal, Request,
};
use crate::harness::series_history::SeriesHistory;
use crate::measure::{Failure, MeterReading};
use perftest_core::judge::{PairPlan, Policy, Trial};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Baseline, BaselineRule, BenchmarkId, Direction, Evidence, Measurement, Metric, ProcessRecord,
    ProcessValue, Run, RunId, SeriesKind, StageTime, Take, Tolerance,
};
use std::time::Duration;

/// A body with a stage, the same in every process; it counts its requests.
pub(super) struct Script {
    pub(super) whole_ns: f64,
    pub(super) stage_ns: f64,
    pub(super) allocations: f64,
    /// Fresh processes do not reach the stage.
    pub(super) loses_stage: bool,
    /// Duration of a measurement outside its wall time.
    pub(super) cost: Duration,
    pub(super) taken: usize,
    pub(super) asked: Vec<Request>,
    pub(super) paused: Vec<Duration>,
}

impl Script {
    pub(super) fn of(stage_ns: f64) -> Self {
        let (asked, paused) = (Vec::new(), Vec::new());
        let whole_ns = 1_000.0;
        Self {
            whole_ns,
            stage_ns,
            allocations: 7.0,
            loses_stage: false,
            cost: Duration::ZERO,
            taken: 0,
            asked,
            paused,
        }
    }

    fn take(&self, index: usize) -> Take {
        let jitter = 1.0 + 0.001 * ((index * 7) % 5) as f64;
        let stage = StageTime {
            name: "lex".into(),
            calls: 1,
            wall_ns: self.stage_ns * jitter,
            // As in a long iteration, whose stages have a processor time of their own.
            thread_cpu_ns: Some((self.stage_ns * jitter) as u64),
            ..StageTime::default()
        };
        let measurement = Measurement::of_value(self.whole_ns * jitter);
        Take { measurement, stages: vec![stage] }
    }

    pub(super) fn values(&self) -> Vec<ProcessValue> {
        vec![ProcessValue { metric: Metric::allocations(), value: self.allocations }]
    }

    pub(super) fn fresh(&self, count: u32) -> FreshProcess {
        let mut takes: Vec<Take> = (0..count as usize).map(|index| self.take(index)).into_list();
        if self.loses_stage {
            takes.iter_mut().for_each(|take| take.stages.clear());
        }
        FreshProcess {
            id: RunId::new(0, 0),
            judged: ProcessRecord { takes, values: self.values() },
            base: None,
            others_cpus: Some(0.0),
            elapsed: Duration::ZERO,
        }
    }
}

impl MeasurementSource for Script {
    fn take(&mut self) -> Result<(MeterReading, Duration), Failure> {
        self.taken += 1;
        let cost = Duration::from_nanos(self.whole_ns as u64).max(self.cost);
        let moment = cost.max(Duration::from_millis(1)) * self.taken as u32;
        let take = Script::take(self, self.taken - 1);
        Ok((MeterReading { take, cost }, moment))
    }

    fn pause(&mut self, pause: Duration) -> Result<(), Failure> {
        self.paused.push(pause);
        Ok(())
    }
}

/// Fresh processes without a last good build.
pub(super) struct Alone<F>(pub(super) F);

impl<F: FnMut(&Request) -> Result<FreshProcess, Refusal>> FreshMeasurer for Alone<F> {
    fn alone(&mut self, request: &Request) -> Result<FreshProcess, Refusal> {
        self.0(request)
    }

    fn pair(
        &mut self,
        _: &Request,
        _: &PairPlan,
        _: &SeriesHistory,
    ) -> Result<FreshProcess, Refusal> {
        Err(Refusal::NoBase)
    }
}

/// Fresh processes beside a last good build.
pub(super) struct InPairs<'a> {
    pub(super) head: Script,
    pub(super) base: &'a Script,
    /// Pairs that were requested.
    pub(super) pairs: usize,
}

impl FreshMeasurer for InPairs<'_> {
    fn alone(&mut self, _: &Request) -> Result<FreshProcess, Refusal> {
        panic!("there is a last good build")
    }

    fn pair(
        &mut self,
        _: &Request,
        plan: &PairPlan,
        base_history: &SeriesHistory,
    ) -> Result<FreshProcess, Refusal> {
        let run = base_history.baseline.runs.first().ok_or(Refusal::NoBase)?.id.clone();
        self.pairs += 1;
        let turns = plan.turns.len() as u32;
        let record = self.base.fresh(turns).judged;
        let base = Some(BaseProcess { run, commit: String::new(), dirty: false, record });
        Ok(FreshProcess { base, ..self.head.fresh(turns) })
    }
}

/// The history of every series.
pub(super) fn history() -> SeriesHistory {
    history_of(RunId::new(0, 0))
}

/// A history whose baseline is this run.
pub(super) fn history_of(run: RunId) -> SeriesHistory {
    let mut history = SeriesHistory::nothing("");
    let benchmark = BenchmarkId::from_recorded("encode");
    history.baseline.runs = [Run::blank(run, benchmark, Metric::wall())].into();
    history
}

pub(super) fn trial(series_kind: &SeriesKind, level: f64) -> Trial {
    let mut baseline = Baseline::empty(&BaselineRule::default());
    let center = |run: usize| level * (1.0 + 0.0005 * (run % 5) as f64);
    baseline.centers = (0..30).map(|run| center(run).into()).into_list();
    baseline.sequences = baseline.centers.iter().map(|center| vec![*center; 5]).into_list();
    let policy = Policy { tolerance: Tolerance::default(), ..Policy::of(&series_kind.metric()) };
    Trial::new(baseline, Direction::Lower, policy)
}

pub(super) fn judge(
    recording: &mut Recording,
    script: &mut Script,
    series_kind: &SeriesKind,
    level: f64,
) -> Result<Evidence, Failure> {
    let answers = Script { asked: Vec::new(), paused: Vec::new(), ..*script };
    let mut asked = Vec::new();
    let mut afresh = Alone(|request: &Request| {
        asked.push(request.clone());
        Ok(answers.fresh(request.measurements))
    });
    let trial = trial(series_kind, level);
    let evidence = recording.judge(series_kind, trial, &history(), script, &mut afresh);
    script.asked.append(&mut asked);
    evidence
}

pub(super) fn lex() -> SeriesKind {
    SeriesKind::Stage("lex".into())
}
