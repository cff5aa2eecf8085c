//! The epoch of a machine, read from its files.

use super::allowed_cpus;
use super::cooling::Cooling;
use super::core_kind::CoreKinds;
use super::cpu_list;
use super::cpuinfo::CpuInfo;
use super::policy::Policies;
use super::power_limit::PowerLimit;
use super::settings::{SettingFiles, parse_switch, parse_word};
use super::tree::{Tree, number};
use crate::epoch::Epoch;
use crate::identity::tidy;
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::model::CoreKind;
use perftest_core::text::Text;
use std::path::PathBuf;

/// The epoch of the machine whose files the tree holds.
pub(crate) fn read_epoch(tree: &Tree) -> Epoch {
    let word = |path: &str| reading(tree.parse(path, parse_word));
    let cpus = |path: &str| reading(tree.parse(path, parse_cpus));
    let limit = PowerLimit::discover(tree);
    let policy = measuring_policy(tree);
    let settings = SettingFiles::discover(tree).read(tree, &policy);
    let (power, _) = Cooling::discover(tree).separate(tree, settings);
    Epoch {
        kernel: reading(tree.parse("proc/sys/kernel/osrelease", tidy)),
        microcode: reading(read_microcode(tree)),
        clock_source: word("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        address_randomisation: reading(tree.parse("proc/sys/kernel/randomize_va_space", number)),
        transparent_huge_pages: reading(
            tree.parse("sys/kernel/mm/transparent_hugepage/enabled", parse_choice),
        ),
        smt_is_active: reading(tree.parse("sys/devices/system/cpu/smt/active", parse_switch)),
        isolated_cpus: cpus("sys/devices/system/cpu/isolated"),
        nohz_full_cpus: cpus("sys/devices/system/cpu/nohz_full"),
        power_limit_uw: reading(limit.read_uw(tree)),
        power_limit_window_us: reading(limit.read_window_us(tree)),
        power,
    }
}

/// Finds the policy of the processors that measure: of the first one that this process may use, on the
/// fastest kind of core that it may use.
fn measuring_policy(tree: &Tree) -> SensorAnswer<PathBuf> {
    let policies = Policies::discover(tree);
    let allowed = allowed_cpus::read(tree).unwrap_or_default();
    let large = CoreKinds::discover(tree).cpus(CoreKind::Performance);
    let first_large = allowed.iter().find(|cpu| large.contains(cpu));
    match first_large.or(allowed.first()) {
        Some(cpu) => policies.of(tree, Ok(*cpu)),
        None => policies.first().map(PathBuf::from),
    }
}

fn read_microcode(tree: &Tree) -> SensorAnswer<String> {
    let microcode = CpuInfo::parse(&tree.read("proc/cpuinfo")?).microcode;
    let microcode = microcode.as_deref().and_then(tidy);
    microcode.ok_or_else(|| "/proc/cpuinfo has no microcode".to_owned())
}

/// Parses a list of processors; some kernels write `(null)` for an empty list.
fn parse_cpus(text: &str) -> Option<String> {
    let list = text.trim().replaced("(null)", "");
    cpu_list::parse(&list).map(|_| list)
}

/// Returns the selected choice: the word in brackets.
fn parse_choice(text: &str) -> Option<String> {
    let (_, rest) = text.cut('[')?;
    parse_word(rest.cut(']')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;
    use perftest_core::model::Reading;

    fn text(reading: &Reading<String>) -> &str {
        reading.value().unwrap()
    }

    #[test]
    fn the_epoch_of_a_laptop_is_read() {
        let machine = FakeMachine::load("intel_laptop");
        machine.write("proc/sys/kernel/osrelease", "6.18.4-1-generic\n");
        machine.write("sys/devices/system/cpu/nohz_full", "  (null)\n");
        let epoch = read_epoch(&machine.tree());
        assert_eq!(text(&epoch.kernel), "6.18.4-1-generic");
        assert_eq!(text(&epoch.transparent_huge_pages), "madvise");
        assert_eq!(epoch.address_randomisation.get(), Some(2));
        assert_eq!(epoch.smt_is_active.get(), Some(true));
        assert_eq!((text(&epoch.isolated_cpus), text(&epoch.nohz_full_cpus)), ("", ""));
        assert_eq!(epoch.power_limit_uw.get(), Some(28_000_000));
        assert_eq!(epoch.power_limit_window_us.get(), Some(27_983_872));
        assert_eq!(text(&epoch.power.governor), "powersave");
    }

    #[test]
    fn the_settings_are_those_of_the_first_processor_that_this_process_may_use() {
        let machine = FakeMachine::load("intel_laptop");
        let policy = "sys/devices/system/cpu/cpufreq/policy3";
        machine.write(&format!("{policy}/scaling_max_freq"), "3000000\n");
        let cap_khz = || read_epoch(&machine.tree()).power.cap_khz.get();
        assert_eq!(cap_khz(), Some(4_700_000));
        machine.write("proc/self/status", "Cpus_allowed_list:\t3-4\n");
        assert_eq!(cap_khz(), Some(3_000_000));
    }

    #[test]
    fn where_cores_differ_the_settings_are_those_of_the_fastest_kind_that_is_allowed() {
        let machine = FakeMachine::load("rk3588_board");
        let policy = "sys/devices/system/cpu/cpufreq/policy0";
        machine.write(&format!("{policy}/scaling_max_freq"), "1200000\n");
        let cap_khz = || read_epoch(&machine.tree()).power.cap_khz.get();
        assert_eq!(cap_khz(), Some(2_256_000));
        machine.write("proc/self/status", "Cpus_allowed_list:\t2-3\n");
        assert_eq!(cap_khz(), Some(1_200_000));
    }

    #[test]
    fn a_processor_that_is_cooled_is_under_no_cap() {
        let machine = FakeMachine::load("intel_laptop");
        machine.enter("cooled_same_before_and_after");
        let cap_khz = read_epoch(&machine.tree()).power.cap_khz;
        assert_eq!(cap_khz, Reading::absent("a cooling device lowers the clock"));
        machine.leave("cooled_same_before_and_after");
        machine.enter("frequency_cap_set");
        assert_eq!(read_epoch(&machine.tree()).power.cap_khz.get(), Some(1_900_000));
    }

    #[test]
    fn a_virtual_machine_has_clock_source_and_microcode() {
        let machine = FakeMachine::load("kvm_guest_nothing");
        let epoch = read_epoch(&machine.tree());
        assert_eq!((text(&epoch.clock_source), text(&epoch.microcode)), ("tsc", "0x1000065"));
        assert_eq!(epoch.power_limit_uw, Reading::absent("no power limits"));
        assert_eq!(epoch.power.governor, Reading::absent("the system reports no processor clock"));
    }

    #[test]
    fn an_empty_machine_has_a_reason_for_everything() {
        let words = format!("{:?}", read_epoch(&FakeMachine::empty().tree()));
        assert_eq!(words.matches("Absent").count(), 16);
        assert!(!words.contains("Absent(\"\")"), "{words}");
    }

    #[test]
    fn a_choice_is_the_word_in_brackets() {
        assert_eq!(parse_choice("always [madvise] never\n").as_deref(), Some("madvise"));
        for text in ["", "always madvise never\n", "[", "[]", "always [mad"] {
            assert_eq!(parse_choice(text), None, "{text}");
        }
    }

    #[test]
    fn a_list_of_processors_stays_as_it_is_written() {
        assert_eq!(parse_cpus("2-3,8\n").as_deref(), Some("2-3,8"));
        assert_eq!(parse_cpus("\n").as_deref(), Some(""));
        assert_eq!(parse_cpus("all\n"), None);
    }
}
