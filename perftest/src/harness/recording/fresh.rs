//! The measurements of fresh processes, taken once and read by all series.

use super::Recording;
use crate::harness::series_history::SeriesHistory;
use crate::measure::Failure;
use perftest_core::judge::{Confirmation, PairPlan, Pairing, ProcessPair};
use perftest_core::list::IntoList;
use perftest_core::model::{Baseline, Evidence, Measurement, ProcessRecord, RunId, SeriesKind};
use std::time::Duration;

/// The measurements of a fresh process, for all series.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::harness) struct FreshProcess {
    /// The id of its run, in all series.
    pub id: RunId,
    pub judged: ProcessRecord,
    /// The last good build, measured in turns with this process.
    pub base: Option<BaseProcess>,
    /// Processors that other processes used meanwhile.
    pub others_cpus: Option<f64>,
    /// Time from the first start to the last end.
    pub elapsed: Duration,
}

/// A process of the last good build.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::harness) struct BaseProcess {
    /// The run of the history with this build.
    pub run: RunId,
    /// Its commit; empty when unknown.
    pub commit: String,
    /// Whether it was built of files that differed from that commit.
    pub dirty: bool,
    pub record: ProcessRecord,
}

impl FreshProcess {
    /// The last good build, if its run is among these.
    fn base_among(&self, level: &Baseline) -> Option<&BaseProcess> {
        self.base.as_ref().filter(|base| level.has_base(&base.run))
    }

    /// The process alone, as this series sees it.
    ///
    /// # Errors
    /// If the process lacks what the body has to give in every process: no fresh process could then
    /// confirm the series, and the series would never get a verdict.
    fn confirmation(&self, series_kind: &SeriesKind) -> Result<Confirmation, Failure> {
        Ok(match self.judged(series_kind)? {
            Some(measurements) => Confirmation::Measured {
                measurements,
                others_cpus: self.others_cpus,
                elapsed: self.elapsed,
            },
            None => {
                Confirmation::Unavailable(format!("it did not measure `{}`", series_kind.name()))
            }
        })
    }

    /// The process with the last good build, as this series sees them. A build without the series
    /// cannot be its base.
    ///
    /// # Errors
    /// As for [`confirmation`](Self::confirmation).
    fn pairing(&self, series_kind: &SeriesKind) -> Result<Pairing, Failure> {
        let Some(head) = self.judged(series_kind)? else {
            return Ok(Pairing::Unavailable(format!(
                "it did not measure `{}`",
                series_kind.name()
            )));
        };
        let base = self.base.as_ref().and_then(|base| series_kind.of_process(&base.record));
        Ok(base.map_or(Pairing::NoBase, |base| Pairing::Measured {
            pair: ProcessPair { base, head },
            elapsed: self.elapsed,
        }))
    }

    fn judged(&self, series_kind: &SeriesKind) -> Result<Option<Vec<Measurement>>, Failure> {
        let is_of_body = match series_kind {
            SeriesKind::Stage(_) => true,
            SeriesKind::Process(_) => SeriesKind::built_in(&series_kind.name()).is_none(),
            _ => false,
        };
        match series_kind.of_process(&self.judged) {
            None if is_of_body => Err(Failure::Series(lacking(series_kind))),
            measurements => Ok(measurements),
        }
    }
}

/// A request for a fresh process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) struct Request {
    /// Time that passes before the measurements.
    pub pause: Duration,
    /// Measurements of a process alone.
    pub measurements: u32,
    /// Iterations of each measurement.
    pub iterations: u64,
    /// The longest measurement of this process.
    pub longest_batch: Duration,
}

/// Why no fresh process is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) enum Refusal {
    /// There is no last good build that runs.
    NoBase,
    /// Other tests keep running in this process.
    NotAlone,
    /// A fresh process of this executable could not be measured, with the reason.
    Unavailable(String),
}

impl From<Refusal> for Confirmation {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoBase => Self::Unavailable("there is no last good build".to_owned()),
            Refusal::NotAlone => Self::NotAlone,
            Refusal::Unavailable(why) => Self::Unavailable(why),
        }
    }
}

impl From<Refusal> for Pairing {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoBase => Self::NoBase,
            Refusal::NotAlone => Self::NotAlone,
            Refusal::Unavailable(why) => Self::Unavailable(why),
        }
    }
}

/// Measures in fresh processes.
pub(in crate::harness) trait FreshMeasurer {
    /// Measures one process of this executable.
    ///
    /// # Errors
    /// Why no process could be measured.
    fn alone(&mut self, request: &Request) -> Result<FreshProcess, Refusal>;

    /// Measures one process of this executable and one of the last good build, in turns: that of one of the runs
    /// of the baseline in `base_history`.
    ///
    /// # Errors
    /// Why no pair could be measured.
    fn pair(
        &mut self,
        request: &Request,
        plan: &PairPlan,
        base_history: &SeriesHistory,
    ) -> Result<FreshProcess, Refusal>;
}

impl Recording {
    /// Returns the pairs of fresh processes with a build of these runs: the last good build's, and the judged one's.
    pub(in crate::harness) fn pairs_at(
        &self,
        level: &Baseline,
    ) -> Vec<(&ProcessRecord, &ProcessRecord)> {
        let pair = |it| Some((&FreshProcess::base_among(it, level)?.record, &it.judged));
        self.fresh.iter().filter_map(pair).into_list()
    }

    /// Returns a process of the last good build among these runs; `None` if none ran.
    pub(in crate::harness) fn base_at(&self, level: &Baseline) -> Option<&BaseProcess> {
        self.fresh.iter().find_map(|it| it.base_among(level))
    }

    /// Why no fresh process of this executable could be measured, if one was requested.
    pub(in crate::harness) fn unavailable(&self) -> Option<&str> {
        match &self.refusal {
            Some(Refusal::Unavailable(why)) => Some(why),
            _ => None,
        }
    }

    /// Returns the next fresh process with at least as many measurements, after those `processes` that the trial has
    /// read. Any process will do for a value that is counted once, and a new process needs no more measurements than
    /// this one.
    ///
    /// # Errors
    /// A process that lacks what the body has to give.
    pub(super) fn confirm(
        &mut self,
        series_kind: &SeriesKind,
        processes: &mut usize,
        measurements: u32,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Confirmation, Failure> {
        let is_known_once = matches!(series_kind, SeriesKind::Process(_));
        let own = self.own.takes.len() as u32;
        let asked = if is_known_once { measurements.min(own).max(1) } else { measurements };
        loop {
            let next = *processes;
            *processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) = self.add(asked, |request| afresh.alone(request))
            {
                return Ok(refusal.into());
            }
            let process = &self.fresh[next];
            if is_known_once {
                return Ok(repeated(process.confirmation(series_kind)?, measurements as usize));
            }
            if process.judged.takes.len() >= measurements as usize {
                return process.confirmation(series_kind);
            }
        }
    }

    /// Returns the next pair with a build of one of the runs of the baseline in `base_history`: a build from before
    /// the level of the series would stand for another one. Pairs that another series requested are read in the order of
    /// their measurement.
    ///
    /// # Errors
    /// A process that lacks what the body has to give.
    pub(super) fn pair(
        &mut self,
        series_kind: &SeriesKind,
        processes: &mut usize,
        plan: &PairPlan,
        base_history: &SeriesHistory,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Pairing, Failure> {
        // Without a base the same processes are read alone.
        let first = *processes;
        loop {
            let next = *processes;
            *processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) =
                    self.add(0, |request| afresh.pair(request, plan, base_history))
            {
                *processes = first;
                return Ok(refusal.into());
            }
            let process = &self.fresh[next];
            if process.base_among(&base_history.baseline).is_some() {
                return process.pairing(series_kind).map(|it| repeated_pair(series_kind, it, plan));
            }
        }
    }

    fn add(
        &mut self,
        measurements: u32,
        measure: impl FnOnce(&Request) -> Result<FreshProcess, Refusal>,
    ) -> Result<(), Refusal> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let asked = measure(&Request {
            pause: self.owed.take().unwrap_or_default(),
            measurements,
            iterations: self.iterations,
            longest_batch: self.longest_batch(),
        });
        // This process idled meanwhile, so it warms up again.
        self.owed = Some(Duration::ZERO);
        let process = asked.inspect_err(|refusal| {
            // Without a base the process can still be measured alone.
            self.refusal = Some(refusal.clone()).filter(|it| *it != Refusal::NoBase);
        })?;
        self.fresh.push(process);
        Ok(())
    }
}

/// Repeats a value that is counted once, in each turn of a pair.
fn repeated_pair(series_kind: &SeriesKind, pairing: Pairing, plan: &PairPlan) -> Pairing {
    let repeat = |measured: Vec<Measurement>| {
        measured.into_iter().cycle().take(plan.turns.len()).into_list()
    };
    match (series_kind, pairing) {
        (SeriesKind::Process(_), Pairing::Measured { pair, elapsed }) => Pairing::Measured {
            pair: ProcessPair { base: repeat(pair.base), head: repeat(pair.head) },
            elapsed,
        },
        (_, other) => other,
    }
}

/// Repeats a value that is counted once as often as it was requested: more measurements of the
/// process would give the same value.
fn repeated(confirmation: Confirmation, times: usize) -> Confirmation {
    match confirmation {
        Confirmation::Measured { measurements, others_cpus, elapsed } => Confirmation::Measured {
            measurements: measurements.into_iter().cycle().take(times).into_list(),
            others_cpus,
            elapsed,
        },
        other => other,
    }
}

/// Counts one value a process for what is counted once: reading a value again adds no evidence.
pub(super) fn each_process_once(evidence: Evidence) -> Evidence {
    Evidence {
        measurements: evidence.processes,
        suspects: 0,
        needed_measurements: None,
        ..evidence
    }
}

/// Describes why a test fails whose fresh process lacks what the body has to give.
fn lacking(series_kind: &SeriesKind) -> String {
    let name = series_kind.name();
    match series_kind {
        SeriesKind::Stage(_) => format!(
            "a fresh process did not reach the stage `{name}` in every measurement, unlike this one: \
             the stage cannot be confirmed. Reach it in every iteration of every process"
        ),
        _ => format!(
            "a fresh process did not give the metric `{name}`, unlike this one: the metric cannot be \
             confirmed. Give it in every process"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::{Alone, InPairs, Script, history, history_of, judge, lex, trial};
    use super::*;
    use perftest_core::model::{Metric, ProcessValue, Reason};
    use perftest_core::words::notes;

    #[test]
    fn what_is_known_once_asks_a_fresh_process_for_no_more_than_this_one_measured() {
        let mut recording = Recording::default();
        let mut script = Script { whole_ns: 1.4e9, allocations: 330e6, ..Script::of(100e6) };
        judge(&mut recording, &mut script, &SeriesKind::Whole, 1.4e9).unwrap();
        let (series_kind, value) =
            (SeriesKind::Process(Metric::allocations()), script.values().remove(0));
        let mut asked = Vec::new();
        let mut afresh = Alone(|request: &Request| {
            asked.push(request.measurements);
            Ok(script.fresh(request.measurements))
        });
        let evidence = recording
            .judge_value(&value, trial(&series_kind, 300e6), &history(), &mut afresh)
            .unwrap();
        assert_eq!(evidence.reason, Reason::Red);
        let own = recording.own.takes.len() as u32;
        assert_eq!((own < 15, asked), (true, vec![own; 3]));
    }

    #[test]
    fn fresh_processes_are_asked_once_for_all_series() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let whole = judge(&mut recording, &mut script, &SeriesKind::Whole, 800.0).unwrap();
        let asked = script.asked.len();
        let taken = script.taken;
        let stage = judge(&mut recording, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Red; 2]);
        assert_eq!((script.asked.len(), script.taken), (asked, taken));
        assert_eq!(script.paused, [], "reading a recording takes no pause");
    }

    #[test]
    fn what_is_known_once_is_confirmed_in_fresh_processes_as_time_is() {
        for (allocations, reason, processes) in [(7.0, Reason::Green, 1), (9.0, Reason::Red, 4)] {
            let script = Script { allocations, ..Script::of(100.0) };
            let mut afresh = Alone(|request: &Request| Ok(script.fresh(request.measurements)));
            let series_kind = SeriesKind::Process(Metric::allocations());
            let value = script.values().remove(0);
            let evidence = Recording::default().judge_value(
                &value,
                trial(&series_kind, 7.0),
                &history(),
                &mut afresh,
            );
            let evidence = evidence.unwrap();
            assert_eq!((evidence.reason, evidence.processes), (reason, processes));
            assert_eq!(evidence.measurements, processes, "each has one value");
        }
    }

    #[test]
    fn a_stage_that_a_fresh_process_does_not_reach_fails_the_test() {
        let mut script = Script { loses_stage: true, ..Script::of(150.0) };
        let failure = judge(&mut Recording::default(), &mut script, &lex(), 100.0).unwrap_err();
        let failure = failure.to_string();
        assert!(failure.contains("did not reach the stage `lex`"), "{failure}");
    }

    #[test]
    fn a_number_of_the_authors_own_that_a_fresh_process_does_not_give_fails_the_test() {
        let script = Script::of(100.0);
        let confirmed = |metric: Metric| {
            let mut afresh = Alone(|request: &Request| {
                let fresh = script.fresh(request.measurements);
                Ok(FreshProcess {
                    judged: ProcessRecord { values: Vec::new(), ..fresh.judged },
                    ..fresh
                })
            });
            let value = ProcessValue { metric: metric.clone(), value: 50.0 };
            let trial = trial(&SeriesKind::Process(metric), 5.0);
            Recording::default().judge_value(&value, trial, &history(), &mut afresh)
        };
        let own = Metric { name: "size".into(), ..Metric::allocations() };
        let failure = confirmed(own).unwrap_err().to_string();
        assert!(failure.contains("did not give the metric `size`"), "{failure}");
        let built_in = confirmed(Metric::allocations()).unwrap();
        assert_eq!(built_in.reason, Reason::Unclear);
        let words = notes(&built_in.notes).unwrap();
        assert!(words.contains("did not measure `allocs`"), "{words}");
    }

    #[test]
    fn a_refusal_holds_for_all_series() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let mut asked = 0;
        let mut afresh = Alone(|_: &Request| {
            asked += 1;
            Err(Refusal::NotAlone)
        });
        for (series_kind, level) in [(SeriesKind::Whole, 800.0), (lex(), 100.0)] {
            let trial = trial(&series_kind, level);
            let evidence =
                recording.judge(&series_kind, trial, &history(), &mut script, &mut afresh).unwrap();
            assert_eq!(evidence.reason, Reason::NotAlone);
        }
        assert_eq!(asked, 1);
    }

    #[test]
    fn a_series_with_a_level_of_its_own_is_compared_with_a_build_of_that_level() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let base = Script::of(100.0);
        let mut afresh = InPairs { head: Script::of(150.0), base: &base, pairs: 0 };
        let kinds = [(SeriesKind::Whole, 800.0, 1), (lex(), 100.0, 2)];
        let levels = kinds.map(|(series_kind, level, number)| {
            let (trial, history) = (trial(&series_kind, level), history_of(RunId::new(number, 0)));
            recording.judge(&series_kind, trial, &history, &mut script, &mut afresh).unwrap();
            history.baseline
        });
        assert_eq!((afresh.pairs, recording.fresh.len()), (10, 10));
        for level in levels {
            assert_eq!(recording.pairs_at(&level).len(), 5);
        }
    }

    #[test]
    fn pairs_are_measured_once_for_all_series_and_each_is_compared_with_its_own_base() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let base = Script::of(100.0);
        let mut afresh = InPairs { head: Script::of(150.0), base: &base, pairs: 0 };
        let judge = |recording: &mut Recording,
                     script: &mut Script,
                     afresh: &mut InPairs<'_>,
                     series_kind,
                     level| {
            recording
                .judge(&series_kind, trial(&series_kind, level), &history(), script, afresh)
                .unwrap()
        };
        // The whole takes as long in both builds, and was faster in its history.
        let whole = judge(&mut recording, &mut script, &mut afresh, SeriesKind::Whole, 800.0);
        let asked = afresh.pairs;
        let stage = judge(&mut recording, &mut script, &mut afresh, lex(), 100.0);
        assert_eq!([whole.reason, stage.reason], [Reason::MachineSlower, Reason::Red]);
        assert_eq!((asked, afresh.pairs, recording.fresh.len()), (5, 5, 5));
        let base = stage.paired_result.unwrap();
        assert!(base.pairs == 5 && (base.ratio - 1.5).abs() < 1e-9, "{base:?}");
    }
}
