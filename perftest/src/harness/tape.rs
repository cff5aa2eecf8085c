//! What was measured of a test, for all of its series: taken once, and heard by one trial after the
//! other.

use crate::measure::{Failure, Taken};
use perftest_core::judge::{Confirmation, Observed, Step, Trial};
use perftest_core::model::{Aspect, Evidence, Measurement, ProcessValue, Recorded, RunId};
use std::time::Duration;

/// Measurements of this process, and of the fresh ones that were asked.
#[derive(Default)]
pub(super) struct Tape {
    /// This process.
    pub own: Recorded,
    /// The fresh ones, in order.
    pub fresh: Vec<FreshProcess>,
    /// Iterations of a measurement.
    pub iterations: u64,
    /// When each measurement of this process was over, since the first was begun.
    moments: Vec<Duration>,
    /// What each took, with set-up and drops.
    costs: Vec<Duration>,
    /// Why no fresh process can be asked.
    refusal: Option<Confirmation>,
    /// A pause that is due before anything is measured again.
    owed: Option<Duration>,
}

/// What a fresh process brought, for all series.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FreshProcess {
    /// Of its run, in all series.
    pub id: RunId,
    pub judged: Recorded,
    /// The last good executable beside it.
    pub witness: Option<Recorded>,
    /// Processors that others used meanwhile.
    pub others_cpus: Option<f64>,
}

/// Where measurements of this process come from when the tape has no more.
pub(super) trait Source {
    /// Takes one more, and says when it was over.
    ///
    /// # Errors
    /// The failure of the body.
    fn take(&mut self) -> Result<(Taken, Duration), Failure>;

    /// Lets so much time pass, and warms up.
    ///
    /// # Errors
    /// The failure of the body.
    fn pause(&mut self, pause: Duration) -> Result<(), Failure>;
}

/// What a fresh process is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Time that passes before.
    pub pause: Duration,
    pub measurements: u32,
    /// Of each measurement.
    pub iterations: u64,
    /// The longest measurement of this process.
    pub longest_batch: Duration,
}

/// Asks a fresh process. The answer to the trial, where none can be asked.
pub(super) type Ask<'a> = dyn FnMut(&Request) -> Result<FreshProcess, Confirmation> + 'a;

/// How far a trial has heard the tape.
#[derive(Default)]
struct Heard {
    takes: usize,
    processes: usize,
}

impl Tape {
    /// Lets a trial hear what is on the tape, as this aspect sees it, and adds to it what the trial
    /// asks for beyond.
    ///
    /// # Errors
    /// The failure of the body, or a measurement that does not know the aspect.
    pub(super) fn judge(
        &mut self,
        aspect: &Aspect,
        mut trial: Trial,
        source: &mut dyn Source,
        ask: &mut Ask<'_>,
    ) -> Result<Evidence, Failure> {
        let mut heard = Heard::default();
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    if heard.takes == self.own.takes.len() {
                        self.add(source)?;
                    }
                    let newest = heard.takes;
                    let whole = &self.own.takes[newest].measurement;
                    trial.make_room_at_cost(whole, self.costs[newest]);
                    heard.takes += 1;
                    Observed::Measured(self.measurement(aspect, heard.takes - 1)?)
                }
                Step::Wait(pause) => self.wait(pause),
                Step::Confirm { measurements, .. } => {
                    Observed::Confirmed(self.confirm(aspect, &mut heard, measurements, ask)?)
                }
                Step::Done(evidence) => return Ok(*evidence),
            };
            let now = heard.takes.checked_sub(1).map(|newest| self.moments[newest]);
            trial.observe(observed, now.unwrap_or_default());
        }
    }

    /// The same for what is known once for a whole process: however often it is asked, its value is
    /// the same.
    ///
    /// # Errors
    /// A fresh process that does not know the author's own value.
    pub(super) fn judge_value(
        &mut self,
        value: &ProcessValue,
        mut trial: Trial,
        ask: &mut Ask<'_>,
    ) -> Result<Evidence, Failure> {
        let aspect = Aspect::Process(value.metric.clone());
        let mut heard = Heard::default();
        loop {
            let observed = match trial.step() {
                Step::Measure => Observed::Measured(Measurement::of_value_ns(value.value)),
                Step::Wait(pause) => self.wait(pause),
                Step::Confirm { measurements, .. } => {
                    Observed::Confirmed(self.confirm(&aspect, &mut heard, measurements, ask)?)
                }
                Step::Done(evidence) => return Ok(each_process_once(*evidence)),
            };
            trial.observe(observed, Duration::ZERO);
        }
    }

    /// A stage that some measurements reached and others did not.
    ///
    /// # Errors
    /// Its failure.
    pub(super) fn refuse_partly_reached(&self) -> Result<(), Failure> {
        let takes = 0..self.own.takes.len();
        let mut stages = self.own.stages().into_iter().map(Aspect::Stage);
        stages.try_for_each(|stage| {
            takes.clone().try_for_each(|take| self.measurement(&stage, take).map(drop))
        })
    }

    /// Nothing waits before it is known that something has to be measured.
    fn wait(&mut self, pause: Duration) -> Observed {
        self.owed = Some(pause);
        Observed::Waited
    }

    fn add(&mut self, source: &mut dyn Source) -> Result<(), Failure> {
        if let Some(pause) = self.owed.take() {
            source.pause(pause)?;
        }
        let (Taken { take, cost }, moment) = source.take()?;
        self.own.takes.push(take);
        self.costs.push(cost);
        self.moments.push(moment);
        Ok(())
    }

    fn measurement(&self, aspect: &Aspect, take: usize) -> Result<Measurement, Failure> {
        aspect.of(&self.own.takes[take]).ok_or_else(|| self.missing(aspect))
    }

    fn missing(&self, aspect: &Aspect) -> Failure {
        let all = self.own.takes.len();
        let known = self.own.takes.iter().filter(|take| aspect.of(take).is_some()).count();
        let name = aspect.name();
        Failure::Series(match aspect {
            Aspect::Stage(_) => format!(
                "the stage `{name}` was reached in {known} of {all} measurements: it cannot be \
                 compared. Reach it in every iteration, or measure the two cases in a test each"
            ),
            _ => format!(
                "the metric `{name}` is known of {known} of {all} measurements: this system does \
                 not tell it always. Take it out of `metrics`"
            ),
        })
    }

    /// The next fresh process that measured at least as often. For what is known once any will do, and
    /// a new one need not measure more often than this one, of which it may be the middle.
    ///
    /// # Errors
    /// One that lacks what the body has to give.
    fn confirm(
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
                return Ok(repeated(confirmation(aspect, process)?, measurements as usize));
            }
            if process.judged.takes.len() >= measurements as usize {
                return confirmation(aspect, process);
            }
        }
    }

    /// The longest measurement of this process, with set-up and drops.
    pub(super) fn longest_batch(&self) -> Duration {
        self.costs.iter().copied().max().unwrap_or_default()
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
fn each_process_once(evidence: Evidence) -> Evidence {
    Evidence {
        measurements: evidence.processes,
        suspects: 0,
        needed_measurements: None,
        ..evidence
    }
}

/// A fresh process as the series sees it. An old executable that does not know it is no witness.
///
/// # Errors
/// Where it lacks what the body has to give in every process: no fresh process could confirm the
/// series then, and it would never judge.
fn confirmation(aspect: &Aspect, process: &FreshProcess) -> Result<Confirmation, Failure> {
    let name = aspect.name();
    let is_of_body = match aspect {
        Aspect::Stage(_) => true,
        Aspect::Process(_) => Aspect::built_in(&name).is_none(),
        _ => false,
    };
    match aspect.of_process(&process.judged) {
        Some(measurements) => Ok(Confirmation::Measured {
            measurements,
            witness: process.witness.as_ref().and_then(|old| aspect.of_process(old)),
            others_cpus: process.others_cpus,
        }),
        None if is_of_body => Err(Failure::Series(lacking(aspect))),
        None => Ok(Confirmation::Unavailable(format!("it did not measure `{name}`"))),
    }
}

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
    use super::*;
    use perftest_core::judge::Policy;
    use perftest_core::model::{
        Baseline, BaselineRule, Direction, Metric, Reason, StageTime, Take, Tolerance,
    };

    /// A body with a stage, in every process the same; what it was asked for.
    struct Script {
        whole_ns: f64,
        stage_ns: f64,
        allocations: f64,
        /// Fresh processes do not reach the stage.
        loses_stage: bool,
        /// Of a measurement, with what is not in its wall time.
        cost: Duration,
        taken: usize,
        asked: Vec<Request>,
        paused: Vec<Duration>,
    }

    impl Script {
        fn of(stage_ns: f64) -> Self {
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
                // As of a long iteration, whose stages speak for themselves.
                thread_cpu_ns: Some((self.stage_ns * jitter) as u64),
                ..StageTime::default()
            };
            let measurement = Measurement::of_value_ns(self.whole_ns * jitter);
            Take { measurement, stages: vec![stage] }
        }

        fn values(&self) -> Vec<ProcessValue> {
            vec![ProcessValue { metric: Metric::allocations(), value: self.allocations }]
        }

        fn fresh(&self, count: u32) -> FreshProcess {
            let mut takes: Vec<Take> = (0..count as usize).map(|index| self.take(index)).collect();
            if self.loses_stage {
                takes.iter_mut().for_each(|take| take.stages.clear());
            }
            FreshProcess {
                id: RunId::new(0, 0),
                judged: Recorded { takes, values: self.values() },
                witness: None,
                others_cpus: Some(0.0),
            }
        }
    }

    impl Source for Script {
        fn take(&mut self) -> Result<(Taken, Duration), Failure> {
            self.taken += 1;
            let cost = Duration::from_nanos(self.whole_ns as u64).max(self.cost);
            let moment = cost.max(Duration::from_millis(1)) * self.taken as u32;
            let take = Script::take(self, self.taken - 1);
            Ok((Taken { take, cost }, moment))
        }

        fn pause(&mut self, pause: Duration) -> Result<(), Failure> {
            self.paused.push(pause);
            Ok(())
        }
    }

    fn trial(aspect: &Aspect, level: f64) -> Trial {
        let mut baseline = Baseline::empty(&BaselineRule::default());
        let center = |run: usize| level * (1.0 + 0.0005 * (run % 5) as f64);
        baseline.centers = (0..30).map(|run| center(run).into()).collect();
        baseline.sequences = baseline.centers.iter().map(|center| vec![*center; 5]).collect();
        let policy = Policy { tolerance: Tolerance::default(), ..Policy::of(&aspect.metric()) };
        Trial::new(baseline, Direction::Lower, policy)
    }

    fn judge(
        tape: &mut Tape,
        script: &mut Script,
        aspect: &Aspect,
        level: f64,
    ) -> Result<Evidence, Failure> {
        let answers = Script { asked: Vec::new(), paused: Vec::new(), ..*script };
        let mut asked = Vec::new();
        let mut ask = |request: &Request| {
            asked.push(request.clone());
            Ok(answers.fresh(request.measurements))
        };
        let evidence = tape.judge(aspect, trial(aspect, level), script, &mut ask);
        script.asked.append(&mut asked);
        evidence
    }

    fn lex() -> Aspect {
        Aspect::Stage("lex".into())
    }

    #[test]
    fn a_second_series_hears_what_was_taken_for_the_first_and_nothing_is_taken_again() {
        let (mut tape, mut script) = (Tape::default(), Script::of(100.0));
        let whole = judge(&mut tape, &mut script, &Aspect::Whole, 1_000.0).unwrap();
        let stage = judge(&mut tape, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green; 2]);
        assert_eq!((whole.measurements, stage.measurements, script.taken), (3, 3, 3));
    }

    #[test]
    fn a_stage_is_red_while_the_whole_is_green_and_the_tape_grows_for_it_alone() {
        let (mut tape, mut script) = (Tape::default(), Script::of(150.0));
        let whole = judge(&mut tape, &mut script, &Aspect::Whole, 1_000.0).unwrap();
        let stage = judge(&mut tape, &mut script, &lex(), 100.0).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green, Reason::Red]);
        assert!(script.taken > 3 && script.taken == tape.own.takes.len());
        assert_eq!((script.asked.len(), tape.fresh.len()), (3, 3));
        assert!(script.asked[0].pause >= Duration::from_millis(200), "witnesses are called apart");
    }

    #[test]
    fn what_a_measurement_costs_beside_its_wall_time_is_of_its_budget() {
        let mut tape = Tape::default();
        let mut script = Script { cost: Duration::from_secs(2), ..Script::of(100.0) };
        let slower = judge(&mut tape, &mut script, &Aspect::Whole, 500.0).unwrap();
        assert_eq!(slower.reason, Reason::Red);
        assert_eq!(tape.longest_batch(), Duration::from_secs(2));
        let asked: Vec<u32> = script.asked.iter().map(|it| it.measurements).collect();
        assert_eq!((script.taken, asked), (2, vec![2; 3]), "3 s have room for two of 2 s");
    }

    #[test]
    fn a_stage_is_measured_no_more_often_than_the_budget_has_room_for_the_whole() {
        let mut tape = Tape::default();
        let mut script = Script { whole_ns: 1.4e9, ..Script::of(150e6) };
        let whole = judge(&mut tape, &mut script, &Aspect::Whole, 1.4e9).unwrap();
        let stage = judge(&mut tape, &mut script, &lex(), 100e6).unwrap();
        assert_eq!([whole.reason, stage.reason], [Reason::Green, Reason::Red]);
        let asked: Vec<u32> = script.asked.iter().map(|request| request.measurements).collect();
        assert_eq!((script.taken, asked), (3, vec![3; 3]));
    }

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
    fn a_process_that_idled_while_others_were_asked_warms_up_before_it_measures_on() {
        let (mut tape, mut script) = (Tape::default(), Script::of(150.0));
        judge(&mut tape, &mut script, &Aspect::Whole, 800.0).unwrap();
        // Fewer measurements were enough for the whole than its stage needs.
        let needed = tape.own.takes.len();
        tape.own.takes.truncate(needed - 1);
        tape.moments.truncate(needed - 1);
        judge(&mut tape, &mut script, &lex(), 100.0).unwrap();
        assert_eq!(script.paused, [Duration::ZERO]);
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

    #[test]
    fn a_stage_that_some_measurements_reached_and_others_did_not_is_refused() {
        let (mut tape, mut script) = (Tape::default(), Script::of(100.0));
        judge(&mut tape, &mut script, &Aspect::Whole, 1_000.0).unwrap();
        tape.refuse_partly_reached().unwrap();
        tape.own.takes[1].stages.clear();
        let failure = tape.refuse_partly_reached().unwrap_err().to_string();
        assert!(failure.contains("`lex` was reached in 2 of 3 measurements"), "{failure}");
    }
}
