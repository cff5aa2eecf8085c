//! The temperature of the processor package.
//!
//! A machine has many sensors, and most do not measure the processor: board, disk and radio chips,
//! and thermal zones with a constant value. The processor's chips are found by name, because their
//! numbers change from boot to boot.

use super::tree::{Tree, number};
use crate::sensor_answer::{SensorAnswer, part, reading};
use perftest_core::list::IntoList;
use perftest_core::model::Reading;
use perftest_core::order::sort_by;
use perftest_core::text::Text;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

/// The range of a working sensor. Broken or unconnected sensors often show 127, the largest number
/// of a signed byte.
const PLAUSIBLE_MILLI_C: Range<i64> = -40_000..127_000;
/// A processor switches off before it exceeds its highest limit by this much.
const BEYOND_LIMIT_MILLI_C: i64 = 15_000;
/// Values in this range are whole degrees: some drivers omit the thousandths.
const WHOLE_DEGREES: RangeInclusive<i64> = 1..=150;

/// The sensors of the processor packages, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Temperature {
    sensors: Vec<Sensor>,
}

/// One sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sensor {
    /// How well the sensor represents the whole package, 0 best.
    rank: usize,
    input: PathBuf,
    /// The temperature at which the processor must slow down; a constant.
    critical_milli_c: SensorAnswer<i64>,
    /// The highest value of a working sensor.
    highest_milli_c: i64,
}

/// The temperature of the hottest package, in thousandths of a degree Celsius.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heat {
    /// Its temperature.
    pub(super) milli_c: Reading<i64>,
    /// The temperature at which it must slow down.
    pub(super) critical_milli_c: Reading<i64>,
}

impl Temperature {
    /// Looks for the processor's chips and its thermal zones.
    pub(super) fn discover(tree: &Tree) -> Self {
        let mut sensors = chip_sensors(tree);
        sensors.extend(zone_sensors(tree));
        sort_by(&mut sensors, &|a, b| a.rank.cmp(&b.rank));
        Self { sensors }
    }

    /// Reads the temperature of the hottest package.
    pub(super) fn read(&self, tree: &Tree) -> Heat {
        let hottest = self.hottest(tree);
        Heat {
            milli_c: part(&hottest, |(milli_c, _)| *milli_c),
            critical_milli_c: reading(
                hottest.and_then(|(_, sensor)| sensor.critical_milli_c.clone()),
            ),
        }
    }

    /// Returns the hottest sensor of the best rank that has a value. A machine has one sensor for each
    /// package, and some chips have no value.
    fn hottest(&self, tree: &Tree) -> SensorAnswer<(i64, &Sensor)> {
        let mut absence = None;
        for of_rank in self.sensors.chunk_by(|one, next| one.rank == next.rank) {
            let mut hottest: Option<(i64, &Sensor)> = None;
            for sensor in of_rank {
                match sensor.read_milli_c(tree) {
                    Ok(milli_c) if hottest.is_none_or(|(highest, _)| milli_c > highest) => {
                        hottest = Some((milli_c, sensor));
                    }
                    Ok(_) => {}
                    Err(why) => absence = absence.or(Some(why)),
                }
            }
            if let Some(hottest) = hottest {
                return Ok(hottest);
            }
        }
        Err(absence.unwrap_or_else(|| "no processor temperature sensor".to_owned()))
    }
}

impl Sensor {
    fn read_milli_c(&self, tree: &Tree) -> SensorAnswer<i64> {
        let milli_c = tree.parse(&self.input, parse_milli_c)?;
        let is_stuck = milli_c > self.highest_milli_c;
        let why = || format!("/{} is stuck", self.input.display());
        if is_stuck { Err(why()) } else { Ok(milli_c) }
    }
}

/// A plausible temperature in thousandths of a degree Celsius. A processor at exactly 0 C is a
/// sensor without power.
fn parse_milli_c(text: &str) -> Option<i64> {
    let value = number(text).filter(|value| *value != 0)?;
    let milli_c = if WHOLE_DEGREES.contains(&value) { 1_000 * value } else { value };
    Some(milli_c).filter(|milli_c| PLAUSIBLE_MILLI_C.contains(milli_c))
}

/// Ranks how well a chip's sensor represents the whole package, 0 best; `None` for other chips.
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

/// The rank of the first zone: chips come first, because they are more exact.
const FIRST_ZONE: usize = 3;

/// Ranks how well a thermal zone represents the processor, 0 best; `None` for other zones. Boards name
/// their zones after the processor, its clusters of cores (`bigcore0-thermal`, `cluster1`,
/// `LITTLE`), or the whole chip.
fn zone_rank(kind: &str) -> Option<usize> {
    let kind = kind.to_ascii_lowercase().replaced("_", "-");
    let words = || kind.split(['-', ' ', '.']).map(|word| word.trim_end_matches(char::is_numeric));
    let names = |names: &[&str]| words().any(|word| names.contains(&word));
    match kind.as_str() {
        "x86-pkg-temp" => Some(0),
        _ if names(&["gpu", "npu", "ddr", "modem", "pmic", "wifi", "battery"]) => None,
        "cpu-thermal" | "bcm2835-thermal" => Some(1),
        _ if kind.has("cpu") => Some(2),
        _ if names(&["bigcore", "midcore", "littlecore", "cluster", "big", "mid", "little"]) => {
            Some(3)
        }
        _ if names(&["soc", "package"]) => Some(4),
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
            sensors.extend(chip_rank(name.trim(), label.trim()).map(|rank| {
                let critical_milli_c = read_critical(tree, Some(critical));
                let highest_milli_c = highest_milli_c(&critical_milli_c);
                Sensor { rank, input, critical_milli_c, highest_milli_c }
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
        let kind = kind.trim();
        sensors.extend(zone_rank(kind).map(|rank| {
            let shutdown_milli_c = read_critical(tree, critical_trip_point(tree, &zone));
            let highest_milli_c = highest_milli_c(&shutdown_milli_c);
            let slowing_milli_c = slowing_trip_point(tree, &zone, kind);
            let critical_milli_c = slowing_milli_c.map_or(shutdown_milli_c, Ok);
            let rank = FIRST_ZONE + rank;
            Sensor { rank, input: zone.join("temp"), critical_milli_c, highest_milli_c }
        }));
    }
    sensors
}

/// The temperature from which the kernel lowers the clock: the lowest passive trip point, of those
/// that a cooling device is bound to where there are such (`cdevN_trip_point`).
/// <https://docs.kernel.org/driver-api/thermal/sysfs-api.html>
fn slowing_trip_point(tree: &Tree, zone: &Path, kind: &str) -> Option<i64> {
    // Its passive trip points only wake up programs that wait for them.
    if kind == "x86_pkg_temp" {
        return None;
    }
    let bound = tree.numbered(zone, "cdev", "_trip_point");
    let bound: Vec<u32> =
        bound.into_iter().filter_map(|(_, path)| tree.parse(path, number).ok()).into_list();
    let passive: Vec<(u32, i64)> = trip_points(tree, zone, "passive")
        .filter_map(|(number, path)| Some((number, tree.parse(path, parse_milli_c).ok()?)))
        .into_list();
    let lowest = |is_counted: &dyn Fn(u32) -> bool| {
        let counted = passive.iter().filter(|(number, _)| is_counted(*number));
        counted.map(|(_, milli_c)| *milli_c).min()
    };
    lowest(&|number| bound.contains(&number)).or_else(|| lowest(&|_| true))
}

/// The file with the temperature at which the kernel switches off.
fn critical_trip_point(tree: &Tree, zone: &Path) -> Option<PathBuf> {
    trip_points(tree, zone, "critical").next().map(|(_, path)| path)
}

/// The numbers and temperature files of a zone's trip points of a type.
fn trip_points<'a>(
    tree: &'a Tree,
    zone: &'a Path,
    kind: &'a str,
) -> impl Iterator<Item = (u32, PathBuf)> + 'a {
    let points = tree.numbered(zone, "trip_point_", "_type").into_iter();
    let points = points.filter(move |(_, path)| tree.read(path).is_ok_and(|it| it.trim() == kind));
    points.map(move |(number, _)| (number, zone.join(format!("trip_point_{number}_temp"))))
}

fn highest_milli_c(limit_milli_c: &SensorAnswer<i64>) -> i64 {
    limit_milli_c.as_ref().map_or(i64::MAX, |limit| limit + BEYOND_LIMIT_MILLI_C)
}

fn read_critical(tree: &Tree, file: Option<PathBuf>) -> SensorAnswer<i64> {
    let file = file.filter(|file| tree.has(file));
    let file = file.ok_or_else(|| "the sensor does not tell its limit".to_owned())?;
    tree.parse(file, parse_milli_c)
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
        let zones = ["acpitz", "INT3400 Thermal", "iwlwifi_1", "pch_cannonlake", "SEN1", "gpu"];
        let of_boards = ["gpu-thermal", "npu-thermal", "center-thermal", "ddr_thermal", "gpu_big"];
        for zone in zones.iter().chain(&of_boards) {
            assert_eq!(zone_rank(zone), None, "{zone}");
        }
    }

    #[test]
    fn the_zones_of_boards_are_known_by_their_words() {
        let of_cores = ["bigcore0-thermal", "bigcore2_thermal", "littlecore-thermal", "BIG"];
        for zone in of_cores.iter().chain(&["LITTLE", "cluster0-thermal", "mid"]) {
            assert_eq!(zone_rank(zone), Some(3), "{zone}");
        }
        for zone in ["soc-thermal", "soc_thermal", "package-thermal", "soc0"] {
            assert_eq!(zone_rank(zone), Some(4), "{zone}");
        }
        assert_eq!(["cpu_thermal", "cpu0-thermal"].map(zone_rank), [Some(1), Some(2)]);
    }

    #[test]
    fn implausible_values_are_no_temperatures() {
        assert_eq!(parse_milli_c("61000\n"), Some(61_000));
        assert_eq!(parse_milli_c("-273150\n"), None);
        assert_eq!(parse_milli_c("65261850\n"), None);
        assert_eq!(parse_milli_c("61.0\n"), None);
        assert_eq!(["127000\n", "127\n", "255000\n", "0\n"].map(parse_milli_c), [None; 4]);
    }

    #[test]
    fn whole_degrees_are_distinguished_from_thousandths() {
        assert_eq!(parse_milli_c("52\n"), Some(52_000));
        assert_eq!(parse_milli_c("950\n"), Some(950));
    }
}
