//! All sensors of a Windows machine in one look.

use super::answers::Answers;
use super::counters::Counters;
use super::pdh::PdhQuery;
use super::power_calls;
use super::power_status::PowerStatus;
use super::thermal_zones::ThermalZones;
use crate::identity::MachineIdentity;
use crate::sensor_answer::SensorAnswer;
use perftest_core::model::{CoreKind, MachineState};
use std::sync::{Arc, Mutex, PoisonError};

/// The sensors of a Windows machine, opened once. Some report the time since the previous look, so
/// clones share their looks.
#[derive(Debug, Clone)]
pub struct Sensors {
    open: Arc<Mutex<OpenSensors>>,
}

#[derive(Debug)]
struct OpenSensors {
    query: SensorAnswer<PdhQuery>,
    zones: ThermalZones,
}

impl Sensors {
    /// The sensors of the machine this runs on.
    pub fn of_this_machine() -> Self {
        let open = OpenSensors { query: open_counters(), zones: ThermalZones::default() };
        let sensors = Self { open: Arc::new(Mutex::new(open)) };
        // The first values of averages and thermal zones are meaningless.
        sensors.look();
        sensors
    }

    /// Reads all sensors now. Takes some milliseconds: call it before and after a measurement, never
    /// within one.
    pub fn look(&self) -> MachineState {
        // After a panic in another thread the sensors are still valid.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let OpenSensors { query, zones } = &mut *open;
        if let Ok(query) = query {
            query.collect();
        }
        let answers = Answers {
            power_status: power_calls::power_status(),
            processors: power_calls::processors(),
            power_scheme: power_calls::active_scheme(),
            counters: Counters::ask(|path| query.as_ref().map_err(Clone::clone)?.values(path)),
        };
        answers.state(zones)
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

fn open_counters() -> SensorAnswer<PdhQuery> {
    let mut query = PdhQuery::open()?;
    // The first pass adds the missing counters.
    Counters::ask(|path| {
        query.add(path);
        Err("added".into())
    });
    Ok(query)
}

/// Adds the features that this machine reports to the identity, without the hypervisor: Windows
/// itself often runs above a hypervisor without being a virtual machine.
pub(crate) fn complete(identity: MachineIdentity) -> MachineIdentity {
    let on_battery = power_calls::power_status().and_then(PowerStatus::on_battery);
    MachineIdentity { on_battery: on_battery.unwrap_or(false), ..identity }
}
