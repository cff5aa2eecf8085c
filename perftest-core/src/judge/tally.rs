//! Counts of measurements by condition, and their consequences for the run.
//!
//! Sources. Choices: a doubtful run is excluded. `recorded-noise.sh` shows what they exclude of
//! recorded noise.

use super::MachineBaseline;
use super::condition::Condition;
use super::off_cpu::off_cpu_ns;
use crate::model::{Environment, Evidence, Measurement, Reason, Run, Tag};

/// Below this share of undisturbed measurements a machine is too busy (this and the next one are conventions) ..
const BUSY_SHARE: f64 = 0.25;
/// .. or above this share of measurements of threads that did not work at once, of which the others are those that
/// other work happened to spare ..
const APART_SHARE: f64 = 0.5;
/// .. after this many measurements: a test that was decided earlier had enough undisturbed ones. It is a whole
/// round.
const FEW: u32 = 15;
/// A run counts for the baseline with at least this many undisturbed measurements (all where it has
/// fewer), and at least the share below.
/// Three are the fewest with a middle; the share is a convention. `ci/campaigns/recorded-noise.sh` shows what the
/// rules exclude.
const FEWEST_USABLE: u32 = 3;
/// See above: of the measurements without a neighbour's or a low clock's effect and those with one.
const USABLE_SHARE: f64 = 0.20;
/// A lower clock is the cause of a disturbed run from this share of its disturbed measurements on.
/// A convention: below it a neighbour may be the cause, who goes away again.
const LOWER_CLOCK_SHARE: f64 = 0.90;
/// A host that took the processor in more than this share of the measurements forbids a verdict. A convention.
const STOLEN_SHARE: f64 = 0.20;
/// A neighbour that shared the core in more than this share of the measurements forbids a verdict ..
const CONTENDED_SHARE: f64 = 0.50;
/// .. after this time. Both are conventions: recorded phases of a neighbour took 5 to 60 ms.
const CONTENDED_NS: u64 = 10_000_000_000;
/// More than this share of measurements that waited for the disk forbids a verdict. A convention; BenchExec distrusts a
/// machine that swapped at all.
const SWAPPED_SHARE: f64 = 0.01;

/// Counts of conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Numbers of measurements, in the order of the conditions.
    numbers: [u32; Condition::COUNT],
    /// How much more cycles the reference kernel needed at worst while the core was shared, as a
    /// share: 0.12 is 12% more.
    pub contention: f64,
    /// Time lost to interruptions.
    pub lost_ns: f64,
    /// From the first to the last measurement.
    pub spanned_ns: u64,
}

impl Tally {
    /// Counts the measurements of one process with their conditions.
    pub fn of(measurements: &[Measurement], conditions: &[Condition]) -> Self {
        let without_processor = measurements.iter().zip(conditions);
        let without_processor = without_processor.filter(|(_, it)| !it.kept_processor());
        let ends = measurements.first().zip(measurements.last());
        Self {
            contention: contention(measurements, conditions),
            // Not `sum`: that of no value is -0.0.
            lost_ns: without_processor
                .filter_map(|(it, _)| off_cpu_ns(it))
                .fold(0.0, |all, it| all + it),
            spanned_ns: ends.map_or(0, |(first, last)| last.start_ns - first.start_ns),
            ..Self::of_conditions(conditions.iter().copied())
        }
    }

    /// Counts conditions alone.
    pub fn of_conditions(conditions: impl IntoIterator<Item = Condition>) -> Self {
        let mut tally = Self::default();
        for condition in conditions {
            tally.numbers[condition as usize] += 1;
        }
        tally
    }

    /// Number of measurements.
    pub fn all(&self) -> u32 {
        self.numbers.iter().sum()
    }

    /// Number of measurements under this condition.
    pub fn number(&self, condition: Condition) -> u32 {
        self.numbers[condition as usize]
    }

    /// Number of measurements that count for a verdict.
    fn usable(&self) -> u32 {
        self.number(Condition::Clean) + self.number(Condition::OnProcessorTime)
    }

    /// Number of measurements without a processor because of other work on this machine.
    pub(crate) fn off_cpu(&self) -> u32 {
        self.number(Condition::Interrupted) + self.number(Condition::Apart)
    }

    /// Returns the measurements under this condition as a share of all.
    pub(crate) fn share(&self, condition: Condition) -> f64 {
        self.share_of(self.number(condition))
    }

    fn share_of(&self, number: u32) -> f64 {
        f64::from(number) / f64::from(self.all().max(1))
    }

    /// Adds the counts of another process or test.
    pub fn add(&mut self, other: &Self) {
        for (number, more) in self.numbers.iter_mut().zip(other.numbers) {
            *number += more;
        }
        self.contention = self.contention.max(other.contention);
        self.lost_ns += other.lost_ns;
        self.spanned_ns += other.spanned_ns;
    }

    /// Whether too much was disturbed for a level. Where a neighbour shared the core nearly all the time,
    /// even measurements that look undisturbed are unreliable.
    pub fn leaves_no_level(&self) -> bool {
        let usable = self.usable();
        let slowed = self.number(Condition::Contended) + self.number(Condition::SlowClock);
        usable < self.fewest_usable()
            || f64::from(usable) < USABLE_SHARE * f64::from(usable + slowed)
    }

    /// Whether the times of such a process in this environment are no level: too much was disturbed for one, or for trust
    /// in the machine.
    pub fn leaves_no_level_in(&self, environment: &Environment) -> bool {
        self.leaves_no_level() || environment.is_untrusted()
    }

    fn fewest_usable(&self) -> u32 {
        FEWEST_USABLE.min(self.all()).max(1)
    }

    /// Whether a run that ended so is a level. Where pairs proved that the machine is slower and its clock was lower
    /// throughout, these times are the level of the machine from now on. Not so beside a neighbour, who goes again.
    pub fn is_level_of(&self, reason: Reason) -> bool {
        let slow_clock = self.number(Condition::SlowClock);
        let is_lower_clock = f64::from(slow_clock)
            >= LOWER_CLOCK_SHARE * f64::from(self.suspects())
            && slow_clock >= self.fewest_usable();
        !self.leaves_no_level() || reason == Reason::MachineSlower && is_lower_clock
    }

    /// Applies these conditions to the run with them: whether they let it count for the baseline. A disturbed run
    /// that was proven better, or whose pairs needed an acceptance, counts by its ratio.
    #[must_use]
    pub fn applied_to(&self, mut run: Run) -> Run {
        let reason = run.evidence.as_ref().map(|it| it.reason);
        let is_level = reason.map_or(!self.leaves_no_level(), |reason| self.is_level_of(reason));
        let is_disturbed = run.environment.is_untrusted() || !is_level;
        let is_in_order = !is_disturbed || run.metric.is_deterministic();
        let by_ratio = |it: &Evidence| it.value_by_ratio(run.metric.direction);
        let has_value = run.evidence.as_ref().and_then(by_ratio).is_some();
        if !is_in_order && has_value {
            run.flags.push(Run::BY_RATIO.to_owned());
        }
        Run { counts_for_baseline: is_in_order || has_value, ..run }
    }

    /// Returns the number of disturbed measurements.
    pub fn suspects(&self) -> u32 {
        self.all() - self.usable()
    }

    /// Adds the resulting tags to the run's environment.
    pub fn mark(&self, environment: &mut Environment) {
        let marks = [
            (Condition::Interrupted, Tag::OffCpu),
            (Condition::Apart, Tag::OffCpu),
            (Condition::Stolen, Tag::Steal),
            (Condition::Contended, Tag::Contended),
            (Condition::SlowClock, Tag::SlowClock),
            (Condition::OtherCore, Tag::CoreKind),
        ];
        let marks = marks.iter().filter(|(condition, _)| self.number(*condition) > 0);
        marks.for_each(|(_, tag)| environment.mark(*tag));
        // A single page may be the first touch of a file.
        let swapped = Condition::Swapped;
        if self.number(swapped) > 1 && self.share(swapped) > SWAPPED_SHARE {
            environment.mark(Tag::Swap);
        }
        if self.all() < FEW {
            return;
        }
        let kept_processor = self.all() - self.off_cpu() - self.number(Condition::Stolen);
        if self.share_of(kept_processor) < BUSY_SHARE || self.share(Condition::Apart) > APART_SHARE
        {
            environment.mark(Tag::Busy);
        }
        if self.share(Condition::Stolen) > STOLEN_SHARE {
            environment.distrust(Tag::Steal);
        }
        let is_contended = self.share(Condition::Contended) > CONTENDED_SHARE;
        if is_contended && self.spanned_ns >= CONTENDED_NS {
            environment.distrust(Tag::Contended);
        }
    }
}

fn contention(measurements: &[Measurement], conditions: &[Condition]) -> f64 {
    let cycles =
        |measurement: &Measurement| MachineBaseline::of(&measurement.probes).reference_cycles;
    let best = measurements.iter().filter_map(cycles).fold(f64::INFINITY, f64::min);
    let contended = measurements.iter().zip(conditions);
    let contended = contended.filter(|(_, condition)| **condition == Condition::Contended);
    let worst = contended.filter_map(|(measurement, _)| cycles(measurement)).fold(best, f64::max);
    if best.is_finite() { worst / best - 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(conditions: &[(Condition, u32)]) -> Tally {
        let each = |(condition, times): &(Condition, u32)| vec![*condition; *times as usize];
        let conditions: Vec<Condition> = conditions.iter().flat_map(each).collect();
        let start =
            |index| Measurement { start_ns: index * 1_000_000_000, ..Measurement::of_value(1.0) };
        let measurements: Vec<Measurement> = (0..conditions.len() as u64).map(start).collect();
        Tally::of(&measurements, &conditions)
    }

    fn marked(tally: Tally) -> Environment {
        let mut environment = Environment::default();
        tally.mark(&mut environment);
        environment
    }

    #[test]
    fn a_few_interruptions_are_reported_and_forbid_nothing() {
        let tally = tally(&[(Condition::Clean, 10), (Condition::Interrupted, 5)]);
        let environment = marked(tally);
        assert_eq!((environment.tags.as_slice(), tally.suspects()), (&[Tag::OffCpu][..], 5));
        assert!(!environment.is_untrusted());
    }

    #[test]
    fn a_machine_that_interrupts_nearly_all_is_too_busy() {
        let busy = marked(tally(&[(Condition::Clean, 2), (Condition::Interrupted, 18)]));
        assert_eq!(busy.distrusted, [Tag::Busy]);
        let long = marked(tally(&[(Condition::OnProcessorTime, 18), (Condition::Interrupted, 2)]));
        assert!(!long.is_untrusted());
    }

    #[test]
    fn a_machine_that_keeps_threads_apart_most_of_the_time_is_too_busy_for_them() {
        let apart = marked(tally(&[(Condition::Clean, 7), (Condition::Apart, 8)]));
        assert_eq!(
            (apart.tags.as_slice(), apart.distrusted.as_slice()),
            (&[Tag::OffCpu, Tag::Busy][..], &[Tag::Busy][..])
        );
        assert!(!marked(tally(&[(Condition::Clean, 8), (Condition::Apart, 7)])).is_untrusted());
    }

    #[test]
    fn a_run_of_which_nearly_all_was_disturbed_is_no_level() {
        assert!(tally(&[(Condition::Contended, 13), (Condition::Clean, 2)]).leaves_no_level());
        assert!(tally(&[(Condition::Contended, 26), (Condition::Clean, 4)]).leaves_no_level());
        assert!(!tally(&[(Condition::Contended, 10), (Condition::Clean, 5)]).leaves_no_level());
        assert!(!tally(&[(Condition::Interrupted, 26), (Condition::Clean, 4)]).leaves_no_level());
    }

    #[test]
    fn one_or_two_long_measurements_are_a_level_if_none_was_disturbed() {
        assert!(!tally(&[(Condition::OnProcessorTime, 1)]).leaves_no_level());
        assert!(!tally(&[(Condition::Clean, 2)]).leaves_no_level());
        assert!(tally(&[(Condition::Clean, 1), (Condition::Interrupted, 1)]).leaves_no_level());
        assert!(tally(&[]).leaves_no_level());
    }

    #[test]
    fn a_lower_clock_is_a_level_where_the_machine_was_proven_slower_and_a_neighbour_is_none() {
        let is_level =
            |reason, conditions: &[(Condition, u32)]| tally(conditions).is_level_of(reason);
        let slow_clock = [(Condition::SlowClock, 14), (Condition::Interrupted, 1)];
        assert!(is_level(Reason::MachineSlower, &slow_clock));
        assert!(is_level(Reason::MachineSlower, &[(Condition::SlowClock, 1)]), "one long one");
        for reason in [Reason::Green, Reason::Red, Reason::Unclear, Reason::SameCode] {
            assert!(!is_level(reason, &slow_clock), "{reason:?}");
        }
        let contended = [(Condition::SlowClock, 12), (Condition::Contended, 3)];
        assert!(!is_level(Reason::MachineSlower, &contended));
        assert!(!is_level(Reason::MachineSlower, &[]));
    }

    #[test]
    fn a_neighbour_forbids_a_verdict_only_when_it_stays() {
        let short = marked(tally(&[(Condition::Contended, 6), (Condition::Clean, 2)]));
        assert!(!short.is_untrusted());
        let long = marked(tally(&[(Condition::Contended, 13), (Condition::Clean, 2)]));
        assert_eq!(long.distrusted, [Tag::Contended]);
    }

    #[test]
    fn a_host_that_takes_a_fifth_of_the_measurements_forbids_a_verdict() {
        let environment = marked(tally(&[(Condition::Stolen, 5), (Condition::Clean, 12)]));
        assert_eq!(environment.distrusted, [Tag::Steal]);
    }
}
