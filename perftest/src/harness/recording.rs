//! The measurements of a test for all of its series: measured once, and read by one trial after
//! the other.

mod fresh;
#[cfg(test)]
mod script;

pub(super) use fresh::{BaseProcess, FreshMeasurer, FreshProcess, Refusal, Request};

use super::series_history::SeriesHistory;
use crate::measure::{Failure, MeterReading};
use fresh::each_process_once;
use perftest_core::judge::{Step, StepAnswer, Trial};
use perftest_core::list::IntoList;
use perftest_core::model::{Evidence, Measurement, ProcessRecord, ProcessValue, SeriesKind};
use perftest_core::order::sort;
use std::time::Duration;

/// Measurements of this process, and of the fresh processes that were started.
#[derive(Default)]
pub(super) struct Recording {
    /// This process.
    pub own: ProcessRecord,
    /// The fresh processes, in order.
    pub fresh: Vec<FreshProcess>,
    /// Iterations of a measurement.
    pub iterations: u64,
    /// The end of each measurement of this process, since the start of the first one.
    moments: Vec<Duration>,
    /// The duration of each measurement, with set-up and drops.
    costs: Vec<Duration>,
    /// Why no fresh process can be measured.
    refusal: Option<Refusal>,
    /// A pause that is due before the next measurement.
    owed: Option<Duration>,
}

/// Where measurements of this process come from when the recording has no more.
pub(super) trait MeasurementSource {
    /// Takes one more measurement, and returns its end.
    ///
    /// # Errors
    /// The failure of the body.
    fn take(&mut self) -> Result<(MeterReading, Duration), Failure>;

    /// Waits for `pause`, and warms up.
    ///
    /// # Errors
    /// The failure of the body.
    fn pause(&mut self, pause: Duration) -> Result<(), Failure>;
}

type MeasurementAndEnd = Result<(Measurement, Duration), Failure>;

impl Recording {
    /// Gives a trial the recorded measurements of this series, and records the further ones that
    /// the trial asks for. `base_history` has the last good builds that the series is compared with.
    ///
    /// # Errors
    /// The failure of the body, or of a measurement that lacks this series.
    pub(super) fn judge(
        &mut self,
        series_kind: &SeriesKind,
        trial: Trial,
        base_history: &SeriesHistory,
        source: &mut dyn MeasurementSource,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Evidence, Failure> {
        let mut read = 0;
        let mut measure = |recording: &mut Self, trial: &mut Trial| {
            let newest = read;
            if newest == recording.own.takes.len() {
                recording.take(source)?;
            }
            let whole = &recording.own.takes[newest].measurement;
            trial.make_room_at_cost(whole, recording.costs[newest]);
            read += 1;
            Ok((recording.measurement(series_kind, newest)?, recording.moments[newest]))
        };
        self.decide(series_kind, trial, base_history, afresh, &mut measure)
    }

    /// The same for a value that is counted once in a process: it is the same however often it is
    /// read.
    ///
    /// # Errors
    /// A fresh process that lacks the author's own value.
    pub(super) fn judge_value(
        &mut self,
        value: &ProcessValue,
        trial: Trial,
        base_history: &SeriesHistory,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Evidence, Failure> {
        let series_kind = SeriesKind::Process(value.metric.clone());
        let counted = Measurement::of_value(value.value);
        let mut measure = |_: &mut Self, _: &mut Trial| Ok((counted, Duration::ZERO));
        let evidence = self.decide(&series_kind, trial, base_history, afresh, &mut measure)?;
        Ok(each_process_once(evidence))
    }

    /// Answers a trial until it is over. `measure` returns the next measurement of this process, and its end.
    fn decide(
        &mut self,
        series_kind: &SeriesKind,
        mut trial: Trial,
        base_history: &SeriesHistory,
        afresh: &mut dyn FreshMeasurer,
        measure: &mut dyn FnMut(&mut Self, &mut Trial) -> MeasurementAndEnd,
    ) -> Result<Evidence, Failure> {
        let (mut processes, mut now) = (0, Duration::ZERO);
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    let (measurement, end) = measure(self, &mut trial)?;
                    now = end;
                    StepAnswer::Measured(measurement)
                }
                Step::Wait(pause) => self.wait(pause),
                Step::Pair(plan) => {
                    let pairing =
                        self.pair(series_kind, &mut processes, &plan, base_history, afresh)?;
                    StepAnswer::Paired(pairing)
                }
                Step::Confirm { measurements, .. } => {
                    let confirmation =
                        self.confirm(series_kind, &mut processes, measurements, afresh)?;
                    StepAnswer::Confirmed(confirmation)
                }
                Step::Done(evidence) => return Ok(*evidence),
            };
            trial.observe(observed, now);
        }
    }

    /// Refuses a stage that some measurements reached and others did not.
    ///
    /// # Errors
    /// Its failure.
    pub(super) fn refuse_partly_reached(&self) -> Result<(), Failure> {
        let takes = 0..self.own.takes.len();
        let mut stages = self.own.stages().into_iter().map(SeriesKind::Stage);
        stages.try_for_each(|stage| {
            takes.clone().try_for_each(|take| self.measurement(&stage, take).map(drop))
        })
    }

    /// Returns the answer to a pause. The wait itself begins only before the next measurement.
    fn wait(&mut self, pause: Duration) -> StepAnswer {
        self.owed = Some(pause);
        StepAnswer::Waited
    }

    fn take(&mut self, source: &mut dyn MeasurementSource) -> Result<(), Failure> {
        if let Some(pause) = self.owed.take() {
            source.pause(pause)?;
        }
        let (MeterReading { take, cost }, moment) = source.take()?;
        self.own.takes.push(take);
        self.costs.push(cost);
        self.moments.push(moment);
        Ok(())
    }

    fn measurement(&self, series_kind: &SeriesKind, take: usize) -> Result<Measurement, Failure> {
        series_kind.of(&self.own.takes[take]).ok_or_else(|| self.missing(series_kind))
    }

    fn missing(&self, series_kind: &SeriesKind) -> Failure {
        let all = self.own.takes.len();
        let known = self.own.takes.iter().count_where(|take| series_kind.of(take).is_some());
        let name = series_kind.name();
        Failure::Series(match series_kind {
            SeriesKind::Stage(_) => format!(
                "the stage `{name}` was reached in {known} of {all} measurements: it cannot be \
                 compared. Reach it in every iteration, or measure the two cases in a test each"
            ),
            _ => format!(
                "the metric `{name}` is missing in some measurements ({known} of {all} have it): this \
                 system does not always report it. Take it out of `metrics`"
            ),
        })
    }

    /// The batches of this process with the size of a measurement, in their order.
    pub(super) fn course(&self, warm_up: &[Measurement]) -> Vec<Measurement> {
        let warm_up = warm_up.iter().filter(|batch| batch.iterations == self.iterations);
        warm_up.copied().chain(self.own.measurements()).into_list()
    }

    /// Median duration of this process's measurements, with set-up and drops.
    pub(super) fn usual_batch(&self) -> Duration {
        let mut costs = self.costs.clone();
        sort(&mut costs);
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    }

    /// The longest measurement of this process, with set-up and drops.
    pub(super) fn longest_batch(&self) -> Duration {
        self.costs.iter().copied().max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::script::{Script, judge, lex};
    use super::*;
    use perftest_core::model::Reason;

    #[test]
    fn a_second_series_reads_what_was_measured_for_the_first_and_nothing_is_measured_again() {
        let (mut recording, mut script) = (Recording::default(), Script::of(100.0));
        let whole = judge(&mut recording, &mut script, &SeriesKind::Whole, 1_000.0).unwrap();
        let stage = judge(&mut recording, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green; 2]);
        assert_eq!((whole.measurements, stage.measurements, script.taken), (3, 3, 3));
    }

    #[test]
    fn a_stage_is_red_while_the_whole_is_green_and_the_recording_grows_for_it_alone() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let whole = judge(&mut recording, &mut script, &SeriesKind::Whole, 1_000.0).unwrap();
        let stage = judge(&mut recording, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green, Reason::Red]);
        assert!(script.taken > 3 && script.taken == recording.own.takes.len());
        assert_eq!((script.asked.len(), recording.fresh.len()), (3, 3));
        assert!(
            script.asked[0].pause >= Duration::from_millis(200),
            "fresh processes are started apart"
        );
    }

    #[test]
    fn what_a_measurement_costs_beside_its_wall_time_is_of_its_budget() {
        let mut recording = Recording::default();
        let mut script = Script { cost: Duration::from_secs(2), ..Script::of(100.0) };
        let slower = judge(&mut recording, &mut script, &SeriesKind::Whole, 500.0).unwrap();
        assert_eq!(slower.reason, Reason::Red);
        assert_eq!(recording.longest_batch(), Duration::from_secs(2));
        let asked: Vec<u32> = script.asked.iter().map(|it| it.measurements).collect();
        assert_eq!((script.taken, asked), (2, vec![2; 3]), "3 s have room for two of 2 s");
    }

    #[test]
    fn a_stage_is_measured_no_more_often_than_the_budget_has_room_for_the_whole() {
        let mut recording = Recording::default();
        let mut script = Script { whole_ns: 1.4e9, ..Script::of(150e6) };
        let whole = judge(&mut recording, &mut script, &SeriesKind::Whole, 1.4e9).unwrap();
        let stage = judge(&mut recording, &mut script, &lex(), 100e6).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green, Reason::Red]);
        let asked: Vec<u32> = script.asked.iter().map(|request| request.measurements).collect();
        assert_eq!((script.taken, asked), (3, vec![3; 3]));
    }

    #[test]
    fn a_process_that_idled_while_others_were_asked_warms_up_before_it_measures_on() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        judge(&mut recording, &mut script, &SeriesKind::Whole, 800.0).unwrap();
        // The whole needed fewer measurements than its stage needs.
        let needed = recording.own.takes.len();
        recording.own.takes.truncate(needed - 1);
        recording.moments.truncate(needed - 1);
        judge(&mut recording, &mut script, &lex(), 100.0).unwrap();
        assert_eq!(script.paused, [Duration::ZERO]);
    }

    #[test]
    fn a_stage_that_some_measurements_reached_and_others_did_not_is_refused() {
        let (mut recording, mut script) = (Recording::default(), Script::of(100.0));
        judge(&mut recording, &mut script, &SeriesKind::Whole, 1_000.0).unwrap();
        recording.refuse_partly_reached().unwrap();
        recording.own.takes[1].stages.clear();
        let failure = recording.refuse_partly_reached().unwrap_err().to_string();
        assert!(failure.contains("`lex` was reached in 2 of 3 measurements"), "{failure}");
    }
}
