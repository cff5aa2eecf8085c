//! The temperature of the processor package.
//!
//! A machine has many sensors and most of them are not the processor: board, disk and radio
//! chips, and thermal zones that never move. The chips of the processor are known by name
//! because their numbers change from boot to boot.

use super::absence::{Absence, part, reading};
use super::tree::{Tree, number};
use perftest_core::model::Reading;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Outside of it a value is a broken or unconnected sensor.
const PLAUSIBLE_MILLI_C: RangeInclusive<i64> = -40_000..=150_000;

/// The sensors of the processor packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Temperature {
    sensors: Vec<Sensor>,
}

/// One sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sensor {
    /// How well it stands for the whole package, 0 best.
    rank: usize,
    input: PathBuf,
    /// Where the processor must slow down; it does not change.
    critical_milli_c: Result<i64, Absence>,
}

/// What the hottest package says, in thousandths of a degree Celsius.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heat {
    /// Its temperature.
    pub(super) milli_c: Reading<i64>,
    /// The temperature at which it must slow down.
    pub(super) critical_milli_c: Reading<i64>,
}

impl Temperature {
    /// Looks for the processor's chip, and for its thermal zone where there is no such chip.
    pub(super) fn discover(tree: &Tree) -> Self {
        let chips = best(chip_sensors(tree));
        Self { sensors: if chips.is_empty() { best(zone_sensors(tree)) } else { chips } }
    }

    /// What the hottest package says.
    pub(super) fn read(&self, tree: &Tree) -> Heat {
        let hottest = self.hottest(tree);
        Heat {
            milli_c: part(&hottest, |(milli_c, _)| *milli_c),
            critical_milli_c: reading(
                hottest.and_then(|(_, sensor)| sensor.critical_milli_c.clone()),
            ),
        }
    }

    fn hottest(&self, tree: &Tree) -> Result<(i64, &Sensor), Absence> {
        let mut answer: Result<(i64, _), _> =
            Err(Absence::because("no processor temperature sensor"));
        for sensor in &self.sensors {
            let its = tree.parse(&sensor.input, parse_milli_c).map(|milli_c| (milli_c, sensor));
            answer = match (answer, its) {
                (Ok(hottest), Ok(its)) => Ok(if its.0 > hottest.0 { its } else { hottest }),
                (Ok(hottest), Err(_)) => Ok(hottest),
                (Err(_), its) => its,
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

/// The sensors of the processor's chips.
fn chip_sensors(tree: &Tree) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for (_, chip) in tree.numbered("sys/class/hwmon", "hwmon", "") {
        let Ok(name) = tree.read(chip.join("name")) else {
            continue;
        };
        for (number, input) in tree.numbered(&chip, "temp", "_input") {
            let label = tree.read(chip.join(format!("temp{number}_label"))).unwrap_or_default();
            let critical = chip.join(format!("temp{number}_crit"));
            sensors.extend(chip_rank(name.trim(), label.trim()).map(|rank| Sensor {
                rank,
                input,
                critical_milli_c: read_critical(tree, Some(critical)),
            }));
        }
    }
    sensors
}

/// The processor's thermal zones.
fn zone_sensors(tree: &Tree) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for (_, zone) in tree.numbered("sys/class/thermal", "thermal_zone", "") {
        let Ok(kind) = tree.read(zone.join("type")) else {
            continue;
        };
        sensors.extend(zone_rank(kind.trim()).map(|rank| Sensor {
            rank,
            input: zone.join("temp"),
            critical_milli_c: read_critical(tree, critical_trip_point(tree, &zone)),
        }));
    }
    sensors
}

/// The file with the temperature of a zone's critical trip point.
fn critical_trip_point(tree: &Tree, zone: &Path) -> Option<PathBuf> {
    let mut points = tree.numbered(zone, "trip_point_", "_type").into_iter();
    let is_critical = |path: &PathBuf| tree.read(path).is_ok_and(|kind| kind.trim() == "critical");
    let (number, _) = points.find(|(_, path)| is_critical(path))?;
    Some(zone.join(format!("trip_point_{number}_temp")))
}

fn read_critical(tree: &Tree, file: Option<PathBuf>) -> Result<i64, Absence> {
    let file = file.filter(|file| tree.has(file));
    let file = file.ok_or_else(|| Absence::because("the sensor does not tell its limit"))?;
    tree.parse(file, parse_milli_c)
}

/// All sensors of the best rank: a machine has one for each package.
fn best(mut sensors: Vec<Sensor>) -> Vec<Sensor> {
    let best = sensors.iter().map(|sensor| sensor.rank).min();
    sensors.retain(|sensor| Some(sensor.rank) == best);
    sensors
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
