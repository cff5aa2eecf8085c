//! What is usual on this machine: how fast it was when a history was recorded.

use crate::model::{Baseline, CoreKind, Observation, Probes, Tag};

/// A machine whose speed differs by more is another machine.
const OTHER_MACHINE: f64 = 0.90;

/// What is usual on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usual {
    /// Effective clock.
    pub clock_ghz: Option<f64>,
    /// Cycles of the reference kernel: its time by the clock.
    pub reference_cycles: Option<f64>,
    /// Kind of core.
    pub core_kind: Option<CoreKind>,
}

impl Usual {
    /// What is usual in the runs of a baseline.
    pub fn in_baseline(baseline: &Baseline) -> Self {
        let center = Observation::center(&baseline.centers);
        let probes = center.map(|center| center.probes).unwrap_or_default();
        Self { core_kind: baseline.core_kind, ..Self::of(&probes) }
    }

    /// What is usual where the probes read this.
    pub fn of(probes: &Probes) -> Self {
        let cycles = probes.clock_ghz.zip(probes.reference_ns);
        Self {
            clock_ghz: probes.clock_ghz,
            reference_cycles: cycles.map(|(ghz, ns)| ghz * ns),
            core_kind: None,
        }
    }

    /// Time of the reference kernel.
    pub fn reference_ns(&self) -> Option<f64> {
        Some(self.reference_cycles? / self.clock_ghz?)
    }

    /// [`Tag::SlowMachine`] or [`Tag::FastMachine`] when the probes read a speed more than 10 %
    /// from the usual one: numbers do not compare, whatever the machine is called.
    ///
    /// ```
    /// use perftest_core::judge::Usual;
    /// use perftest_core::model::{Probes, Tag};
    /// let at = |ghz: f64| Probes {
    ///     clock_ghz: Some(ghz),
    ///     reference_ns: Some(36_000.0 / ghz),
    ///     ..Probes::default()
    /// };
    /// let usual = Usual::of(&at(4.0));
    /// assert_eq!(usual.other_speed(&at(3.8)), None);
    /// assert_eq!(usual.other_speed(&at(3.2)), Some(Tag::SlowMachine));
    /// assert_eq!(usual.other_speed(&at(4.6)), Some(Tag::FastMachine));
    /// ```
    pub fn other_speed(&self, now: &Probes) -> Option<Tag> {
        let ratio = |now: Option<f64>, usual: Option<f64>| Some(now? / usual?);
        // Both as speeds: the reference kernel's time falls as it rises.
        let clock = ratio(now.clock_ghz, self.clock_ghz);
        let throughput = ratio(self.reference_ns(), now.reference_ns);
        let speeds = || [clock, throughput].into_iter().flatten();
        if speeds().any(|speed| speed < OTHER_MACHINE) {
            return Some(Tag::SlowMachine);
        }
        speeds().any(|speed| speed > 1.0 / OTHER_MACHINE).then_some(Tag::FastMachine)
    }
}
