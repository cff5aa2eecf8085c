//! The temperature of the processor package.
//!
//! A machine has many sensors and most of them are not the processor: board, disk and radio
//! chips, and thermal zones that never move. The chips of the processor are known by name
//! because their numbers change from boot to boot.

use super::absence::Absence;
use super::tree::{Tree, number};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Outside of it a value is a broken or unconnected sensor.
const PLAUSIBLE_MILLI_C: RangeInclusive<i64> = -40_000..=150_000;

/// The sensors of the processor packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Temperature {
    inputs: Vec<PathBuf>,
}

impl Temperature {
    /// Looks for the processor's chip, and for its thermal zone where there is no such chip.
    pub(super) fn discover(tree: &Tree) -> Self {
        let chips = best(chip_inputs(tree));
        Self { inputs: if chips.is_empty() { best(zone_inputs(tree)) } else { chips } }
    }

    /// Temperature of the hottest package, thousandths of a degree Celsius.
    pub(super) fn read(&self, tree: &Tree) -> Result<i64, Absence> {
        let mut answer = Err(Absence::because("no processor temperature sensor"));
        for input in &self.inputs {
            let milli_c = tree.parse(input, parse_milli_c);
            answer = match (answer, milli_c) {
                (Ok(hottest), Ok(milli_c)) => Ok(milli_c.max(hottest)),
                (Ok(hottest), Err(_)) => Ok(hottest),
                (Err(_), milli_c) => milli_c,
            };
        }
        answer
    }
}

/// A plausible temperature in thousandths of a degree Celsius.
fn parse_milli_c(text: &str) -> Option<i64> {
    number(text).filter(|milli_c| PLAUSIBLE_MILLI_C.contains(milli_c))
}

/// How well a chip's sensor stands for the whole package, 0 best; `None` for other chips.
fn chip_rank(chip: &str, label: &str) -> Option<usize> {
    let labels = match chip {
        "coretemp" => ["Package id", "Physical id"],
        // Tctl has an offset on some parts, and Tdie is there only where it has.
        "k10temp" | "zenpower" => ["Tdie", "Tctl"],
        _ => return None,
    };
    let rank = labels.iter().position(|prefix| label.starts_with(prefix));
    Some(rank.unwrap_or(labels.len()))
}

/// How well a thermal zone stands for the processor, 0 best; `None` for other zones.
fn zone_rank(kind: &str) -> Option<usize> {
    match kind {
        "x86_pkg_temp" => Some(0),
        "cpu-thermal" | "cpu_thermal" | "bcm2835_thermal" => Some(1),
        _ if kind.to_ascii_lowercase().contains("cpu") => Some(2),
        "soc-thermal" => Some(3),
        _ => None,
    }
}

/// The inputs of the processor's chips with their rank.
fn chip_inputs(tree: &Tree) -> Vec<(usize, PathBuf)> {
    let mut inputs = Vec::new();
    for (_, chip) in tree.numbered("sys/class/hwmon", "hwmon", "") {
        let Ok(name) = tree.read(chip.join("name")) else {
            continue;
        };
        for (number, input) in tree.numbered(&chip, "temp", "_input") {
            let label = tree.read(chip.join(format!("temp{number}_label"))).unwrap_or_default();
            inputs.extend(chip_rank(name.trim(), label.trim()).map(|rank| (rank, input)));
        }
    }
    inputs
}

/// The processor's thermal zones with their rank.
fn zone_inputs(tree: &Tree) -> Vec<(usize, PathBuf)> {
    let mut inputs = Vec::new();
    for (_, zone) in tree.numbered("sys/class/thermal", "thermal_zone", "") {
        let Ok(kind) = tree.read(zone.join("type")) else {
            continue;
        };
        inputs.extend(zone_rank(kind.trim()).map(|rank| (rank, zone.join("temp"))));
    }
    inputs
}

/// All inputs of the best rank: a machine has one for each package.
fn best(inputs: Vec<(usize, PathBuf)>) -> Vec<PathBuf> {
    let best = inputs.iter().map(|(rank, _)| *rank).min();
    let inputs = inputs.into_iter().filter(|(rank, _)| Some(*rank) == best);
    inputs.map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_stands_above_its_cores() {
        assert!(chip_rank("coretemp", "Package id 0") < chip_rank("coretemp", "Core 0"));
        assert!(chip_rank("coretemp", "Physical id 1") < chip_rank("coretemp", "Core 0"));
    }

    #[test]
    fn the_die_stands_above_the_control_value_and_its_chiplets() {
        assert!(chip_rank("k10temp", "Tdie") < chip_rank("k10temp", "Tctl"));
        assert!(chip_rank("zenpower", "Tctl") < chip_rank("zenpower", "Tccd1"));
    }

    #[test]
    fn an_unlabelled_sensor_of_the_processors_chip_counts() {
        assert!(chip_rank("k10temp", "").is_some());
    }

    #[test]
    fn decoys_are_ignored() {
        for chip in ["nvme", "acpitz", "iwlwifi_1", "amdgpu", "nct6799", "BAT0"] {
            assert_eq!(chip_rank(chip, "CPUTIN"), None, "{chip}");
        }
        for zone in ["acpitz", "INT3400 Thermal", "iwlwifi_1", "pch_cannonlake", "SEN1", "gpu"] {
            assert_eq!(zone_rank(zone), None, "{zone}");
        }
    }

    #[test]
    fn implausible_values_are_no_temperatures() {
        assert_eq!(parse_milli_c("61000\n"), Some(61_000));
        assert_eq!(parse_milli_c("-273150\n"), None);
        assert_eq!(parse_milli_c("65261850\n"), None);
        assert_eq!(parse_milli_c("61.0\n"), None);
    }
}
