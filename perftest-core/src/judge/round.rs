//! Measurements close in time, evaluated together.
//!
//! Sources. Choices: three measurements are the fewest with a middle, and two and a half times the work
//! leaves room beyond what a shared core, cold caches and a low clock cost together.

use super::{Condition, Tally};
use crate::list::IntoList;
use crate::model::{Measurement, Observation};

/// The largest number of repetitions of a disturbed measurement. A convention: afterwards it is excused
/// (docs/reference/machine.md).
const RETAKES: u32 = 3;

/// Cold caches, a shared core and a slow clock together cost no processor more than this. A convention with room: in
/// recordings whole processes differ by up to 1.56 times (docs/evidence/noise.md).
pub(super) const DISTURBANCE: f64 = 2.5;

/// The fewest measurements that count. A convention: the fewest with a middle.
const FEWEST: usize = 3;

/// Measurements taken in one go, without a gap.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    /// The measurements with their conditions.
    measured: Vec<(Measurement, Condition)>,
    /// Places of the round that are done: measured, or given up after the last repetition.
    places: u32,
    /// Disturbed attempts at the present place.
    tries: u32,
}

impl Round {
    /// Combines the measurements of one process in a single round.
    pub(super) fn of(measurements: &[Measurement], conditions: &[Condition]) -> Self {
        let mut round = Self::default();
        for (measurement, condition) in measurements.iter().zip(conditions) {
            round.push(measurement, *condition);
        }
        round
    }

    /// Combines several rounds.
    pub(super) fn together(rounds: &[Self]) -> Self {
        let mut whole = Self::default();
        for round in rounds {
            whole.measured.extend_from_slice(&round.measured);
        }
        whole
    }

    /// Cuts the measurements of one process into rounds of at most this many.
    pub(super) fn all_of(
        measurements: &[Measurement],
        conditions: &[Condition],
        size: usize,
    ) -> Vec<Self> {
        let rounds = measurements.chunks(size).zip(conditions.chunks(size));
        rounds.map(|(measurements, conditions)| Self::of(measurements, conditions)).into_list()
    }

    pub(super) fn push(&mut self, measurement: &Measurement, condition: Condition) {
        self.measured.push((*measurement, condition));
        self.tries += 1;
        if condition.is_usable() || self.tries > RETAKES {
            self.places += 1;
            self.tries = 0;
        }
    }

    /// Returns whether a round of this many places is over; repetitions at most double its
    /// measurements.
    pub(super) fn is_full(&self, places: u32) -> bool {
        self.places >= places || self.measured.len() as u32 >= 2 * places
    }

    pub(super) fn clean_size(&self) -> u32 {
        self.number(Condition::is_usable) as u32
    }

    /// Returns whether too few measurements were undisturbed. Of one or two long measurements all
    /// must be.
    pub(super) fn is_disturbed(&self) -> bool {
        self.number(Condition::is_usable) < self.fewest()
    }

    /// Returns whether too much was disturbed for a level.
    pub(super) fn leaves_no_level(&self) -> bool {
        Tally::of_conditions(self.measured.iter().map(|it| it.1)).leaves_no_level()
    }

    /// Returns whether the first place was given up.
    pub(super) fn is_hopeless(&self) -> bool {
        self.places > 0 && self.clean_size() == 0
    }

    /// Returns whether enough measurements kept their processor.
    pub(super) fn kept_processor(&self) -> bool {
        self.number(Condition::kept_processor) >= self.fewest()
    }

    pub(super) fn ends_clean(&self) -> bool {
        self.measured.last().is_some_and(|(_, condition)| condition.is_usable())
    }

    /// Returns the undisturbed measurements, which can prove a slowdown.
    pub(super) fn clean(&self) -> Vec<Observation> {
        self.only(Condition::is_usable)
    }

    /// Returns all measurements that are evidence, with lower bounds for disturbed ones: their processor time, minus
    /// the largest cost of a disturbance.
    pub(super) fn excused(&self) -> Vec<Observation> {
        let evidence = self.measured.iter().filter(|(_, condition)| condition.is_evidence());
        evidence.map(|(measurement, condition)| excused(measurement, *condition)).into_list()
    }

    /// Returns the time of each iteration without the effects of other work: as [`excused`](Self::excused),
    /// plus the body's own waiting.
    pub(super) fn own_time(&self) -> Vec<f64> {
        let evidence = self.measured.iter().filter(|(_, condition)| condition.is_evidence());
        let own_time = |(measurement, condition): &(Measurement, Condition)| {
            excused(measurement, *condition).value + own_waiting(measurement, *condition)
        };
        evidence.map(own_time).into_list()
    }

    /// Returns the undisturbed measurements if there are enough, else [`excused`](Self::excused).
    pub(super) fn blamed(&self) -> Vec<Observation> {
        if self.is_disturbed() { self.excused() } else { self.clean() }
    }

    /// Returns the measurements that can prove a green. Interference only makes code slower, so where too
    /// few are undisturbed, fast disturbed ones are proof, too: first those that kept their processor. Not those
    /// of threads that did not work at once.
    pub(super) fn fair(&self) -> Vec<Observation> {
        [self.clean(), self.only(Condition::kept_processor)]
            .into_iter()
            .find(|observations| observations.len() >= FEWEST)
            .unwrap_or_else(|| self.only(Condition::is_evidence))
    }

    fn only(&self, is_kept: fn(Condition) -> bool) -> Vec<Observation> {
        let kept = self.measured.iter().filter(|(_, condition)| is_kept(*condition));
        kept.map(|(measurement, condition)| condition.observation(measurement)).into_list()
    }

    fn number(&self, is_such: fn(Condition) -> bool) -> usize {
        self.measured.iter().count_where(|(_, condition)| is_such(*condition))
    }

    /// Returns how many measurements have to count: all of one or two.
    fn fewest(&self) -> usize {
        FEWEST.min(self.measured.len()).max(1)
    }
}

/// Returns an undisturbed measurement, or the lower bound of a disturbed one. A waiting body may have waited for other
/// work, so only its processor time counts.
fn excused(measurement: &Measurement, condition: Condition) -> Observation {
    if condition.is_usable() {
        return condition.observation(measurement);
    }
    let Observation { value, processor_ns, probes } = Observation::on_processor_time(measurement);
    Observation {
        value: value / DISTURBANCE,
        processor_ns: processor_ns.map(|ns| ns / DISTURBANCE),
        probes,
    }
}

/// Returns the time of an iteration in which a disturbed body waited while no other work kept a processor
/// from it. A body that waits for its own threads, or for a page of its memory, may wait because of
/// others. If it was preempted, the run queue must show for how long.
fn own_waiting(measurement: &Measurement, condition: Condition) -> f64 {
    let waits = !condition.is_usable() && measurement.voluntary_switches.unwrap_or(0) > 0;
    let ready_ns = match condition {
        Condition::Interrupted => measurement.wait_ns,
        _ => Some(measurement.wait_ns.unwrap_or(0)),
    };
    let known = measurement.thread_cpu_ns.zip(ready_ns);
    let known = known.filter(|_| waits && condition != Condition::Swapped);
    match known.filter(|_| !measurement.works_in_threads()) {
        Some((cpu_ns, ready_ns)) => {
            let waited_ns = measurement.wall_ns - (cpu_ns + ready_ns) as f64;
            measurement.value * waited_ns.max(0.0) / measurement.wall_ns.max(1.0)
        }
        None => 0.0,
    }
}
