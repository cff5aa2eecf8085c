//! One of the series of a test, with its verdict, and its measurements with their conditions.

use super::loaded_history::LoadedHistory;
use perftest_core::judge::{Condition, Inspector, MachineBaseline, Tally, with_conditions};
use perftest_core::model::{
    Evidence, Measurement, ProcessRecord, Reason, Run, SeriesKind, Tolerance,
};

/// A series with its verdict.
pub(super) struct TrialSeries {
    pub series_kind: SeriesKind,
    pub known: LoadedHistory,
    /// A tolerance of its own.
    pub tolerance: Option<Tolerance>,
    pub evidence: Evidence,
}

impl TrialSeries {
    /// Whether the state of the machine does not matter to the verdict: by the metric, or because a value of the
    /// whole process is green and equals that of every baseline run.
    pub(super) fn stands_on_any_machine(&self) -> bool {
        let is_repeated = |value| self.known.own.is_repeated_by(&self.series_kind, value);
        self.series_kind.metric().is_deterministic()
            || self.evidence.reason == Reason::Green
                && self.evidence.now.is_some_and(|now| is_repeated(now.estimate))
    }
}

/// The measurements of a series in one process, each with the condition under which it was taken.
#[derive(Default)]
pub(super) struct Inspected {
    measurements: Vec<Measurement>,
    conditions: Vec<Condition>,
}

impl Inspected {
    /// Inspects the measurements of a series with the usual values of its history. `None` if the
    /// process did not measure the series. At another speed the history does not show the usual
    /// values.
    pub(super) fn of(
        series_kind: &SeriesKind,
        known: &LoadedHistory,
        recorded: &ProcessRecord,
    ) -> Option<Self> {
        let measurements = series_kind.of_process(recorded)?;
        let usual = MachineBaseline::in_baseline(&known.comparable());
        let conditions = Inspector::new(usual).inspect_all(&measurements);
        Some(Self { measurements, conditions })
    }

    /// Sums up the conditions of all measurements.
    pub(super) fn tally(&self) -> Tally {
        Tally::of(&self.measurements, &self.conditions)
    }

    /// Returns the run with these measurements and their conditions.
    pub(super) fn recorded_in(self, run: Run) -> Run {
        with_conditions(run, self.measurements, &self.conditions)
    }
}
