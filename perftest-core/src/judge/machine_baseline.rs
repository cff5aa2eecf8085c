//! The usual speed of the machine during the runs of a history.
//!
//! Source. On one machine, at most 0.2% of the clock probe's readings are below 0.9 of the usual
//! one, among 5,000 readings per run of recorded noise.

use crate::list::IntoList;
use crate::model::{Baseline, CoreKind, MachineState, Observation, Probes, Tag};

/// A machine below this share of the usual speed counts as another machine. Source: of 5,000 readings of the clock in
/// a recorded process at most 0.2% are below 0.9 of their median.
const OTHER_MACHINE: f64 = 0.90;

/// The usual speed of this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MachineBaseline {
    /// Effective clock.
    pub clock_ghz: Option<f64>,
    /// Cycles of the reference kernel: its time by the clock.
    pub reference_cycles: Option<f64>,
    /// The lowest clock of a run. Threads of a body lower the clock and add cycles in some runs.
    pub lowest_clock_ghz: Option<f64>,
    /// The most cycles of the reference kernel in a run; see `lowest_clock_ghz`.
    pub most_reference_cycles: Option<f64>,
    /// The fewest cycles of the reference kernel in a run: without a neighbour on the same core.
    pub fewest_reference_cycles: Option<f64>,
    /// Kind of core.
    pub core_kind: Option<CoreKind>,
}

impl MachineBaseline {
    /// Creates the usual speed from the runs of a baseline.
    pub fn in_baseline(baseline: &Baseline) -> Self {
        let center = Observation::center(&baseline.centers);
        let probes = center.map(|center| center.probes).unwrap_or_default();
        Self { core_kind: baseline.core_kind, ..Self::of(&probes) }.with_extremes(&baseline.centers)
    }

    /// Creates the usual speed before the runs of a baseline. Where it was not probed before them, creates the one
    /// [during](Self::in_baseline) them. A body may slow the processor, so a look before a run is compared with looks before
    /// runs.
    pub fn before(baseline: &Baseline) -> Self {
        let undisturbed = baseline.runs.iter().rev().filter(|run| !run.counts_by_ratio());
        let looks = undisturbed.map(|run| &run.environment.before);
        Self::at_rest(looks).unwrap_or_else(|| Self::in_baseline(baseline))
    }

    /// Creates the usual speed from looks at an idle machine; `None` where no look was probed.
    fn at_rest<'a>(looks: impl Iterator<Item = &'a MachineState>) -> Option<Self> {
        let probes = looks.map(MachineState::probes).filter(|it| it.clock_ghz.is_some());
        let looks: Vec<Observation> =
            probes.map(|probes| Observation { probes, ..Observation::from(1.0) }).into_list();
        Observation::center(&looks).map(|center| Self::of(&center.probes).with_extremes(&looks))
    }

    /// Adds the extremes of all runs.
    fn with_extremes(self, centers: &[Observation]) -> Self {
        let of_runs = || centers.iter().map(|center| Self::of(&center.probes));
        let cycles = || of_runs().filter_map(|run| run.reference_cycles);
        Self {
            lowest_clock_ghz: of_runs().filter_map(|run| run.clock_ghz).reduce(f64::min),
            most_reference_cycles: cycles().reduce(f64::max),
            fewest_reference_cycles: cycles().reduce(f64::min),
            ..self
        }
    }

    /// Creates the usual speed from one reading of the probes.
    pub fn of(probes: &Probes) -> Self {
        let cycles = probes.clock_ghz.zip(probes.reference_ns);
        Self {
            clock_ghz: probes.clock_ghz,
            reference_cycles: cycles.map(|(ghz, ns)| ghz * ns),
            lowest_clock_ghz: probes.clock_ghz,
            most_reference_cycles: cycles.map(|(ghz, ns)| ghz * ns),
            fewest_reference_cycles: cycles.map(|(ghz, ns)| ghz * ns),
            core_kind: None,
        }
    }

    /// Returns the speed of the slowest run.
    pub(super) fn at_its_slowest(&self) -> Self {
        Self {
            clock_ghz: self.lowest_clock_ghz,
            reference_cycles: self.most_reference_cycles,
            ..*self
        }
    }

    /// Time of the reference kernel.
    pub fn reference_ns(&self) -> Option<f64> {
        Some(self.reference_cycles? / self.clock_ghz?)
    }

    /// Returns [`Tag::SlowMachine`] or [`Tag::FastMachine`] when the probed speed differs by more than 10%
    /// from the usual one, so that numbers are not comparable. A neighbour on the same core adds cycles to some
    /// runs, so a machine is fast only beside the run with the fewest.
    ///
    /// ```
    /// use perftest_core::judge::MachineBaseline;
    /// use perftest_core::model::{Probes, Tag};
    /// let at = |ghz: f64| Probes {
    ///     clock_ghz: Some(ghz),
    ///     reference_ns: Some(36_000.0 / ghz),
    ///     ..Probes::default()
    /// };
    /// let usual = MachineBaseline::of(&at(4.0));
    /// assert_eq!(usual.other_speed(&at(3.8)), None);
    /// assert_eq!(usual.other_speed(&at(3.2)), Some(Tag::SlowMachine));
    /// assert_eq!(usual.other_speed(&at(4.6)), Some(Tag::FastMachine));
    /// ```
    pub fn other_speed(&self, now: &Probes) -> Option<Tag> {
        let ratio = |now: Option<f64>, usual: Option<f64>| Some(now? / usual?);
        // Both are speeds: the reference kernel's time falls as its speed rises.
        let clock = ratio(now.clock_ghz, self.clock_ghz);
        let throughput = |cycles| ratio(ratio(cycles, self.clock_ghz), now.reference_ns);
        let is_slow = |speed: f64| speed < OTHER_MACHINE;
        let is_fast = |speed: f64| speed > 1.0 / OTHER_MACHINE;
        if clock.is_some_and(is_slow) || throughput(self.reference_cycles).is_some_and(is_slow) {
            return Some(Tag::SlowMachine);
        }
        let beside_fewest = throughput(self.fewest_reference_cycles);
        (clock.is_some_and(is_fast) || beside_fewest.is_some_and(is_fast))
            .then_some(Tag::FastMachine)
    }
}

/// Returns the reading that `choose` takes of two, or the one that is known.
pub(super) fn better(a: Option<f64>, b: Option<f64>, choose: fn(f64, f64) -> f64) -> Option<f64> {
    a.zip(b).map(|(a, b)| choose(a, b)).or(a).or(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn looks_without_probes_do_not_count_for_what_is_usual_at_rest() {
        let look = |khz| MachineState {
            effective_khz: Reading::Value(khz),
            reference_ns: Reading::Value(9_000),
            ..MachineState::default()
        };
        let looks = [look(4_000_000), MachineState::default(), look(3_900_000), look(4_100_000)];
        let usual = MachineBaseline::at_rest(looks.iter()).unwrap();
        assert_eq!((usual.clock_ghz, usual.reference_ns()), (Some(4.0), Some(9_000.0)));
        assert_eq!(MachineBaseline::at_rest([MachineState::default()].iter()), None);
    }

    #[test]
    fn a_history_with_a_neighbour_in_most_looks_makes_no_quiet_machine_fast() {
        let look = |reference_ns| MachineState {
            effective_khz: Reading::Value(3_000_000),
            reference_ns: Reading::Value(reference_ns),
            ..MachineState::default()
        };
        let looks = [look(14_000), look(11_000), look(14_200), look(13_900), look(14_100)];
        let usual = MachineBaseline::at_rest(looks.iter()).unwrap();
        let now = |reference_ns| usual.other_speed(&look(reference_ns).probes());
        assert_eq!((now(11_000), now(14_300)), (None, None));
        assert_eq!(now(9_500), Some(Tag::FastMachine));
        assert_eq!(now(16_000), Some(Tag::SlowMachine));
    }

    #[test]
    fn one_look_at_a_high_clock_hides_no_faster_machine() {
        let look = |khz, reference_ns| MachineState {
            effective_khz: Reading::Value(khz),
            reference_ns: Reading::Value(reference_ns),
            ..MachineState::default()
        };
        let mut looks = vec![look(3_000_000, 11_000); 4];
        looks.push(look(3_600_000, 9_170));
        let usual = MachineBaseline::at_rest(looks.iter()).unwrap();
        assert_eq!(usual.other_speed(&looks[4].probes()), Some(Tag::FastMachine));
    }
}
