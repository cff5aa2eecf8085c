//! The answers of Windows in one look, and the machine state made of them.

use super::counters::Counters;
use super::power_scheme::scheme_name;
use super::power_status::PowerStatus;
use super::processor_power::{ProcessorPower, limit_percent, nominal_mhz};
use super::thermal_zones::ThermalZones;
use crate::portable::taken_now;
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::model::{MachineState, PowerSettings, Reading, ThrottleState};

/// The answers of one look, as the system gave them.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    /// Mains, battery and battery saver.
    pub power_status: SensorAnswer<PowerStatus>,
    /// Clocks and limits of the processors.
    pub processors: SensorAnswer<Vec<ProcessorPower>>,
    /// Identifier of the active power scheme.
    pub power_scheme: SensorAnswer<String>,
    /// The performance counters.
    pub counters: Counters,
}

impl Answers {
    /// The state of the machine, taken now. `zones` remembers the looks before.
    pub(super) fn state(self, zones: &mut ThermalZones) -> MachineState {
        let unread = taken_now("not available on Windows");
        let frequency_khz = self.frequency_khz();
        let is_counted = frequency_khz.as_ref().map(|_| true).map_err(Clone::clone);
        MachineState {
            temperature_milli_c: reading(zones.hottest_milli_c(&self.counters.temperature)),
            frequency_khz: reading(frequency_khz),
            frequency_is_counted: reading(is_counted),
            throttling: ThrottleState {
                limit_percent: reading(self.limit_percent()),
                ..unread.throttling
            },
            load_milli: Reading::absent("Windows keeps no load average"),
            on_battery: reading(self.power_status.clone().and_then(PowerStatus::on_battery)),
            battery_percent: reading(
                self.power_status.clone().and_then(PowerStatus::battery_percent),
            ),
            power: PowerSettings {
                governor: Reading::absent("Windows has no governors"),
                preference: reading(self.power_status.and_then(PowerStatus::preference)),
                profile: reading(self.power_scheme.map(|guid| scheme_name(&guid).to_owned())),
                ..unread.power
            },
            ..unread
        }
    }

    fn frequency_khz(&self) -> SensorAnswer<u64> {
        let processors = self.processors.as_ref().map_err(Clone::clone)?;
        self.counters.clock_khz(nominal_mhz(processors)?)
    }

    /// Returns the lowest of all reported limits. That of a thermal zone may be of a charger, a screen or the skin, so
    /// only a processor that is limited or below its nominal clock is held to it. One that has idled since the look before
    /// is below it, too: then the zone counts without need.
    fn limit_percent(&self) -> SensorAnswer<u64> {
        let own = [self.processor_limit_percent(), self.counters.limit_percent()];
        let own = own.into_iter().flatten().min();
        let is_slowed =
            own.is_some_and(|percent| percent < 100) || self.counters.is_below_nominal();
        let zone = self.counters.passive_limit_percent().ok();
        let zone = zone.map(|percent| if is_slowed { percent } else { 100 });
        let lowest = own.into_iter().chain(zone).min();
        lowest.ok_or_else(|| "neither firmware nor thermal zones tell a limit".into())
    }

    /// A limit of the processors that is no lower than that of the power plan is that of the power plan, or has no
    /// effect beside it.
    fn processor_limit_percent(&self) -> SensorAnswer<u64> {
        let limit = self.processors.as_deref().map_err(Clone::clone).and_then(limit_percent)?;
        let is_own = self.counters.own_limit_percent().is_some_and(|own| limit >= own);
        Ok(if is_own { 100 } else { limit })
    }
}
