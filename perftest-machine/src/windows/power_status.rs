//! Mains, battery and battery saver, of the values of `GetSystemPowerStatus`.

use crate::sensor_answer::SensorAnswer;

/// The bit of `BatteryFlag` for a machine without a battery.
const NO_BATTERY: u8 = 128;
/// The value of a field that Windows does not know.
const UNKNOWN: u8 = 255;

/// The fields of `SYSTEM_POWER_STATUS` that are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PowerStatus {
    /// `ACLineStatus`.
    pub ac_line: u8,
    /// `BatteryFlag`.
    pub battery_flag: u8,
    /// `BatteryLifePercent`.
    pub battery_percent: u8,
    /// `SystemStatusFlag`.
    pub system_status: u8,
}

impl PowerStatus {
    /// Whether the battery feeds the machine.
    pub(super) fn on_battery(self) -> SensorAnswer<bool> {
        match self.ac_line {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err("Windows does not know the power source".into()),
        }
    }

    /// Charge of the battery.
    pub(super) fn battery_percent(self) -> SensorAnswer<u64> {
        match (self.battery_flag, self.battery_percent) {
            (flag, _) if flag != UNKNOWN && flag & NO_BATTERY != 0 => Err("no battery".into()),
            (_, percent @ 0..=100) => Ok(percent.into()),
            _ => Err("Windows does not know the charge".into()),
        }
    }

    /// Whether the battery saver is on, as a preference between energy and performance.
    pub(super) fn preference(self) -> SensorAnswer<String> {
        match self.system_status {
            0 => Ok("no battery saver".into()),
            1 => Ok("battery saver".into()),
            _ => Err("Windows does not know the battery saver".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(battery_flag: u8, battery_percent: u8) -> SensorAnswer<u64> {
        PowerStatus { ac_line: 1, battery_flag, battery_percent, system_status: 0 }
            .battery_percent()
    }

    #[test]
    fn no_battery_is_another_reason_than_an_unknown_charge() {
        assert_eq!(charge(128, 255), Err("no battery".into()));
        assert_eq!(charge(255, 255), Err("Windows does not know the charge".into()));
        assert_eq!(charge(255, 40), Ok(40));
        assert_eq!(charge(8, 101), Err("Windows does not know the charge".into()));
    }

    #[test]
    fn a_line_or_a_saver_of_no_known_value_is_not_guessed() {
        let status =
            PowerStatus { ac_line: 2, battery_flag: 1, battery_percent: 50, system_status: 7 };
        assert!(status.on_battery().is_err());
        assert!(status.preference().is_err());
    }
}
