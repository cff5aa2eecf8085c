//! The decision on one test: requests measurements and ends with a verdict.

mod conclusion;
mod confirmation;
mod limit;
mod pairing;

use super::baseline_level::BaselineLevel;
use super::earlier_attempts::EarlierAttempts;
use super::parallelism::runs_alike;
use super::round::Round;
use super::{Condition, Inspector, MachineBaseline, Policy, Step, StepAnswer};
use crate::model::{Baseline, Direction, Evidence, Measurement, Note, Reason, Run};
use limit::OverLimit;
use pairing::{Cause, EarlierPairs, PairedCheck};
use std::time::Duration;

/// One decision on one perf test: a state machine without a clock.
///
/// The ladder: *screen* (a few measurements; green as soon as the upper bound of the degradation
/// is below the tolerance), *extend* (further rounds over growing gaps), *pairs* (a candidate red,
/// and whatever the history leaves open, is measured in fresh processes side by side with the last
/// good build, and they alone decide). Without a last good build a candidate red is measured again in
/// fresh processes and stands only if it stands there.
///
/// Interference only makes code slower. So the fastest round alone can prove a green, and a red must hold
/// even for it.
///
/// ```
/// use perftest_core::judge::{StepAnswer, Policy, Step, Trial};
/// use perftest_core::model::{Baseline, BaselineRule, Direction, Measurement, Reason};
/// use std::time::Duration;
///
/// let mut baseline = Baseline::empty(&BaselineRule::default());
/// baseline.centers = (0..30).map(|i| (100.0 + 0.02 * f64::from(i)).into()).collect();
/// baseline.sequences = baseline.centers.iter().map(|center| vec![*center; 5]).collect();
/// let mut trial = Trial::new(baseline, Direction::Lower, Policy::default());
/// let evidence = loop {
///     match trial.step() {
///         Step::Measure => {
///             let fast = StepAnswer::Measured(Measurement::of_value_ns(100.3));
///             trial.observe(fast, Duration::from_millis(1));
///         }
///         Step::Done(evidence) => break evidence,
///         other => unreachable!("a quick green needs no {other:?}"),
///     }
/// };
/// assert_eq!(evidence.reason, Reason::Green);
/// assert_eq!(evidence.measurements, 3);
/// ```
#[derive(Debug, Clone)]
pub struct Trial {
    policy: Policy,
    direction: Direction,
    baseline: Baseline,
    level: Option<BaselineLevel>,
    /// The machine runs at another speed than the history, so pairs alone decide.
    by_pairs_alone: bool,
    /// Earlier attempts, in a retry of a red.
    earlier: Option<EarlierAttempts>,
    /// Earlier pairs, in a retry of a red by pairs.
    paired_before: Option<EarlierPairs>,
    /// Earlier attempts, in a retry of a test over its limit.
    over_before: Option<EarlierAttempts>,
    inspector: Inspector,
    /// Rounds of this process, oldest first; never empty.
    rounds: Vec<Round>,
    /// The fastest round of each fresh process.
    fresh: Vec<Round>,
    /// Whether the first process was slow enough to start fresh ones.
    suspected: bool,
    /// Fresh processes that confirmed the degradation.
    stood: u32,
    /// Fresh processes that were too disturbed to count.
    disturbed: u32,
    /// Whether other work took the processors that a fresh process needed.
    contended: bool,
    /// Other threads of the body did some of its work.
    works_in_threads: bool,
    /// No last good build runs.
    has_no_base: bool,
    /// Seed of the turns in pairs.
    seed: u64,
    /// Time in this process, at the newest measurement.
    elapsed: Duration,
    /// Time for fresh processes.
    spent_afresh: Duration,
    /// The note of a green on unchanged machine code; `None` where the code changed.
    unchanged: Option<Note>,
    measurements: u32,
    suspects: u32,
    /// Measurements that were judged on the time they had the processor.
    on_processor_time: u32,
    /// Measurements of the present round.
    round: u32,
    /// Measurements that the budget has room for, where each is a single iteration.
    room: Option<u32>,
    phase: Phase,
}

#[derive(Debug, Clone)]
enum Phase {
    Measuring,
    Pausing(Duration),
    Confirming {
        pause: Option<Duration>,
    },
    Pairing(Box<PairedCheck>),
    /// Over the limit in the first process, and in each fresh one so far.
    HoldingToLimit(OverLimit),
    Over(Box<Evidence>),
}

impl Trial {
    /// Creates a decision with this baseline. With fewer runs than the baseline needs, the trial only
    /// learns.
    pub fn new(baseline: Baseline, direction: Direction, policy: Policy) -> Self {
        Self {
            level: BaselineLevel::new(&baseline, direction, &policy),
            by_pairs_alone: false,
            earlier: None,
            paired_before: None,
            over_before: None,
            inspector: Inspector::new(MachineBaseline::in_baseline(&baseline)),
            round: policy.round,
            room: None,
            policy,
            direction,
            baseline,
            rounds: vec![Round::default()],
            fresh: Vec::new(),
            suspected: false,
            stood: 0,
            disturbed: 0,
            contended: false,
            works_in_threads: false,
            has_no_base: false,
            seed: 1,
            elapsed: Duration::ZERO,
            spent_afresh: Duration::ZERO,
            unchanged: None,
            measurements: 0,
            suspects: 0,
            on_processor_time: 0,
            phase: Phase::Measuring,
        }
    }

    /// Marks the machine code as unchanged since a run of the baseline, so that the code cannot be the cause
    /// of a slowdown. `commit` is that of the run, empty when not known.
    #[must_use]
    pub fn of_unchanged_code(self, commit: &str) -> Self {
        Self { unchanged: Some(Note::SameMachineCode { commit: commit.to_owned() }), ..self }
    }

    /// Lets pairs with the last good build alone decide, because the machine runs at another speed than the
    /// history. Without a last good build the trial only learns.
    #[must_use]
    pub fn by_pairs_alone(self) -> Self {
        Self { by_pairs_alone: true, ..self }
    }

    /// Sets the seed of the order of turns.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Continues earlier attempts of which the newest ended red or over the limit. `earlier` are their
    /// recorded runs, one a process, oldest first.
    ///
    /// Fresh processes always follow. A red by pairs stands unless more pairs than before prove the
    /// opposite. Another red stands unless all processes of all attempts together no longer prove it and
    /// most of them prove a green. A test stays over the limit until at least as many processes of all
    /// attempts are within it. Without an earlier run, or without a sufficient baseline for a red, it is
    /// a [new](Self::new) decision.
    pub fn continued(
        baseline: Baseline,
        direction: Direction,
        policy: Policy,
        earlier: &[Run],
    ) -> Self {
        let trial = Self::new(baseline, direction, policy);
        let ended = earlier.iter().rev().find_map(|run| run.evidence.as_ref());
        if ended.is_some_and(|evidence| evidence.reason == Reason::OverLimit) {
            return Self { over_before: EarlierAttempts::of_over_limit(earlier), ..trial };
        }
        if let Some(pairs) = EarlierPairs::of_red(earlier) {
            return Self { paired_before: Some(pairs), ..trial };
        }
        let level = trial.level.as_ref();
        let earlier =
            level.and_then(|level| EarlierAttempts::of_red(earlier, level, &trial.policy));
        Self { earlier, ..trial }
    }

    /// Whether the trial only learns: there is no baseline to compare with yet.
    pub fn is_learning(&self) -> bool {
        self.level.is_none()
    }

    /// Whether the first process was slow enough to start fresh ones: a candidate red.
    pub fn was_suspected(&self) -> bool {
        self.suspected
    }

    /// Returns the next step; the same until it is answered.
    pub fn step(&self) -> Step {
        match &self.phase {
            Phase::Measuring => Step::Measure,
            Phase::Pausing(pause) | Phase::Confirming { pause: Some(pause) } => Step::Wait(*pause),
            Phase::Confirming { pause: None } => Step::Confirm {
                process: self.fresh.len() as u32 + 1,
                measurements: self.measurements_of_confirmation(),
            },
            Phase::Pairing(check) => check.step(),
            Phase::HoldingToLimit(over) => over.step(self.measurements_of_confirmation()),
            Phase::Over(evidence) => Step::Done(evidence.clone()),
        }
    }

    /// Adapts the settings to the duration of a measurement. Call it before the first observation; later it
    /// has no effect. `whole` is the whole measurement, even for a series of a part of it.
    pub fn make_room_for(&mut self, whole: &Measurement) {
        self.make_room(whole.iterations, whole.wall_ns);
    }

    /// Adapts the settings to a measurement with this total cost, including set-up, teardown and drops.
    pub fn make_room_at_cost(&mut self, whole: &Measurement, cost: Duration) {
        self.make_room(whole.iterations, whole.wall_ns.max(cost.as_nanos() as f64));
    }

    fn make_room(&mut self, iterations: u64, each_ns: f64) {
        // Several iterations are a batch because they are short.
        if self.measurements > 0 || iterations != 1 {
            return;
        }
        self.room = Some(self.policy.room_for(each_ns));
        let policy = self.policy.clone().with_room_for(each_ns);
        if policy != self.policy {
            self.level = self.level.as_ref().and_then(|it| it.under(&self.baseline, &policy));
            self.round = policy.round;
            self.policy = policy;
        }
    }

    /// Processes the answer to the last [`step`](Self::step); `elapsed` is the time since the trial began.
    ///
    /// # Panics
    /// When the answer does not match the step, which is an error of the driver.
    pub fn observe(&mut self, observed: StepAnswer, elapsed: Duration) {
        let next = match (observed, &self.phase) {
            (observed, Phase::HoldingToLimit(over)) => {
                self.phase = self.after_limit(over.clone(), observed);
                return;
            }
            (StepAnswer::Measured(measurement), Phase::Measuring) => {
                self.elapsed = elapsed;
                self.take(&measurement);
                match self.after_measurement(elapsed) {
                    Phase::Over(_) if self.paired_before.is_some() => {
                        self.pair_up(Cause::Suspicion)
                    }
                    Phase::Over(_) if self.earlier.is_some() => self.confirm_alone(),
                    phase => phase,
                }
            }
            (StepAnswer::Waited, Phase::Pausing(_)) => {
                self.rounds.push(Round::default());
                Phase::Measuring
            }
            (StepAnswer::Waited, Phase::Confirming { pause: Some(pause) }) => {
                self.spent_afresh += *pause;
                Phase::Confirming { pause: None }
            }
            (StepAnswer::Paired(pairing), Phase::Pairing(check)) => {
                self.after_pair(check.clone(), pairing)
            }
            (StepAnswer::Confirmed(confirmation), Phase::Confirming { pause: None }) => {
                self.after_confirmation(confirmation)
            }
            (observed, phase) => panic!("{observed:?} does not answer {phase:?}"),
        };
        self.phase = match next {
            Phase::Over(evidence) => self.held_to_limit(evidence),
            open => open,
        };
    }

    /// Returns two rounds, because a fresh process on an idle machine begins slowly. Measurements too long
    /// for two rounds outlast that; then it is as many as this process had room for.
    fn measurements_of_confirmation(&self) -> u32 {
        let has_two_rounds = self.room.is_none_or(|room| room >= 2 * self.round);
        match (self.policy.is_short_of_room(), has_two_rounds) {
            (true, _) => self.round.min(self.measurements).max(1),
            (false, true) => 2 * self.round,
            (false, false) => self.round,
        }
    }

    fn take(&mut self, measurement: &Measurement) {
        let condition = self.inspector.inspect(measurement);
        self.works_in_threads |= measurement.works_in_threads();
        self.count(&[condition]);
        let round = self.rounds.last_mut().expect("a trial has a round from the start");
        round.push(measurement, condition);
    }

    /// Returns the conditions of the measurements of a fresh process.
    fn conditions(&self, measured: &[Measurement]) -> Vec<Condition> {
        Inspector::new(MachineBaseline::in_baseline(&self.baseline)).inspect_all(measured)
    }

    fn count(&mut self, conditions: &[Condition]) {
        let times = |is: fn(&Condition) -> bool| conditions.iter().filter(|it| is(it)).count();
        self.measurements += conditions.len() as u32;
        self.suspects += times(|condition| !condition.is_usable()) as u32;
        self.on_processor_time += times(|it| *it == Condition::OnProcessorTime) as u32;
    }

    fn after_measurement(&mut self, elapsed: Duration) -> Phase {
        let round = self.rounds.last().expect("a trial has a round from the start");
        let left_ns = match self.policy.max_measurements {
            Some(most) if self.measurements >= most => 0,
            _ => self.policy.budget_ns.saturating_sub(elapsed.as_nanos() as u64),
        };
        let over = round.is_full(self.round) || left_ns == 0;
        let due = round.ends_clean() && Policy::LOOKS.contains(&round.clean_size());
        let Some(level) = &self.level else {
            return match (over, self.by_pairs_alone) {
                (false, _) => Phase::Measuring,
                (true, false) => self.over(Reason::NoBaseline, None),
                (true, true) => self.settle(Reason::NoBaseline, None),
            };
        };
        let green = if due || over { level.proves_green(round) } else { None };
        match green {
            Some(Reason::Unstable) => self.settle(Reason::Unstable, None),
            Some(proven) => self.after_proof(proven, round),
            None if over => self.after_round(elapsed, left_ns),
            None => self.at_point_of_curve(),
        }
    }

    /// Continues after a round that proved a green or an improvement.
    fn after_proof(&self, proven: Reason, round: &Round) -> Phase {
        match (proven, &self.unchanged) {
            (Reason::Improved, Some(note)) => self.over(Reason::SameCode, Some(note.clone())),
            (_, None) if self.works_in_threads && !self.holds_among_alike(proven, round) => {
                self.settle(proven, None)
            }
            _ => self.over(proven, None),
        }
    }

    /// Whether the proof also holds against the runs of the same parallelism: other work may have made a body
    /// with threads fast, because its threads disturb each other less then.
    fn holds_among_alike(&self, proven: Reason, round: &Round) -> bool {
        let Some(alike) = runs_alike(&self.baseline, round) else {
            return proven == Reason::Green;
        };
        let level = BaselineLevel::new(&alike, self.direction, &self.policy);
        level.is_some_and(|level| level.proves_green(round) == Some(proven))
    }

    /// Within a round, whether the curve has a point here that is reached.
    fn at_point_of_curve(&mut self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is judged");
        let looked_at = self.policy.curve.has_point_at(self.measurements);
        let most = self.policy.most_measurements();
        if looked_at && level.suspects(self.own_rounds(), self.measurements, most) {
            return self.suspect();
        }
        Phase::Measuring
    }

    /// Starts fresh processes for a candidate red, unless the machine code is unchanged.
    fn suspect(&mut self) -> Phase {
        self.suspected = true;
        match &self.unchanged {
            Some(note) => self.over(Reason::SameCode, Some(note.clone())),
            None => self.pair_up(Cause::Suspicion),
        }
    }

    /// Starts fresh processes of the judged executable alone.
    fn confirm_alone(&self) -> Phase {
        Phase::Confirming { pause: Some(pause_before_process(1)) }
    }

    /// Time that the decision has taken, in all processes.
    fn spent(&self) -> Duration {
        self.elapsed + self.spent_afresh
    }

    /// Continues after a round that proved no green.
    fn after_round(&mut self, elapsed: Duration, left_ns: u64) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is judged");
        // At the end of the time there will be no more measurements to wait for.
        let is_last = left_ns == 0 || self.policy.is_short_of_room();
        let most = self.policy.most_measurements();
        let most = if is_last { self.measurements.min(most) } else { most };
        if level.suspects(self.own_rounds(), self.measurements, most) {
            return self.suspect();
        }
        let is_short_of_curve = self.measurements < self.policy.curve.reach();
        if is_last && is_short_of_curve {
            return self.settle(level.undecided(), Some(Note::EndedBeforeCurve));
        }
        if is_last && self.policy.is_short_of_room() {
            return self.settle(level.undecided(), Some(Note::BudgetTooSmall));
        }
        // More measurements would not make an unstable test more stable.
        if is_last || level.is_unstable() && !is_short_of_curve {
            return self.settle(level.undecided(), None);
        }
        let rounds = self.rounds.len() as u32;
        if rounds < self.policy.rounds {
            return Phase::Pausing(gap_after_round(rounds));
        }
        if self.rounds.iter().all(Round::is_disturbed) {
            // Other work disturbed this process throughout; a later one may be undisturbed.
            return self.pair_up(Cause::Suspicion);
        }
        let needed = level.measurements_to_settle(&self.rounds);
        let each_ns = elapsed.as_nanos() as u64 / u64::from(self.measurements.max(1));
        match needed.filter(|needed| u64::from(*needed) * each_ns <= left_ns) {
            Some(needed) if rounds == self.policy.rounds => {
                self.round = needed.max(self.policy.round);
                Phase::Pausing(gap_after_round(rounds))
            }
            _ => self.settle(level.undecided(), None),
        }
    }

    /// Returns the judged rounds of this process. With wide noise that is only the longer one: the fastest
    /// of several short ones would be a lucky one.
    fn own_rounds(&self) -> &[Round] {
        let first = if self.round > self.policy.round { self.rounds.len() - 1 } else { 0 };
        &self.rounds[first..]
    }

    /// One round a process: the fastest of this one, and those of earlier and of fresh ones.
    fn processes(&self) -> Vec<&Round> {
        let own = match &self.level {
            Some(level) => level.fastest(self.own_rounds()),
            None => self.rounds.first(),
        };
        let earlier = self.earlier.iter().flat_map(|earlier| &earlier.processes);
        own.into_iter().chain(earlier).chain(&self.fresh).collect()
    }

    /// Returns the processes with enough undisturbed measurements; all, where there is none.
    fn convincing_rounds(&self) -> Vec<&Round> {
        let all = self.processes();
        let undisturbed: Vec<&Round> =
            all.iter().copied().filter(|round| !round.is_disturbed()).collect();
        if undisturbed.is_empty() { all } else { undisturbed }
    }
}

/// 20, 80, 320 ms, and 320 again: most bursts of interference last milliseconds, some a good part
/// of a second.
fn gap_after_round(round: u32) -> Duration {
    Duration::from_millis(5 << (2 * round.min(3)))
}

/// 200, 400, 800 ms, and 800 again: slow processes come in clusters, so fresh ones are started apart.
fn pause_before_process(process: u32) -> Duration {
    Duration::from_millis(100 << process.min(3))
}
