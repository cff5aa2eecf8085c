//! The throttle word of a Raspberry Pi's firmware.

use super::tree::Tree;
use crate::sensor_answer::SensorAnswer;
use std::path::PathBuf;

const DEVICES: &str = "sys/devices/platform";
const UNDER_VOLTAGE: u64 = 1;

/// The throttle word of the firmware, and on newer kernels the alarm of its voltage sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Firmware {
    word: Option<PathBuf>,
    alarm: Option<PathBuf>,
}

impl Firmware {
    /// Looks for the word and the alarm.
    pub(super) fn discover(tree: &Tree) -> Self {
        let is_voltage = |chip: &PathBuf| {
            tree.read(chip.join("name")).is_ok_and(|name| name.trim() == "rpi_volt")
        };
        let mut chips = tree.numbered("sys/class/hwmon", "hwmon", "").into_iter();
        let chip = chips.find_map(|(_, chip)| Some(chip).filter(is_voltage));
        let alarm = chip.map(|chip| chip.join("in0_lcrit_alarm"));
        Self { word: find_word(tree), alarm }
    }

    /// Reads the word. Without the word, an alarm sets the lowest bit. Without an alarm the result is
    /// unknown, because the other bits may be set.
    pub(super) fn read_bits(&self, tree: &Tree) -> SensorAnswer<u64> {
        let absence = || "no throttle word of a Raspberry Pi".to_owned();
        let word = self.word.as_ref().ok_or_else(absence);
        let word = word.and_then(|word| tree.parse(word, parse_bits));
        word.or_else(|absence| match self.has_alarm(tree) {
            true => Ok(UNDER_VOLTAGE),
            false => Err(absence),
        })
    }

    fn has_alarm(&self, tree: &Tree) -> bool {
        let alarm = self.alarm.as_ref().and_then(|alarm| tree.read(alarm).ok());
        alarm.is_some_and(|alarm| alarm.trim() == "1")
    }
}

/// Finds the file with the word at the firmware's device. The device has the name of its node in the
/// device tree: `soc/soc:firmware` up to the Pi 4, `soc@107c000000/soc@107c000000:firmware` on the 5.
fn find_word(tree: &Tree) -> Option<PathBuf> {
    let is_firmware = |path: &PathBuf| path.to_string_lossy().ends_with("firmware");
    let devices = tree.entries(DEVICES).into_iter();
    let mut devices = devices.flat_map(|device| {
        let children = tree.entries(&device);
        [device].into_iter().chain(children)
    });
    devices.find_map(|device| {
        Some(device.join("get_throttled")).filter(|word| is_firmware(&device) && tree.has(word))
    })
}

/// A hexadecimal word, with or without `0x`.
fn parse_bits(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    // The standard parser would take a sign.
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex).map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    const WORD: &str = "sys/devices/platform/soc/soc:firmware/get_throttled";

    #[test]
    fn the_word_is_hexadecimal_with_or_without_its_prefix() {
        assert_eq!(parse_bits("50005\n"), Some(0x5_0005));
        assert_eq!(parse_bits("0xe0008\n"), Some(0xe_0008));
        assert_eq!(parse_bits("0\n"), Some(0));
        for text in ["", "0x", "+1", "-1", "throttled=0x0", "100000000"] {
            assert_eq!(parse_bits(text), None, "{text}");
        }
    }

    #[test]
    fn the_word_is_found_whatever_the_node_of_the_chip_is_called() {
        for node in ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware", "firmware"] {
            let machine = FakeMachine::empty();
            machine.write("sys/devices/platform/other/get_throttled", "f\n");
            machine.write(&format!("{DEVICES}/{node}/get_throttled"), "50005\n");
            let tree = machine.tree();
            assert_eq!(Firmware::discover(&tree).read_bits(&tree), Ok(0x5_0005), "{node}");
        }
    }

    #[test]
    fn without_the_word_an_alarm_means_low_voltage_and_no_alarm_means_nothing() {
        let machine = FakeMachine::load("raspberry_pi4");
        machine.remove(WORD);
        let bits = || {
            let tree = machine.tree();
            Firmware::discover(&tree).read_bits(&tree)
        };
        assert_eq!(bits(), Err("no throttle word of a Raspberry Pi".into()));
        machine.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n");
        assert_eq!(bits(), Ok(UNDER_VOLTAGE));
    }
}
