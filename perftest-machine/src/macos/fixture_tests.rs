//! Every entry for macOS of `tests/fixtures/commands`.

use super::answers::Answers;
use super::rusage::ResourceUsage;
use crate::portable::command_outputs;
use perftest_core::model::{Environment, MachineState, Reading};
use serde_json::Value;

/// Entries for which there is no reader, each with its reason.
const NOT_READ: [(&str, &str); 2] = [
    ("process_info_thermal_state", "thermal pressure has the same in finer steps"),
    ("note", "no value"),
];

/// A Mac that answers to everything, cool and plugged in.
fn mac() -> Answers {
    Answers {
        pressure: Ok(0),
        therm: Ok(text("pmset_therm_intel_fine")),
        batt: Ok(text("pmset_batt_ac")),
        usage: Ok(ResourceUsage { context_switches: 7, major_faults: 2, minor_faults: 900 }),
        temperature_milli_c: Ok(41_500),
        load_milli: Ok(1_250),
    }
}

fn text(entry: &str) -> String {
    command_outputs("macos")[entry].as_str().unwrap().to_owned()
}

fn with_therm(entry: &str) -> MachineState {
    Answers { therm: Ok(text(entry)), ..mac() }.state()
}

fn with_batt(entry: &str) -> MachineState {
    Answers { batt: Ok(text(entry)), ..mac() }.state()
}

fn check_therm(entry: &str, limit: Reading<u64>, throttled: bool) {
    let after = with_therm(entry);
    assert_eq!(after.throttling.limit_percent, limit, "{entry}");
    assert_eq!(Environment::between(mac().state(), after).throttled(), Some(throttled), "{entry}");
}

fn check_batt(entry: &str, on_battery: bool, percent: u64) {
    let state = with_batt(entry);
    assert_eq!(state.on_battery.get(), Some(on_battery), "{entry}");
    assert_eq!(state.battery_percent.get(), Some(percent), "{entry}");
}

fn check_levels(levels: &Value) {
    for level in levels.as_object().unwrap().keys() {
        let level: u64 = level.parse().unwrap();
        let after = Answers { pressure: Ok(level), ..mac() }.state();
        assert_eq!(after.throttling.pressure_level.get(), Some(level));
        let environment = Environment::between(mac().state(), after);
        // A moderate one alone is no throttling: the clock has to be slower too.
        assert_eq!(environment.throttled(), Some(level >= 2), "{level}");
    }
}

#[test]
fn every_entry_of_the_fixture_is_understood() {
    for (entry, value) in command_outputs("macos").as_object().unwrap() {
        match entry.as_str() {
            "pmset_therm_intel_fine" => check_therm(entry, Reading::Value(100), false),
            "pmset_therm_intel_throttled" => check_therm(entry, Reading::Value(58), true),
            "pmset_therm_apple_silicon" => {
                check_therm(entry, Reading::absent("pmset reports no speed limit"), false);
            }
            "pmset_batt_ac" => check_batt(entry, false, 100),
            "pmset_batt_battery" => check_batt(entry, true, 63),
            "thermal_pressure_levels" => check_levels(value),
            other => assert!(NOT_READ.iter().any(|(name, _)| *name == other), "{other}"),
        }
    }
}

#[test]
fn a_mac_that_is_unplugged_meanwhile_has_changed_its_power_source() {
    let environment = Environment::between(mac().state(), with_batt("pmset_batt_battery"));
    assert_eq!(environment.power_changes(), ["mains -> battery"]);
}

#[test]
fn what_answered_is_reported() {
    let state = mac().state();
    assert_eq!(state.temperature_milli_c.get(), Some(41_500));
    assert_eq!(state.load_milli.get(), Some(1_250));
    assert_eq!(state.context_switches.get(), Some(7));
    assert_eq!((state.major_faults.get(), state.minor_faults.get()), (Some(2), Some(900)));
}

#[test]
fn a_mac_that_answers_to_nothing_has_the_reason_in_each_place() {
    let why = || String::from("refused");
    let silent = Answers {
        pressure: Err(why()),
        therm: Err(why()),
        batt: Err(why()),
        usage: Err(why()),
        temperature_milli_c: Err(why()),
        load_milli: Err(why()),
    };
    let state = silent.state();
    assert_eq!(format!("{state:?}").matches(r#"Absent("refused")"#).count(), 9, "{state:?}");
    assert_eq!(Environment::between(mac().state(), state).throttled(), None);
}
