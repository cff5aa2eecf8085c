//! Every entry for Windows of `tests/fixtures/commands`.

use super::answers::Answers;
use super::counters::{Counters, Instances};
use super::power_scheme::scheme_name;
use super::power_status::PowerStatus;
use super::processor_power::ProcessorPower;
use super::thermal_zones::ThermalZones;
use crate::portable::command_outputs;
use perftest_core::model::{Environment, MachineState};
use serde_json::Value;

/// Entries for which there is no reader, each with its reason.
const NOT_READ: [(&str, &str); 2] = [
    ("MSAcpi_ThermalZoneTemperature", "for administrators only; the counter has the same"),
    (r"\Thermal Zone Information(*)\Throttle Reasons", "the limit beside it has how much"),
];

/// A laptop that answers to everything, cool and plugged in, with these fields of the counters.
fn laptop(field: &str) -> Answers {
    Answers {
        power_status: Ok(power_status(&windows()["GetSystemPowerStatus"][0])),
        processors: Ok(vec![processor(&windows()["PROCESSOR_POWER_INFORMATION"][0])]),
        power_scheme: Ok("381b4222-f694-41f0-9685-ff5bb260df2e".into()),
        counters: Counters::ask(|path| counter(path, field)),
    }
}

fn windows() -> Value {
    command_outputs("windows")
}

fn power_status(entry: &Value) -> PowerStatus {
    let field = |name: &str| u8::try_from(entry[name].as_u64().unwrap()).unwrap();
    PowerStatus {
        ac_line: field("ACLineStatus"),
        battery_flag: field("BatteryFlag"),
        battery_percent: field("BatteryLifePercent"),
        system_status: field("SystemStatusFlag"),
    }
}

fn processor(entry: &Value) -> ProcessorPower {
    let field = |name: &str| u32::try_from(entry[name].as_u64().unwrap()).unwrap();
    ProcessorPower { max_mhz: field("MaxMhz"), limit_mhz: field("MhzLimit") }
}

/// The value of a counter in this field, or in the only one it has.
fn counter(path: &str, field: &str) -> Instances {
    let counter = &windows()["pdh"][path];
    let value = counter.get(field).or(counter.get("example")).and_then(Value::as_f64);
    value.map(|value| vec![("_Total".into(), value)]).ok_or_else(|| format!("no counter {path}"))
}

fn state(answers: Answers) -> MachineState {
    answers.state(&mut ThermalZones::default())
}

fn throttled(after: Answers) -> Option<bool> {
    Environment::between(state(laptop("fine")), state(after)).throttled()
}

#[test]
fn every_power_status_is_understood() {
    for entry in windows()["GetSystemPowerStatus"].as_array().unwrap() {
        let state = state(Answers { power_status: Ok(power_status(entry)), ..laptop("fine") });
        let expected = match entry["meaning"].as_str().unwrap() {
            "on AC" => (Some(false), Some(97), "no battery saver"),
            "on battery, battery saver on" => (Some(true), Some(71), "battery saver"),
            "no battery (desktop or VM)" => (Some(false), None, "no battery saver"),
            "unknown" => (None, None, "no battery saver"),
            other => panic!("{other}"),
        };
        let preference = state.power.preference.value().unwrap().as_str();
        let actual = (state.on_battery.get(), state.battery_percent.get(), preference);
        assert_eq!(actual, expected, "{entry}");
    }
}

#[test]
fn every_power_scheme_has_its_name() {
    for (guid, name) in windows()["power_schemes"].as_object().unwrap() {
        assert_eq!(scheme_name(guid), name.as_str().unwrap());
    }
}

#[test]
fn every_processor_limit_is_understood() {
    for entry in windows()["PROCESSOR_POWER_INFORMATION"].as_array().unwrap() {
        let after = || Answers { processors: Ok(vec![processor(entry)]), ..laptop("fine") };
        let (percent, is_throttled) = match entry["meaning"].as_str().unwrap() {
            meaning if meaning.starts_with("fine") => (100, false),
            meaning if meaning.starts_with("limited to 64%") => (64, true),
            other => panic!("{other}"),
        };
        assert_eq!(state(after()).throttling.limit_percent.get(), Some(percent), "{entry}");
        assert_eq!(throttled(after()), Some(is_throttled), "{entry}");
    }
}

#[test]
fn a_limit_of_the_power_plan_is_no_throttling_and_a_lower_one_is() {
    let limits = |limit_mhz, plan_percent: f64, flags: f64| {
        let value = |value| Ok(vec![("_Total".to_owned(), value)]);
        let counters = Counters {
            limit: value(plan_percent),
            limit_flags: value(flags),
            ..laptop("fine").counters
        };
        let processors = Ok(vec![ProcessorPower { max_mhz: 2803, limit_mhz }]);
        state(Answers { processors, counters, ..laptop("fine") }).throttling.limit_percent.get()
    };
    assert_eq!(limits(2775, 99.0, 0.0), Some(100));
    assert_eq!(limits(2803, 99.0, 0.0), Some(100));
    assert_eq!(limits(1797, 99.0, 0.0), Some(64));
    assert_eq!(limits(2775, 99.0, 1.0), Some(99));
}

#[test]
fn every_counter_is_read_and_each_that_limits_the_processor_means_throttling() {
    for (path, values) in windows()["pdh"].as_object().unwrap() {
        let mut asked = Vec::new();
        Counters::ask(|path| {
            asked.push(path);
            Err("asked".into())
        });
        let not_read = NOT_READ.iter().any(|(name, _)| name == path);
        assert_ne!(asked.contains(&path.as_str()), not_read, "{path}: {values}");
    }
    let fine = || laptop("fine").counters;
    let throttled_counters = laptop("throttled").counters;
    let limit = Counters {
        limit: throttled_counters.limit.clone(),
        limit_flags: throttled_counters.limit_flags.clone(),
        ..fine()
    };
    let zone = Counters { passive_limit: throttled_counters.passive_limit.clone(), ..fine() };
    let slowed = Counters { performance: throttled_counters.performance.clone(), ..zone.clone() };
    for (counters, percent) in
        [(fine(), 100), (limit, 64), (zone, 100), (slowed, 70), (throttled_counters, 64)]
    {
        let after = || Answers { counters: counters.clone(), ..laptop("fine") };
        assert_eq!(state(after()).throttling.limit_percent.get(), Some(percent));
        assert_eq!(throttled(after()), Some(percent < 100));
    }
}

#[test]
fn the_counted_clock_shows_the_boost_and_its_loss() {
    let clock = |field| state(laptop(field)).frequency_khz.get();
    assert_eq!(clock("fine"), Some(4_238_136));
    assert_eq!(clock("throttled"), Some(1_737_860));
    assert_eq!(state(laptop("fine")).frequency_is_counted.get(), Some(true));
}

#[test]
fn a_zone_has_a_temperature_once_it_changed() {
    let mut zones = ThermalZones::default();
    let first = laptop("fine").state(&mut zones).temperature_milli_c;
    assert_eq!(first.get(), None);
    let warmer =
        Counters { temperature: Ok(vec![("_Total".into(), 341.0)]), ..laptop("fine").counters };
    let warm = Answers { counters: warmer, ..laptop("fine") }.state(&mut zones);
    assert_eq!(warm.temperature_milli_c.get(), Some(67_850));
    let cool = laptop("fine").state(&mut zones);
    assert_eq!(cool.temperature_milli_c.get(), Some(44_850));
}

#[test]
fn a_change_of_the_power_scheme_is_reported_by_its_names() {
    let saver = "a1841308-3541-4fab-bc81-f71556f20b4a";
    let after = Answers { power_scheme: Ok(saver.into()), ..laptop("fine") };
    let environment = Environment::between(state(laptop("fine")), state(after));
    assert_eq!(environment.power_changes(), ["profile Balanced -> Power saver"]);
}

#[test]
fn no_entry_of_the_fixture_is_left_out() {
    const READ_ABOVE: [&str; 4] =
        ["GetSystemPowerStatus", "power_schemes", "PROCESSOR_POWER_INFORMATION", "pdh"];
    for entry in windows().as_object().unwrap().keys() {
        let not_read = NOT_READ.iter().any(|(name, _)| name == entry);
        assert_ne!(READ_ABOVE.contains(&entry.as_str()), not_read, "{entry}");
    }
}

#[test]
fn a_machine_that_answers_to_nothing_has_the_reason_in_each_place() {
    let why = || String::from("refused");
    let silent = Answers {
        power_status: Err(why()),
        processors: Err(why()),
        power_scheme: Err(why()),
        counters: Counters::ask(|_| Err(why())),
    };
    let state = state(silent);
    // Temperature, clock and whether it is counted, battery and its charge, saver and scheme.
    assert_eq!(format!("{state:?}").matches(r#"Absent("refused")"#).count(), 7, "{state:?}");
    let limit = "neither firmware nor thermal zones tell a limit";
    assert_eq!(state.throttling.limit_percent.value(), None);
    assert!(format!("{:?}", state.throttling.limit_percent).contains(limit));
}
