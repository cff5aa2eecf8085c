//! All sensors of a Mac in one look.

use super::answers::Answers;
use super::rusage::ResourceUsage;
use super::{identity, notify, pmset, sysctl};
use crate::identity::MachineIdentity;
use crate::portable::{load_milli, temperature_milli_c};
use perftest_core::model::{CoreKind, MachineState};

/// The sensors of a Mac. Each look reads them again.
#[derive(Debug, Clone, Copy)]
pub struct Sensors;

impl Sensors {
    /// The sensors of the machine this runs on.
    pub fn of_this_machine() -> Self {
        Self
    }

    /// Reads all sensors now. Takes some milliseconds, because it runs `pmset`: call it before and
    /// after a measurement, never within one. Running `pmset` adds to the context switches and page
    /// faults of this process, once between two looks.
    pub fn look(&self) -> MachineState {
        // Apple Silicon reports heat only as pressure, so its `therm` output is empty.
        let therm = match cfg!(target_arch = "x86_64") {
            true => pmset::ask("therm"),
            false => Err("Apple Silicon reports no speed limit".into()),
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

    /// Kind of the core that a processor belongs to: unknown on this system.
    pub fn core_kind(&self, _cpu: impl FnOnce() -> Option<u32>) -> Option<CoreKind> {
        None
    }
}

/// Adds the features that this Mac reports to the identity.
pub(crate) fn complete(identity: MachineIdentity) -> MachineIdentity {
    let on_battery = pmset::ask("batt").and_then(|batt| pmset::parse_on_battery(&batt));
    let identity = identity::with_numbers(identity, sysctl::number);
    MachineIdentity { on_battery: on_battery.unwrap_or(false), ..identity }
}
