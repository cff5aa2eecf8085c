//! One of the series of a test, with its verdict, and its measurements with their conditions.

use super::loaded_history::LoadedHistory;
use perftest_core::judge::{Condition, Inspector, MachineBaseline, Tally};
use perftest_core::list::IntoList;
use perftest_core::model::{Evidence, Measurement, ProcessRecord, Reason, SeriesKind, Tolerance};

/// A series with its verdict.
pub(super) struct Series {
    pub series_kind: SeriesKind,
    pub known: LoadedHistory,
    /// A tolerance of its own.
    pub tolerance: Option<Tolerance>,
    pub evidence: Evidence,
}

impl Series {
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
    pub measurements: Vec<Measurement>,
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

    /// Indices of the measurements that were disturbed.
    pub(super) fn suspects(&self) -> Vec<u32> {
        self.indices(|condition| !condition.is_usable())
    }

    /// Indices of the measurements whose threads did not work at once.
    pub(super) fn apart(&self) -> Vec<u32> {
        self.indices(|condition| condition == Condition::Apart)
    }

    /// Indices of the measurements that were compared by their processor time.
    pub(super) fn on_processor_time(&self) -> Vec<u32> {
        self.indices(|condition| condition == Condition::OnProcessorTime)
    }

    fn indices(&self, is_such: fn(Condition) -> bool) -> Vec<u32> {
        let indexed = (0..).zip(&self.conditions);
        indexed.filter(|(_, condition)| is_such(**condition)).map(|(index, _)| index).into_list()
    }
}
