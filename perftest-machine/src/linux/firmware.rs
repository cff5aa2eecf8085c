//! The throttle word of a Raspberry Pi's firmware.

use super::absence::Absence;
use super::tree::Tree;
use std::path::PathBuf;

const WORD: &str = "sys/devices/platform/soc/soc:firmware/get_throttled";
const UNDER_VOLTAGE: u64 = 1;

/// What the firmware tells: its word, and on newer kernels an alarm of its voltage sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Firmware {
    has_word: bool,
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
        Self { has_word: tree.has(WORD), alarm }
    }

    /// The word. Where it is gone, an alarm stands for its lowest bit; without an alarm nothing
    /// is known, because the other bits may be set all the same.
    pub(super) fn read_bits(&self, tree: &Tree) -> Result<u64, Absence> {
        let word = match self.has_word {
            true => tree.parse(WORD, parse_bits),
            false => Err(Absence::because("no throttle word of a Raspberry Pi")),
        };
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
    fn without_the_word_an_alarm_tells_of_the_voltage_and_its_silence_of_nothing() {
        let machine = FakeMachine::load("raspberry_pi4");
        machine.remove(WORD);
        let bits = || {
            let tree = machine.tree();
            Firmware::discover(&tree).read_bits(&tree).map_err(|absence| absence.to_string())
        };
        assert_eq!(bits(), Err("no throttle word of a Raspberry Pi".into()));
        machine.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n");
        assert_eq!(bits(), Ok(UNDER_VOLTAGE));
    }
}
