//! The kernel's cooling devices of processors. At a passive trip point they lower the highest clock of a
//! policy, which then reads like a cap that somebody has set.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use perftest_core::model::{PowerSettings, Reading};
use std::path::{Path, PathBuf};

/// The devices that lower the clock of processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cooling {
    devices: Vec<PathBuf>,
}

impl Cooling {
    /// Looks for the devices.
    pub(super) fn discover(tree: &Tree) -> Self {
        let devices = tree.numbered("sys/class/thermal", "cooling_device", "").into_iter();
        let devices = devices.map(|(_, device)| device);
        Self { devices: devices.filter(|device| lowers_clock(tree, device)).into_list() }
    }

    /// Separates the settings from the effect of heat: the settings, whose cap is absent where a device may
    /// have lowered the clock, and the clock allowed then, percent of the hardware's highest.
    ///
    /// The kernel reports the lower of a cap and of what its devices allow, so the cap is unknown meanwhile.
    pub(super) fn separate(
        &self,
        tree: &Tree,
        settings: PowerSettings,
    ) -> (PowerSettings, SensorAnswer<u64>) {
        let clocks = settings.cap_khz.get().zip(settings.hardware_khz.get());
        let lowered = clocks.filter(|(allowed, hardware)| allowed < hardware);
        // There may be a device for each processor, and usually none needs to be read.
        let Some((allowed, hardware)) = lowered.filter(|_| self.is_at_work(tree)) else {
            return (settings, Err("no cooling device lowers the clock".to_owned()));
        };
        let cap_khz = Reading::absent("a cooling device lowers the clock");
        (PowerSettings { cap_khz, ..settings }, Ok(allowed.saturating_mul(100) / hardware))
    }

    /// Whether a device is in a state above 0, the one without an effect.
    fn is_at_work(&self, tree: &Tree) -> bool {
        let state = |device: &PathBuf| tree.parse(device.join("cur_state"), number::<u64>);
        self.devices.iter().any(|device| state(device).is_ok_and(|state| state > 0))
    }
}

/// Whether a device lowers the clock of processors: one of ACPI (`Processor`), or of cpufreq
/// (`cpufreq-cpu0`, in older kernels `thermal-cpufreq-0`).
fn lowers_clock(tree: &Tree, device: &Path) -> bool {
    let name = tree.read(device.join("type")).unwrap_or_default();
    let is_of_cpufreq = |prefix: &&str| name.starts_with(*prefix);
    name.trim() == "Processor" || ["cpufreq-", "thermal-cpufreq-"].iter().any(is_of_cpufreq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    const DEVICE: &str = "sys/class/thermal/cooling_device2";

    /// The cap and the limit of a clock of 1.8 of 2.4 GHz beside a device of this name in this state.
    fn separated(name: &str, state: &str) -> (Option<u64>, Option<u64>) {
        let machine = FakeMachine::empty();
        machine.write(&format!("{DEVICE}/type"), name);
        machine.write(&format!("{DEVICE}/cur_state"), state);
        let settings = PowerSettings {
            cap_khz: Reading::Value(1_800_000),
            hardware_khz: Reading::Value(2_400_000),
            ..PowerSettings::default()
        };
        let tree = machine.tree();
        let (settings, limit) = Cooling::discover(&tree).separate(&tree, settings);
        (settings.cap_khz.get(), limit.ok())
    }

    #[test]
    fn a_clock_lowered_while_the_processor_is_cooled_is_a_limit_and_no_cap() {
        for name in ["Processor\n", "cpufreq-cpu0\n", "thermal-cpufreq-1\n"] {
            assert_eq!(separated(name, "1\n"), (None, Some(75)), "{name}");
            assert_eq!(separated(name, "0\n"), (Some(1_800_000), None), "{name}");
        }
    }

    #[test]
    fn fans_and_devices_whose_state_is_unknown_lower_no_clock() {
        for (name, state) in [
            ("pwm-fan\n", "3\n"),
            ("devfreq-fb000000.gpu\n", "3\n"),
            ("intel_powerclamp\n", "25\n"),
            ("Processor\n", "-1\n"),
            ("Processor\n", ""),
            ("", "1\n"),
        ] {
            assert_eq!(separated(name, state), (Some(1_800_000), None), "{name}{state}");
        }
    }

    #[test]
    fn the_highest_clock_of_the_hardware_is_no_limit_whatever_a_device_does() {
        let machine = FakeMachine::load("intel_laptop");
        machine.write("sys/class/thermal/cooling_device0/cur_state", "1\n");
        let state = machine.sensors().look();
        assert_eq!(state.power.cap_khz.get(), state.power.hardware_khz.get());
        let absent = Reading::absent("no cooling device lowers the clock");
        assert_eq!(state.throttling.limit_percent, absent);
    }
}
