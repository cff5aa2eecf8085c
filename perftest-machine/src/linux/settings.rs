//! Settings that limit the clock: governor, preference, profile, boost, cap.

use super::frequency::parse_khz;
use super::tree::{Tree, number};
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::list::IntoList;
use perftest_core::model::PowerSettings;
use perftest_core::text::Text;
use std::path::{Path, PathBuf};

const INTEL: &str = "sys/devices/system/cpu/intel_pstate";
const BOOST_OF_ALL: &str = "sys/devices/system/cpu/cpufreq/boost";
const PROFILE: &str = "sys/firmware/acpi/platform_profile";
/// The `intel_pstate` driver rounds its share up to a whole step of the clock.
const INTEL_STEP_KHZ: u64 = 100_000;

/// Where the settings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingFiles {
    boost: Boost,
    /// The share of the highest clock that the `intel_pstate` driver allows, percent.
    share: Option<PathBuf>,
}

/// The switch that lets processors exceed their base clock.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Boost {
    /// For all of them, and 1 is off.
    Inverted(PathBuf),
    /// For all of them.
    OfAll,
    /// In each policy, if at all.
    OfPolicy,
}

impl SettingFiles {
    /// Looks for the switch and the share.
    pub(super) fn discover(tree: &Tree) -> Self {
        let intel = |file: &str| Some(Path::new(INTEL).join(file)).filter(|path| tree.has(path));
        let boost = match intel("no_turbo") {
            Some(path) => Boost::Inverted(path),
            None if tree.has(BOOST_OF_ALL) => Boost::OfAll,
            None => Boost::OfPolicy,
        };
        Self { boost, share: intel("max_perf_pct") }
    }

    /// The settings of a policy.
    pub(super) fn read(&self, tree: &Tree, policy: &SensorAnswer<PathBuf>) -> PowerSettings {
        let file = |name: &str| policy.clone().map(|policy| policy.join(name));
        let word = |name: &str| file(name).and_then(|path| tree.parse(path, parse_word));
        let khz = |name: &str| file(name).and_then(|path| tree.parse(path, parse_khz));
        let hardware_khz = khz("cpuinfo_max_freq");
        let share_khz = hardware_khz.as_ref().ok().and_then(|khz| self.share_khz(tree, *khz));
        let boost = self.read_boost(tree, policy);
        let cap_khz = khz("scaling_max_freq").map(|cap_khz| {
            let is_uncapped = match boost {
                // Older kernels of `intel_pstate` report the lack of boost as a cap, too; newer ones lower the highest
                // clock of the hardware.
                Ok(false) => khz("base_frequency").is_ok_and(|base_khz| cap_khz >= base_khz),
                _ => tops_table(tree, policy, cap_khz),
            };
            let hardware_khz = hardware_khz.as_ref().ok().filter(|_| is_uncapped);
            hardware_khz.map_or(cap_khz, |hardware_khz| cap_khz.max(*hardware_khz))
        });
        PowerSettings {
            governor: reading(word("scaling_governor")),
            preference: reading(word("energy_performance_preference")),
            profile: reading(tree.parse(PROFILE, parse_word)),
            boost: reading(boost),
            cap_khz: reading(cap_khz.map(|khz| khz.min(share_khz.unwrap_or(khz)))),
            hardware_khz: reading(hardware_khz),
        }
    }

    fn read_boost(&self, tree: &Tree, policy: &SensorAnswer<PathBuf>) -> SensorAnswer<bool> {
        match &self.boost {
            Boost::Inverted(path) => tree.parse(path, parse_switch).map(|off| !off),
            Boost::OfAll => tree.parse(BOOST_OF_ALL, parse_switch),
            Boost::OfPolicy => tree.parse(policy.clone()?.join("boost"), parse_switch),
        }
    }

    /// Returns the highest clock that the driver's share of the hardware clock allows.
    fn share_khz(&self, tree: &Tree, hardware_khz: u64) -> Option<u64> {
        let percent = tree.parse(self.share.as_ref()?, number::<u64>).ok()?;
        let percent = Some(percent).filter(|percent| (1..=100).contains(percent))?;
        let steps = hardware_khz.checked_mul(percent)?.div_ceil(100 * INTEL_STEP_KHZ);
        steps.checked_mul(INTEL_STEP_KHZ)
    }
}

/// Whether a cap is the highest clock of the driver's table. The processor boosts above such a cap:
/// `acpi-cpufreq` lists only the clocks of its table, and `scaling_max_freq` is at most the highest of
/// them. Drivers with `scaling_boost_frequencies` include the boosted clocks.
fn tops_table(tree: &Tree, policy: &SensorAnswer<PathBuf>, cap_khz: u64) -> bool {
    let clocks = |name: &str| {
        let path = policy.as_ref().ok()?.join(name);
        tree.parse(path, parse_clocks).ok()
    };
    let highest = clocks("scaling_available_frequencies").and_then(|it| it.into_iter().max());
    let boosted = clocks("scaling_boost_frequencies").and_then(|it| it.into_iter().max());
    highest.is_some_and(|highest| cap_khz >= highest.max(boosted.unwrap_or(0)))
}

/// Clocks in kHz with spaces between.
fn parse_clocks(text: &str) -> Option<Vec<u64>> {
    text.words().map(parse_khz).into_list_of_some()
}

/// A setting's name: one word, or the number of a setting without one.
pub(super) fn parse_word(text: &str) -> Option<String> {
    let word = text.trim();
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    (!word.is_empty() && word.len() <= 64 && word.chars().all(is_plain)).then(|| word.to_owned())
}

/// A switch: 0 is off and 1 is on.
pub(super) fn parse_switch(text: &str) -> Option<bool> {
    match text.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    const POLICY: &str = "sys/devices/system/cpu/cpufreq/policy0";

    fn settings(machine: &FakeMachine) -> PowerSettings {
        let tree = machine.tree();
        SettingFiles::discover(&tree).read(&tree, &Ok(POLICY.into()))
    }

    #[test]
    fn the_settings_of_a_laptop_are_read() {
        let settings = settings(&FakeMachine::load("intel_laptop"));
        let words = [&settings.governor, &settings.preference, &settings.profile];
        let words = words.map(|word| word.value().unwrap().as_str());
        assert_eq!(words, ["powersave", "balance_performance", "balanced"]);
        assert_eq!(settings.boost.get(), Some(true));
        let clocks_khz = (settings.cap_khz.get(), settings.hardware_khz.get());
        assert_eq!(clocks_khz, (Some(4_700_000), Some(4_700_000)));
    }

    #[test]
    fn the_lower_of_the_two_caps_holds() {
        let machine = FakeMachine::load("intel_laptop");
        machine.write(&format!("{INTEL}/max_perf_pct"), "40\n");
        // 18.8 steps are 19.
        assert_eq!(settings(&machine).cap_khz.get(), Some(1_900_000));
        machine.write(&format!("{POLICY}/scaling_max_freq"), "1200000\n");
        assert_eq!(settings(&machine).cap_khz.get(), Some(1_200_000));
        for damage in ["0\n", "140\n", "-1\n", "x\n"] {
            machine.write(&format!("{INTEL}/max_perf_pct"), damage);
            assert_eq!(settings(&machine).cap_khz.get(), Some(1_200_000), "{damage}");
        }
    }

    #[test]
    fn the_switch_of_boost_is_found_in_all_its_places() {
        let machine = FakeMachine::load("intel_laptop");
        machine.write(&format!("{INTEL}/no_turbo"), "1\n");
        assert_eq!(settings(&machine).boost.get(), Some(false));
        let machine = FakeMachine::load("amd_desktop");
        machine.write(BOOST_OF_ALL, "0\n");
        assert_eq!(settings(&machine).boost.get(), Some(false));
        machine.remove(BOOST_OF_ALL);
        assert_eq!(settings(&machine).boost.get(), Some(true));
        machine.remove(&format!("{POLICY}/boost"));
        assert_eq!(settings(&machine).boost.get(), None);
    }

    #[test]
    fn a_cap_at_the_top_of_a_table_without_boost_is_none_while_boost_is_on() {
        let machine = FakeMachine::empty();
        let write = |file: &str, text: &str| machine.write(&format!("{POLICY}/{file}"), text);
        machine.write(BOOST_OF_ALL, "1\n");
        write("scaling_driver", "acpi-cpufreq\n");
        write("cpuinfo_max_freq", "3693750\n");
        write("scaling_max_freq", "2450000\n");
        write("scaling_available_frequencies", "2450000 2000000 1500000 \n");
        let is_capped = || settings(&machine).is_capped();
        assert!(!is_capped());
        write("scaling_boost_frequencies", "3693000 \n");
        assert!(is_capped(), "the table goes on above");
        machine.remove(&format!("{POLICY}/scaling_boost_frequencies"));
        write("scaling_max_freq", "2000000\n");
        assert!(is_capped());
        assert_eq!(settings(&machine).cap_khz.get(), Some(2_000_000));
        write("scaling_max_freq", "2450000\n");
        machine.write(BOOST_OF_ALL, "0\n");
        assert!(is_capped(), "nothing goes above the table");
    }

    #[test]
    fn without_boost_the_limits_are_the_same_for_older_and_newer_kernels() {
        let machine = FakeMachine::load("intel_laptop");
        let write = |file: &str, khz: u64| {
            machine.write(&format!("{POLICY}/{file}"), &format!("{khz}\n"));
        };
        machine.write(&format!("{INTEL}/no_turbo"), "1\n");
        write("base_frequency", 2_800_000);
        for hardware_khz in [4_700_000, 2_800_000] {
            write("cpuinfo_max_freq", hardware_khz);
            write("scaling_max_freq", 2_800_000);
            assert_eq!(settings(&machine).limits(), (None, true), "{hardware_khz}");
            write("scaling_max_freq", 2_000_000);
            assert_eq!(settings(&machine).limits(), (Some(2_000_000), true), "{hardware_khz}");
        }
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for text in ["", "\n", "two words\n", "<unsupported>\n", "\u{fffd}"] {
            assert_eq!(parse_word(text), None, "{text}");
        }
    }
}
