//! The answers of macOS in one look, and the machine state made of them.

use super::rusage::ResourceUsage;
use super::{pmset, pressure};
use crate::portable::taken_now;
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::model::{MachineState, PowerSettings, Reading, ThrottleState};

/// The answers of one look, as the system gave them.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    /// State of the notification of thermal pressure.
    pub pressure: SensorAnswer<u64>,
    /// The output of `pmset -g therm`.
    pub therm: SensorAnswer<String>,
    /// The output of `pmset -g batt`.
    pub batt: SensorAnswer<String>,
    /// Resources that this process used.
    pub usage: SensorAnswer<ResourceUsage>,
    /// The hottest sensor of the processor.
    pub temperature_milli_c: SensorAnswer<i64>,
    /// The load average.
    pub load_milli: SensorAnswer<u64>,
}

impl Answers {
    /// The state of the machine, taken now.
    pub(super) fn state(self) -> MachineState {
        let unread = taken_now("not available on macOS");
        let used = |count: fn(ResourceUsage) -> u64| reading(self.usage.clone().map(count));
        let on_battery = self.batt.clone().and_then(|batt| pmset::parse_on_battery(&batt));
        let charge = self.batt.and_then(|batt| pmset::parse_battery_percent(&batt));
        let limit = self.therm.and_then(|therm| pmset::parse_speed_limit_percent(&therm));
        MachineState {
            temperature_milli_c: reading(self.temperature_milli_c),
            critical_milli_c: Reading::absent("the sensors of macOS tell no limit"),
            frequency_khz: Reading::absent("macOS reports a constant in place of the clock"),
            frequency_is_counted: Reading::absent("macOS reports a constant in place of the clock"),
            core_kind: Reading::absent("macOS does not tell on which core a thread runs"),
            throttling: ThrottleState {
                pressure_level: reading(self.pressure.and_then(pressure::parse_level)),
                limit_percent: reading(limit),
                ..unread.throttling
            },
            load_milli: reading(self.load_milli),
            context_switches: used(|usage| usage.context_switches),
            major_faults: used(|usage| usage.major_faults),
            minor_faults: used(|usage| usage.minor_faults),
            on_battery: reading(on_battery),
            battery_percent: reading(charge),
            power: PowerSettings {
                governor: Reading::absent("macOS has no governors"),
                ..unread.power
            },
            ..unread
        }
    }
}
