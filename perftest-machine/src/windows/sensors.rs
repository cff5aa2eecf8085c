//! All sensors of a Windows machine in one look.

use super::answers::Answers;
use super::counters::Counters;
use super::pdh::PdhQuery;
use super::power_calls;
use super::power_status::PowerStatus;
use super::thermal_zones::ThermalZones;
use crate::identity::MachineIdentity;
use crate::portable::SensorAnswer;
use perftest_core::model::{CoreKind, MachineState};
use std::sync::{Arc, Mutex, PoisonError};

/// The sensors of a Windows machine, opened once. Some of them tell what happened since the look
/// before, so clones share their looks.
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
        // The first values of averages and of thermal zones say nothing yet.
        sensors.look();
        sensors
    }

    /// What the sensors say now. Takes some milliseconds: before and after a measurement, never
    /// within one.
    pub fn look(&self) -> MachineState {
        // What a thread that panicked meanwhile leaves behind is still a set of open sensors.
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

    /// Kind of the core that a processor belongs to: not told on this system.
    pub fn core_kind(&self, _cpu: impl FnOnce() -> Option<u32>) -> Option<CoreKind> {
        None
    }
}

fn open_counters() -> SensorAnswer<PdhQuery> {
    let mut query = PdhQuery::open()?;
    // What the query lacks is added on the way through all of them.
    Counters::ask(|path| {
        query.add(path);
        Err("added".into())
    });
    Ok(query)
}

/// The identity with what this machine says about it. Its hypervisor is left out: Windows itself
/// often runs above one, which is no virtual machine.
pub(crate) fn complete(identity: MachineIdentity) -> MachineIdentity {
    let on_battery = power_calls::power_status().and_then(PowerStatus::on_battery);
    MachineIdentity { on_battery: on_battery.unwrap_or(false), ..identity }
}
