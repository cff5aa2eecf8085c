//! What fresh processes bring, asked for once and heard by all series.

use super::{Heard, Tape};
use crate::measure::Failure;
use perftest_core::judge::Confirmation;
use perftest_core::model::{Aspect, Evidence, Measurement, Recorded, RunId};
use std::time::Duration;

/// What a fresh process brought, for all series.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::harness) struct FreshProcess {
    /// Of its run, in all series.
    pub id: RunId,
    pub judged: Recorded,
    /// The last good executable beside it.
    pub witness: Option<Recorded>,
    /// Processors that others used meanwhile.
    pub others_cpus: Option<f64>,
}

impl FreshProcess {
    /// The process as a series sees it. An old executable that does not know it is no witness.
    ///
    /// # Errors
    /// Where it lacks what the body has to give in every process: no fresh process could confirm the
    /// series then, and it would never judge.
    fn confirmation(&self, aspect: &Aspect) -> Result<Confirmation, Failure> {
        let name = aspect.name();
        let is_of_body = match aspect {
            Aspect::Stage(_) => true,
            Aspect::Process(_) => Aspect::built_in(&name).is_none(),
            _ => false,
        };
        match aspect.of_process(&self.judged) {
            Some(measurements) => Ok(Confirmation::Measured {
                measurements,
                witness: self.witness.as_ref().and_then(|old| aspect.of_process(old)),
                others_cpus: self.others_cpus,
            }),
            None if is_of_body => Err(Failure::Series(lacking(aspect))),
            None => Ok(Confirmation::Unavailable(format!("it did not measure `{name}`"))),
        }
    }
}

/// What a fresh process is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) struct Request {
    /// Time that passes before.
    pub pause: Duration,
    pub measurements: u32,
    /// Of each measurement.
    pub iterations: u64,
    /// The longest measurement of this process.
    pub longest_batch: Duration,
}

/// Asks a fresh process. The answer to the trial, where none can be asked.
pub(in crate::harness) type Ask<'a> =
    dyn FnMut(&Request) -> Result<FreshProcess, Confirmation> + 'a;

impl Tape {
    /// The next fresh process that measured at least as often. For what is known once any will do, and
    /// a new one need not measure more often than this one, of which it may be the middle.
    ///
    /// # Errors
    /// One that lacks what the body has to give.
    pub(super) fn confirm(
        &mut self,
        aspect: &Aspect,
        heard: &mut Heard,
        measurements: u32,
        ask: &mut Ask<'_>,
    ) -> Result<Confirmation, Failure> {
        let is_known_once = matches!(aspect, Aspect::Process(_));
        let own = self.own.takes.len() as u32;
        let asked = if is_known_once { measurements.min(own).max(1) } else { measurements };
        loop {
            let next = heard.processes;
            heard.processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) = self.add_process(asked, ask)
            {
                return Ok(refusal);
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

    fn add_process(&mut self, measurements: u32, ask: &mut Ask<'_>) -> Result<(), Confirmation> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let asked = ask(&Request {
            pause: self.owed.take().unwrap_or_default(),
            measurements,
            iterations: self.iterations,
            longest_batch: self.longest_batch(),
        });
        // This process idled meanwhile.
        self.owed = Some(Duration::ZERO);
        let process = asked.inspect_err(|refusal| self.refusal = Some(refusal.clone()))?;
        self.fresh.push(process);
        Ok(())
    }
}

/// What is known once, as often as it was asked for: more measurements of the process would say the
/// same.
fn repeated(confirmation: Confirmation, times: usize) -> Confirmation {
    let repeat = |measured: Vec<Measurement>| measured.into_iter().cycle().take(times).collect();
    match confirmation {
        Confirmation::Measured { measurements, witness, others_cpus } => Confirmation::Measured {
            measurements: repeat(measurements),
            witness: witness.map(repeat),
            others_cpus,
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
    use super::super::script::{Script, judge, lex, trial};
    use super::*;
    use perftest_core::model::{Metric, ProcessValue, Reason};

    #[test]
    fn what_is_known_once_asks_a_fresh_process_for_no_more_than_this_one_measured() {
        let mut tape = Tape::default();
        let mut script = Script { whole_ns: 1.4e9, allocations: 330e6, ..Script::of(100e6) };
        judge(&mut tape, &mut script, &Aspect::Whole, 1.4e9).unwrap();
        let (aspect, value) = (Aspect::Process(Metric::allocations()), script.values().remove(0));
        let mut asked = Vec::new();
        let mut ask = |request: &Request| {
            asked.push(request.measurements);
            Ok(script.fresh(request.measurements))
        };
        let evidence = tape.judge_value(&value, trial(&aspect, 300e6), &mut ask).unwrap();
        assert_eq!(evidence.reason, Reason::Red);
        let own = tape.own.takes.len() as u32;
        assert_eq!((own < 15, asked), (true, vec![own; 3]));
    }

    #[test]
    fn fresh_processes_are_asked_once_for_all_series() {
        let (mut tape, mut script) = (Tape::default(), Script::of(150.0));
        let whole = judge(&mut tape, &mut script, &Aspect::Whole, 800.0).unwrap();
        let asked = script.asked.len();
        let taken = script.taken;
        let stage = judge(&mut tape, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Red; 2]);
        assert_eq!((script.asked.len(), script.taken), (asked, taken));
        assert_eq!(script.paused, [], "whoever hears a tape waits for nobody");
    }

    #[test]
    fn what_is_known_once_is_confirmed_in_fresh_processes_as_time_is() {
        for (allocations, reason, processes) in [(7.0, Reason::Green, 1), (9.0, Reason::Red, 4)] {
            let script = Script { allocations, ..Script::of(100.0) };
            let mut ask = |request: &Request| Ok(script.fresh(request.measurements));
            let aspect = Aspect::Process(Metric::allocations());
            let value = script.values().remove(0);
            let evidence = Tape::default().judge_value(&value, trial(&aspect, 7.0), &mut ask);
            let evidence = evidence.unwrap();
            assert_eq!((evidence.reason, evidence.processes), (reason, processes));
            assert_eq!(evidence.measurements, processes, "each has one value");
        }
    }

    #[test]
    fn a_stage_that_a_fresh_process_does_not_reach_fails_the_test() {
        let mut script = Script { loses_stage: true, ..Script::of(150.0) };
        let failure = judge(&mut Tape::default(), &mut script, &lex(), 100.0).unwrap_err();
        let failure = failure.to_string();
        assert!(failure.contains("did not reach the stage `lex`"), "{failure}");
    }

    #[test]
    fn a_number_of_the_authors_own_that_a_fresh_process_does_not_give_fails_the_test() {
        let script = Script::of(100.0);
        let confirmed = |metric: Metric| {
            let mut ask = |request: &Request| {
                let fresh = script.fresh(request.measurements);
                Ok(FreshProcess {
                    judged: Recorded { values: Vec::new(), ..fresh.judged },
                    ..fresh
                })
            };
            let value = ProcessValue { metric: metric.clone(), value: 50.0 };
            let trial = trial(&Aspect::Process(metric), 5.0);
            Tape::default().judge_value(&value, trial, &mut ask)
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
        let (mut tape, mut script) = (Tape::default(), Script::of(150.0));
        let mut asked = 0;
        let mut ask = |_: &Request| {
            asked += 1;
            Err(Confirmation::NotAlone)
        };
        for (aspect, level) in [(Aspect::Whole, 800.0), (lex(), 100.0)] {
            let trial = trial(&aspect, level);
            let evidence = tape.judge(&aspect, trial, &mut script, &mut ask).unwrap();
            assert_eq!(evidence.reason, Reason::NotAlone);
        }
        assert_eq!(asked, 1);
    }
}
