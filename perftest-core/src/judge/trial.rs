//! The decision on one test: requests measurements and ends with a verdict.

mod conclusion;
mod confirmation;
mod fresh_processes;
mod learning;
mod limit;
mod own_process;
mod pairing;
mod retry;
mod screening;

use super::baseline_level::BaselineLevel;
use super::round::Round;
use super::{Condition, Inspector, MachineBaseline, Policy, Step, StepAnswer, Tally};
use crate::list::IntoList;
use crate::model::{Baseline, Direction, Evidence, Measurement, Note, Run};
use fresh_processes::FreshProcesses;
use limit::OverLimit;
use own_process::OwnProcess;
use pairing::{Cause, PairedCheck};
use retry::Retry;
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
///             let fast = StepAnswer::Measured(Measurement::of_value(100.3));
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
    /// The history is of another speed: pairs alone decide.
    by_pairs_alone: bool,
    /// Other tests work in this process: its processor time is also theirs, and shows no parallelism of the body.
    has_neighbours: bool,
    /// Pairs show how slow accepted code is, even where the acceptance alone proves a green.
    pairs_accepted_code: bool,
    /// The note that excludes the code as the cause, if the code is unchanged.
    unchanged: Option<Note>,
    retry: Retry,
    own: OwnProcess,
    fresh: FreshProcesses,
    /// The conditions in all processes.
    tally: Tally,
    /// No last good build runs.
    has_no_base: bool,
    /// Commit of the newest good build; empty if it is unknown.
    good_commit: String,
    /// Seed of the order of the turns in pairs.
    seed: u64,
    phase: Phase,
}

#[derive(Debug, Clone)]
enum Phase {
    Measuring,
    Confirming,
    Pairing(Box<PairedCheck>),
    /// Over the limit in the first process, and in each fresh one so far.
    HoldingToLimit(OverLimit),
    /// Some time passes before the next phase.
    Pausing(Duration, Box<Phase>),
    Over(Box<Evidence>),
}

impl Phase {
    /// Returns this phase after a pause.
    fn after(self, pause: Duration) -> Self {
        Self::Pausing(pause, Box::new(self))
    }
}

impl Trial {
    /// Creates a decision with this baseline. With fewer runs than the baseline needs, the trial only
    /// learns: a round, or further ones after pauses while nearly all is disturbed.
    pub fn new(baseline: Baseline, direction: Direction, policy: Policy) -> Self {
        let inspector = Inspector::new(MachineBaseline::in_baseline(&baseline));
        Self {
            level: BaselineLevel::new(&baseline, direction, &policy),
            by_pairs_alone: false,
            has_neighbours: false,
            pairs_accepted_code: false,
            unchanged: None,
            retry: Retry::No,
            own: OwnProcess::new(inspector, policy.round),
            fresh: FreshProcesses::default(),
            tally: Tally::default(),
            has_no_base: false,
            good_commit: String::new(),
            seed: 1,
            policy,
            direction,
            baseline,
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

    /// Marks that other tests of this process may work at the same time.
    #[must_use]
    pub fn beside_neighbours(self) -> Self {
        Self { has_neighbours: true, ..self }
    }

    /// Lets pairs show how slow accepted code is: this run may count for its level, and the process is too disturbed for one.
    #[must_use]
    pub fn that_pairs_accepted_code(self) -> Self {
        Self { pairs_accepted_code: true, ..self }
    }

    /// Names the commit of the newest good build, with which a test can be compared where none is kept.
    #[must_use]
    pub fn with_good_commit(self, commit: &str) -> Self {
        Self { good_commit: commit.to_owned(), ..self }
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
        let retry = Retry::of(earlier, trial.level.as_ref(), &trial.policy);
        Self { retry, ..trial }
    }

    /// Whether the first process was slow enough to start fresh ones: a candidate red.
    pub fn was_suspected(&self) -> bool {
        self.own.suspected
    }

    /// Returns the next step; the same until it is answered.
    pub fn step(&self) -> Step {
        match &self.phase {
            Phase::Measuring => Step::Measure,
            Phase::Confirming => self.confirm_in(self.next_process()),
            Phase::Pairing(check) => check.step(),
            Phase::HoldingToLimit(over) => self.confirm_in(over.next_process()),
            Phase::Pausing(pause, _) => Step::Wait(*pause),
            Phase::Over(evidence) => Step::Done(evidence.clone()),
        }
    }

    fn confirm_in(&self, process: u32) -> Step {
        Step::Confirm { process, measurements: self.measurements_of_confirmation() }
    }

    /// Adapts the settings to the duration of a measurement. Call it before the first observation; later it
    /// has no effect. `whole` is the whole measurement, even for a series of a part of it.
    pub fn make_room_for(&mut self, whole: &Measurement) {
        self.make_room_at_cost(whole, Duration::ZERO);
    }

    /// Adapts the settings to a measurement with this total cost, including set-up, teardown and drops.
    pub fn make_room_at_cost(&mut self, whole: &Measurement, cost: Duration) {
        if self.tally.all() > 0 {
            return;
        }
        let each_ns = whole.wall_ns.max(cost.as_nanos() as f64);
        self.own.measurement_ns = each_ns;
        // Several iterations are a batch because they are short.
        if whole.iterations != 1 {
            return;
        }
        self.own.room = Some(self.policy.room_for(each_ns));
        let policy = self.policy.clone().with_room_for(each_ns);
        if policy != self.policy {
            self.level = self.level.as_ref().and_then(|it| it.under(&self.baseline, &policy));
            self.own.round = policy.round;
            self.policy = policy;
        }
    }

    /// Processes the answer to the last [`step`](Self::step); `elapsed` is the time since the trial began.
    ///
    /// # Panics
    /// When the answer does not match the step, which is an error of the driver.
    pub fn observe(&mut self, observed: StepAnswer, elapsed: Duration) {
        let next = match (observed, &self.phase) {
            (StepAnswer::Confirmed(confirmation), Phase::HoldingToLimit(over)) => {
                self.phase = self.weigh_limit_confirmation(over.clone(), confirmation);
                return;
            }
            (StepAnswer::Measured(measurement), Phase::Measuring) => {
                self.own.elapsed = elapsed;
                let condition = self.own.take(&measurement);
                self.tally.add(&Tally::of_conditions([condition]));
                match self.after_measurement(elapsed) {
                    Phase::Over(_) if self.retry.of_pairs().is_some() => {
                        self.pair_up(Cause::Suspicion)
                    }
                    Phase::Over(_) if self.retry.of_red().is_some() => self.confirm(),
                    phase => phase,
                }
            }
            (StepAnswer::Waited, Phase::Pausing(pause, then)) => {
                match **then {
                    Phase::Measuring => self.own.rounds.push(Round::default()),
                    Phase::Confirming => self.fresh.spent += *pause,
                    _ => {}
                }
                (**then).clone()
            }
            (StepAnswer::Paired(pairing), Phase::Pairing(check)) => {
                self.after_pair(check.clone(), pairing)
            }
            (StepAnswer::Confirmed(confirmation), Phase::Confirming) => {
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
        let has_two_rounds = self.own.room.is_none_or(|room| room >= 2 * self.own.round);
        match (self.policy.is_short_of_room(), has_two_rounds) {
            (true, _) => self.own.round.min(self.tally.all()).max(1),
            (false, true) => 2 * self.own.round,
            (false, false) => self.own.round,
        }
    }

    /// Returns the conditions of the measurements of a fresh process.
    fn conditions(&self, measured: &[Measurement]) -> Vec<Condition> {
        Inspector::new(MachineBaseline::in_baseline(&self.baseline)).inspect_all(measured)
    }

    /// Asks for the next fresh process of the judged executable alone.
    fn confirm(&self) -> Phase {
        Phase::Confirming.after(pause_before_process(self.next_process()))
    }

    /// Returns the number of the next fresh process, from 1.
    fn next_process(&self) -> u32 {
        self.fresh.rounds.len() as u32 + 1
    }

    /// Returns the time of the decision so far, in all processes.
    fn spent(&self) -> Duration {
        self.own.elapsed + self.fresh.spent
    }

    /// Returns the fastest round of this process; without a baseline, the one that was disturbed least.
    fn own_round(&self) -> Option<&Round> {
        match &self.level {
            Some(level) => level.fastest(self.own.judged_rounds(self.policy.round)),
            None => self.own.rounds.iter().max_by_key(|round| round.clean_size()),
        }
    }

    /// Returns one round a process: the fastest of this one, and those of earlier and of fresh
    /// ones.
    fn processes(&self) -> Vec<&Round> {
        let own = self.own_round();
        let earlier = self.retry.of_red().into_iter().flat_map(|earlier| &earlier.processes);
        own.into_iter().chain(earlier).chain(&self.fresh.rounds).into_list()
    }

    /// Returns the processes with enough undisturbed measurements; all, where there is none.
    fn convincing_rounds(&self) -> Vec<&Round> {
        let all = self.processes();
        let undisturbed: Vec<&Round> =
            all.iter().copied().filter(|round| !round.is_disturbed()).into_list();
        if undisturbed.is_empty() { all } else { undisturbed }
    }
}

/// Returns 200, 400, 800 ms, and 800 again: slow processes come in clusters, so fresh ones start
/// apart.
fn pause_before_process(process: u32) -> Duration {
    Duration::from_millis(100 << process.min(3))
}
