//! The power supplies of the machine: whether it runs on its battery, and its charge.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use std::path::PathBuf;

/// The machine's own power supplies, without those of peripherals such as a mouse.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Supplies {
    mains: Vec<PathBuf>,
    batteries: Vec<PathBuf>,
}

impl Supplies {
    /// Sorts the supplies by their type.
    pub(super) fn discover(tree: &Tree) -> Self {
        let mut supplies = Self::default();
        for supply in tree.entries("sys/class/power_supply") {
            if tree.read(supply.join("scope")).is_ok_and(|scope| scope.trim() == "Device") {
                continue;
            }
            match tree.read(supply.join("type")).as_deref().map(str::trim) {
                Ok("Battery") => supplies.batteries.push(supply),
                Ok(kind) if feeds(kind) => supplies.mains.push(supply.join("online")),
                _ => {}
            }
        }
        supplies
    }

    /// Whether the machine runs on battery. A supply that is online decides, or else the status of the
    /// battery.
    pub(super) fn read_on_battery(&self, tree: &Tree) -> SensorAnswer<bool> {
        if self.batteries.is_empty() {
            return Err("no battery".to_owned());
        }
        let online = |path: &PathBuf| tree.parse(path, number::<u32>).ok().map(|online| online > 0);
        let mains: Vec<bool> = self.mains.iter().filter_map(online).into_list();
        if !mains.is_empty() {
            return Ok(!mains.contains(&true));
        }
        // One of two batteries often has an unknown status while the other one is used.
        let discharging =
            |battery: &PathBuf| tree.parse(battery.join("status"), parse_discharging).ok();
        let known = self.batteries.iter().filter_map(discharging);
        let answer = known.reduce(|any, discharging| any || discharging);
        answer.ok_or_else(|| "the battery does not tell its state".to_owned())
    }

    /// Charge of the emptiest battery.
    pub(super) fn read_percent(&self, tree: &Tree) -> SensorAnswer<u64> {
        let mut lowest = Err("no battery".to_owned());
        for battery in &self.batteries {
            let percent = tree.parse(battery.join("capacity"), parse_percent)?;
            lowest = Ok(lowest.unwrap_or(percent).min(percent));
        }
        lowest
    }
}

/// Whether supplies of this type feed the machine from outside: `Mains`, `Wireless`, `USB` and its
/// further names on older kernels (`USB_PD`, `USB_C`).
fn feeds(kind: &str) -> bool {
    kind == "Mains" || kind == "Wireless" || kind.starts_with("USB")
}

fn parse_percent(text: &str) -> Option<u64> {
    number(text).filter(|percent| *percent <= 100)
}

/// Whether a battery is being used up, by its `status`.
fn parse_discharging(text: &str) -> Option<bool> {
    match text.trim() {
        "Discharging" => Some(true),
        "Charging" | "Full" | "Not charging" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    fn on_battery(files: &[(&str, &str)]) -> Result<bool, String> {
        let machine = FakeMachine::empty();
        for (path, content) in files {
            machine.write(&format!("sys/class/power_supply/{path}"), content);
        }
        let tree = machine.tree();
        Supplies::discover(&tree).read_on_battery(&tree)
    }

    #[test]
    fn a_supply_that_is_online_decides_even_while_the_battery_helps_out() {
        let files = [
            ("AC/type", "Mains\n"),
            ("AC/online", "0\n"),
            ("ucsi/type", "USB\n"),
            ("ucsi/online", "1\n"),
            ("BAT0/type", "Battery\n"),
            ("BAT0/status", "Discharging\n"),
        ];
        assert_eq!(on_battery(&files), Ok(false));
        assert_eq!(on_battery(&files[..2]), Err("no battery".into()));
        assert_eq!(on_battery(&[files[0], files[1], files[4]]), Ok(true));
    }

    #[test]
    fn without_mains_the_battery_is_the_source() {
        let battery = |status| on_battery(&[("BAT0/type", "Battery\n"), ("BAT0/status", status)]);
        assert_eq!(battery("Discharging\n"), Ok(true));
        assert_eq!(battery("Not charging\n"), Ok(false));
        assert!(battery("Unknown\n").is_err());
    }

    #[test]
    fn a_battery_that_does_not_know_leaves_the_answer_to_the_other_one() {
        let two = |first, second| {
            on_battery(&[
                ("BAT0/type", "Battery\n"),
                ("BAT0/status", first),
                ("BAT1/type", "Battery\n"),
                ("BAT1/status", second),
            ])
        };
        assert_eq!(two("Unknown\n", "Discharging\n"), Ok(true));
        assert_eq!(two("Discharging\n", "Unknown\n"), Ok(true));
        assert_eq!(two("Unknown\n", "Charging\n"), Ok(false));
        assert_eq!(two("Full\n", "Discharging\n"), Ok(true));
        let reason = "the battery does not tell its state";
        assert_eq!(two("Unknown\n", "Unknown\n"), Err(reason.into()));
    }

    #[test]
    fn the_emptiest_of_the_machines_batteries_counts() {
        let machine = FakeMachine::load("intel_laptop");
        let percent = || {
            let tree = machine.tree();
            Supplies::discover(&tree).read_percent(&tree)
        };
        assert_eq!(percent(), Ok(98));
        machine.write("sys/class/power_supply/BAT1/type", "Battery\n");
        machine.write("sys/class/power_supply/BAT1/capacity", "31\n");
        assert_eq!(percent(), Ok(31));
        machine.write("sys/class/power_supply/BAT1/capacity", "255\n");
        let reason = "/sys/class/power_supply/BAT1/capacity is not understood";
        assert_eq!(percent(), Err(reason.into()));
        machine.remove("sys/class/power_supply");
        assert_eq!(percent(), Err("no battery".into()));
    }

    #[test]
    fn the_battery_of_a_mouse_is_not_the_machines() {
        let files = [
            ("hidpp/type", "Battery\n"),
            ("hidpp/scope", "Device\n"),
            ("hidpp/status", "Discharging\n"),
        ];
        assert_eq!(on_battery(&files), Err("no battery".into()));
    }
}
