//! What fresh processes bring, asked for once and read by all series.

use super::{Cursor, Recording};
use crate::measure::Failure;
use perftest_core::judge::{Confirmation, PairPlan, Pairing, ProcessPair};
use perftest_core::model::{Aspect, Evidence, Measurement, Recorded, RunId};
use std::time::Duration;

/// What a fresh process brought, for all series.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::harness) struct FreshProcess {
    /// Of its run, in all series.
    pub id: RunId,
    pub judged: Recorded,
    /// The last good build, measured in turns with it.
    pub base: Option<Recorded>,
    /// Processors that others used meanwhile.
    pub others_cpus: Option<f64>,
    /// Time from the first start to the last end.
    pub elapsed: Duration,
}

impl FreshProcess {
    /// The process alone, as a series sees it.
    ///
    /// # Errors
    /// Where it lacks what the body has to give in every process: no fresh process could confirm the
    /// series then, and it would never judge.
    fn confirmation(&self, aspect: &Aspect) -> Result<Confirmation, Failure> {
        Ok(match self.judged(aspect)? {
            Some(measurements) => Confirmation::Measured {
                measurements,
                others_cpus: self.others_cpus,
                elapsed: self.elapsed,
            },
            None => Confirmation::Unavailable(format!("it did not measure `{}`", aspect.name())),
        })
    }

    /// The process with the last good build, as a series sees them. A build that does not know the
    /// series is no base of it.
    ///
    /// # Errors
    /// As of [`confirmation`](Self::confirmation).
    fn pairing(&self, aspect: &Aspect) -> Result<Pairing, Failure> {
        let Some(head) = self.judged(aspect)? else {
            return Ok(Pairing::Unavailable(format!("it did not measure `{}`", aspect.name())));
        };
        let base = self.base.as_ref().and_then(|base| aspect.of_process(base));
        Ok(base.map_or(Pairing::NoBase, |base| Pairing::Measured {
            pair: ProcessPair { base, head },
            elapsed: self.elapsed,
        }))
    }

    fn judged(&self, aspect: &Aspect) -> Result<Option<Vec<Measurement>>, Failure> {
        let is_of_body = match aspect {
            Aspect::Stage(_) => true,
            Aspect::Process(_) => Aspect::built_in(&aspect.name()).is_none(),
            _ => false,
        };
        match aspect.of_process(&self.judged) {
            None if is_of_body => Err(Failure::Series(lacking(aspect))),
            measurements => Ok(measurements),
        }
    }
}

/// What a fresh process is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) struct Request {
    /// Time that passes before.
    pub pause: Duration,
    /// Measurements of a process alone.
    pub measurements: u32,
    /// Of each measurement.
    pub iterations: u64,
    /// The longest measurement of this process.
    pub longest_batch: Duration,
}

/// Why nothing fresh is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) enum Refusal {
    /// There is no last good build that runs.
    NoBase,
    /// Other tests keep running beside it.
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
    /// One process of this executable.
    ///
    /// # Errors
    /// Why there is none.
    fn alone(&mut self, request: &Request) -> Result<FreshProcess, Refusal>;

    /// One process of this executable and one of the last good build, in turns.
    ///
    /// # Errors
    /// Why there are none.
    fn pair(&mut self, request: &Request, plan: &PairPlan) -> Result<FreshProcess, Refusal>;
}

impl Recording {
    /// Why no fresh process of this executable could be measured, where one was asked for.
    pub(in crate::harness) fn unavailable(&self) -> Option<&str> {
        match &self.refusal {
            Some(Refusal::Unavailable(why)) => Some(why),
            _ => None,
        }
    }

    /// The next fresh process that measured at least as often. For what is known once any will do, and
    /// a new one need not measure more often than this one, of which it may be the middle.
    ///
    /// # Errors
    /// One that lacks what the body has to give.
    pub(super) fn confirm(
        &mut self,
        aspect: &Aspect,
        cursor: &mut Cursor,
        measurements: u32,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Confirmation, Failure> {
        let is_known_once = matches!(aspect, Aspect::Process(_));
        let own = self.own.takes.len() as u32;
        let asked = if is_known_once { measurements.min(own).max(1) } else { measurements };
        loop {
            let next = cursor.processes;
            cursor.processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) = self.add(asked, |request| afresh.alone(request))
            {
                return Ok(refusal.into());
            }
            let process = &self.fresh[next];
            if is_known_once {
                return Ok(repeated(process.confirmation(aspect)?, measurements as usize));
            }
            if process.judged.takes.len() >= measurements as usize {
                return process.confirmation(aspect);
            }
        }
    }

    /// The next pair. Pairs that another series asked for are read in the order in which they were
    /// measured.
    ///
    /// # Errors
    /// One that lacks what the body has to give.
    pub(super) fn pair(
        &mut self,
        aspect: &Aspect,
        cursor: &mut Cursor,
        plan: &PairPlan,
        afresh: &mut dyn FreshMeasurer,
    ) -> Result<Pairing, Failure> {
        if self.has_no_base {
            return Ok(Pairing::NoBase);
        }
        loop {
            let next = cursor.processes;
            cursor.processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) = self.add(0, |request| afresh.pair(request, plan))
            {
                cursor.processes = next;
                self.has_no_base |= refusal == Refusal::NoBase;
                return Ok(refusal.into());
            }
            let process = &self.fresh[next];
            if process.base.is_some() {
                return process.pairing(aspect).map(|it| repeated_pair(aspect, it, plan));
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
        // This process idled meanwhile.
        self.owed = Some(Duration::ZERO);
        let process = asked.inspect_err(|refusal| {
            // One that has no base beside it can still be measured alone.
            self.refusal = Some(refusal.clone()).filter(|it| *it != Refusal::NoBase);
        })?;
        self.fresh.push(process);
        Ok(())
    }
}

/// What is known once, in each turn of a pair.
fn repeated_pair(aspect: &Aspect, pairing: Pairing, plan: &PairPlan) -> Pairing {
    let repeat =
        |measured: Vec<Measurement>| measured.into_iter().cycle().take(plan.turns.len()).collect();
    match (aspect, pairing) {
        (Aspect::Process(_), Pairing::Measured { pair, elapsed }) => Pairing::Measured {
            pair: ProcessPair { base: repeat(pair.base), head: repeat(pair.head) },
            elapsed,
        },
        (_, other) => other,
    }
}

/// What is known once, as often as it was asked for: more measurements of the process would say the
/// same.
fn repeated(confirmation: Confirmation, times: usize) -> Confirmation {
    match confirmation {
        Confirmation::Measured { measurements, others_cpus, elapsed } => Confirmation::Measured {
            measurements: measurements.into_iter().cycle().take(times).collect(),
            others_cpus,
            elapsed,
        },
        other => other,
    }
}

/// What is known once is one value a process, however often it was looked at, and more looks would
/// settle nothing.
pub(super) fn each_process_once(evidence: Evidence) -> Evidence {
    Evidence {
        measurements: evidence.processes,
        suspects: 0,
        needed_measurements: None,
        ..evidence
    }
}

/// Why a test fails whose fresh process lacks what the body has to give.
fn lacking(aspect: &Aspect) -> String {
    let name = aspect.name();
    match aspect {
        Aspect::Stage(_) => format!(
            "a fresh process did not reach the stage `{name}` in every measurement, as this one did: it \
             cannot be confirmed. Reach it in every iteration, whatever the process finds"
        ),
        _ => format!(
            "a fresh process did not give the metric `{name}`, as this one did: it cannot be confirmed. \
             Give it in every process, whatever it finds"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::{Alone, InPairs, Script, judge, lex, trial};
    use super::*;
    use perftest_core::model::{Metric, ProcessValue, Reason};

    #[test]
    fn what_is_known_once_asks_a_fresh_process_for_no_more_than_this_one_measured() {
        let mut recording = Recording::default();
        let mut script = Script { whole_ns: 1.4e9, allocations: 330e6, ..Script::of(100e6) };
        judge(&mut recording, &mut script, &Aspect::Whole, 1.4e9).unwrap();
        let (aspect, value) = (Aspect::Process(Metric::allocations()), script.values().remove(0));
        let mut asked = Vec::new();
        let mut afresh = Alone(|request: &Request| {
            asked.push(request.measurements);
            Ok(script.fresh(request.measurements))
        });
        let evidence = recording.judge_value(&value, trial(&aspect, 300e6), &mut afresh).unwrap();
        assert_eq!(evidence.reason, Reason::Red);
        let own = recording.own.takes.len() as u32;
        assert_eq!((own < 15, asked), (true, vec![own; 3]));
    }

    #[test]
    fn fresh_processes_are_asked_once_for_all_series() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let whole = judge(&mut recording, &mut script, &Aspect::Whole, 800.0).unwrap();
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
            let aspect = Aspect::Process(Metric::allocations());
            let value = script.values().remove(0);
            let evidence =
                Recording::default().judge_value(&value, trial(&aspect, 7.0), &mut afresh);
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
                    judged: Recorded { values: Vec::new(), ..fresh.judged },
                    ..fresh
                })
            });
            let value = ProcessValue { metric: metric.clone(), value: 50.0 };
            let trial = trial(&Aspect::Process(metric), 5.0);
            Recording::default().judge_value(&value, trial, &mut afresh)
        };
        let own = Metric { name: "size".into(), ..Metric::allocations() };
        let failure = confirmed(own).unwrap_err().to_string();
        assert!(failure.contains("did not give the metric `size`"), "{failure}");
        let built_in = confirmed(Metric::allocations()).unwrap();
        assert_eq!(built_in.reason, Reason::Unclear);
        assert!(built_in.note.contains("did not measure `allocs`"), "{}", built_in.note);
    }

    #[test]
    fn a_refusal_holds_for_all_series() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let mut asked = 0;
        let mut afresh = Alone(|_: &Request| {
            asked += 1;
            Err(Refusal::NotAlone)
        });
        for (aspect, level) in [(Aspect::Whole, 800.0), (lex(), 100.0)] {
            let trial = trial(&aspect, level);
            let evidence = recording.judge(&aspect, trial, &mut script, &mut afresh).unwrap();
            assert_eq!(evidence.reason, Reason::NotAlone);
        }
        assert_eq!(asked, 1);
    }

    #[test]
    fn pairs_are_measured_once_for_all_series_and_each_is_compared_with_its_own_base() {
        let (mut recording, mut script) = (Recording::default(), Script::of(150.0));
        let base = Script::of(100.0);
        let mut afresh = InPairs { head: Script::of(150.0), base: &base, pairs: 0 };
        let judge = |recording: &mut Recording,
                     script: &mut Script,
                     afresh: &mut InPairs<'_>,
                     aspect,
                     level| {
            recording.judge(&aspect, trial(&aspect, level), script, afresh).unwrap()
        };
        // The whole takes as long in both, and the history knows it faster.
        let whole = judge(&mut recording, &mut script, &mut afresh, Aspect::Whole, 800.0);
        let asked = afresh.pairs;
        let stage = judge(&mut recording, &mut script, &mut afresh, lex(), 100.0);
        assert_eq!([whole.reason, stage.reason], [Reason::MachineSlower, Reason::Red]);
        assert_eq!((asked, afresh.pairs, recording.fresh.len()), (5, 5, 5));
        let base = stage.witness.unwrap();
        assert!(base.pairs == 5 && (base.ratio - 1.5).abs() < 1e-9, "{base:?}");
    }
}
