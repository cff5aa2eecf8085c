//! All sensors of a Mac in one look.

use super::answers::Answers;
use super::rusage::ResourceUsage;
use super::{identity, notify, pmset, sysctl};
use crate::identity::MachineIdentity;
use crate::portable::{load_milli, temperature_milli_c};
use perftest_core::model::{CoreKind, MachineState};

/// The sensors of a Mac. They are asked anew at each look.
#[derive(Debug, Clone, Copy)]
pub struct Sensors;

impl Sensors {
    /// The sensors of the machine this runs on.
    pub fn of_this_machine() -> Self {
        Self
    }

    /// What the sensors say now. Takes some milliseconds, because `pmset` is run: before and
    /// after a measurement, never within one. What this process does to run it is counted among
    /// its context switches and page faults, once between two looks.
    pub fn look(&self) -> MachineState {
        // Apple Silicon tells its heat by pressure only: no process for a line it never prints.
        let therm = match cfg!(target_arch = "x86_64") {
            true => pmset::ask("therm"),
            false => Err("Apple Silicon tells no speed limit".into()),
        };
        let answers = Answers {
            pressure: notify::thermal_pressure(),
            therm,
            batt: pmset::ask("batt"),
            temperature_milli_c: temperature_milli_c(),
            load_milli: load_milli(),
            usage: ResourceUsage::of_this_process(),
        };
        answers.state()
    }

    /// Processor time all tasks of the machine used since boot: not read on this system.
    pub fn used_ms(&self) -> Option<u64> {
        None
    }

    /// Kind of the core that a processor belongs to: not told on this system.
    pub fn core_kind(&self, _cpu: impl FnOnce() -> Option<u32>) -> Option<CoreKind> {
        None
    }
}

/// The identity with what this Mac says about it.
pub(crate) fn complete(identity: MachineIdentity) -> MachineIdentity {
    let on_battery = pmset::ask("batt").and_then(|batt| pmset::parse_on_battery(&batt));
    let identity = identity::with_numbers(identity, sysctl::number);
    MachineIdentity { on_battery: on_battery.unwrap_or(false), ..identity }
}
