//! All sensors of the machine in one look.

use super::absence::reading;
use super::frequency::Frequency;
use super::power::Power;
use super::process::{self, Faults};
use super::quota::Quota;
use super::steal::ProcessorTime;
use super::temperature::Temperature;
use super::throttle::Throttle;
use super::{load, tree::Tree};
use perftest_core::model::MachineState;
use std::path::PathBuf;

/// The sensors of a machine, found once so that each look is cheap.
#[derive(Debug, Clone)]
pub(crate) struct Sensors {
    tree: Tree,
    temperature: Temperature,
    frequency: Frequency,
    throttle: Throttle,
    quota: Quota,
    power: Power,
}

impl Sensors {
    /// The sensors of the machine this runs on.
    pub(crate) fn of_this_machine() -> Self {
        Self::new("/")
    }

    /// The sensors whose files lie below `root`.
    pub(super) fn new(root: impl Into<PathBuf>) -> Self {
        let tree = Tree::new(root);
        Self {
            temperature: Temperature::discover(&tree),
            frequency: Frequency::discover(&tree),
            throttle: Throttle::discover(&tree),
            quota: Quota::discover(&tree),
            power: Power::discover(&tree),
            tree,
        }
    }

    /// What the sensors say now. Takes tens of microseconds on a virtual machine and some
    /// milliseconds where hundreds of processors count their throttling: before and after a
    /// measurement, never within one.
    pub(crate) fn look(&self) -> MachineState {
        let tree = &self.tree;
        let time = ProcessorTime::read(tree);
        let faults = Faults::read(tree);
        MachineState {
            temperature_milli_c: reading(self.temperature.read(tree)),
            frequency_khz: reading(self.frequency.read(tree)),
            load_milli: reading(load::read_milli(tree)),
            throttle_events: reading(self.throttle.read_events(tree)),
            throttle_ms: reading(self.throttle.read_ms(tree)),
            steal_ms: reading(time.clone().map(|time| time.steal_ms)),
            busy_ms: reading(time.map(|time| time.busy_ms)),
            quota_throttled_periods: reading(self.quota.read_throttled_periods(tree)),
            context_switches: reading(process::read_context_switches(tree)),
            major_faults: reading(faults.clone().map(|faults| faults.major)),
            minor_faults: reading(faults.map(|faults| faults.minor)),
            on_battery: reading(self.power.read_on_battery(tree)),
        }
    }
}
