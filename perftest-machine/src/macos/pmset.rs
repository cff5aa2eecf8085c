//! Parsers for the output of `pmset` about heat and batteries.

use crate::sensor_answer::SensorAnswer;
use std::process::{Command, Stdio};

/// Runs `pmset -g` for a topic, `therm` or `batt`. Takes some milliseconds.
pub(super) fn ask(topic: &str) -> SensorAnswer<String> {
    let output = Command::new("/usr/bin/pmset")
        .args(["-g", topic])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("pmset cannot be run: {}", error.kind()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("pmset failed: {}", output.status)),
    }
}

/// The clock that the system allows, percent of the nominal one, of the topic `therm`. Apple
/// Silicon has no such line.
pub(super) fn parse_speed_limit_percent(therm: &str) -> SensorAnswer<u64> {
    let limits = therm.lines().filter_map(|line| line.split_once('='));
    let limit = limits.into_iter().find(|(name, _)| name.trim() == "CPU_Speed_Limit");
    let (_, limit) = limit.ok_or("pmset reports no speed limit")?;
    parse_percent(limit).ok_or_else(|| "the speed limit of pmset is not understood".into())
}

/// Whether a battery feeds the machine, its own or one in front of it, of the topic `batt`.
pub(super) fn parse_on_battery(batt: &str) -> SensorAnswer<bool> {
    match batt.lines().find_map(|line| line.trim().strip_prefix("Now drawing from ")) {
        Some("'AC Power'") => Ok(false),
        Some("'Battery Power'" | "'UPS Power'") => Ok(true),
        Some(_) => Err("the power source of pmset is not understood".into()),
        None => Err("pmset reports no power source".into()),
    }
}

/// Charge of the machine's own battery, the lowest of several, of the topic `batt`.
pub(super) fn parse_battery_percent(batt: &str) -> SensorAnswer<u64> {
    let batteries = batt.lines().map(str::trim).filter(|line| line.starts_with("-InternalBattery"));
    let present: Vec<&str> = batteries.filter(|line| !line.ends_with("present: false")).collect();
    if present.is_empty() {
        return Err("no battery".into());
    }
    let charges = present.into_iter().filter_map(|battery| {
        let (before, _) = battery.split_once('%')?;
        parse_percent(before.split_whitespace().last()?)
    });
    charges.min().ok_or_else(|| "the charge of pmset is not understood".into())
}

fn parse_percent(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_no_percentage_is_not_understood() {
        for damaged in ["CPU_Speed_Limit = 101", "CPU_Speed_Limit = -1", "CPU_Speed_Limit ="] {
            let answer = parse_speed_limit_percent(damaged);
            assert_eq!(answer, Err("the speed limit of pmset is not understood".into()));
        }
        assert!(parse_speed_limit_percent("").is_err());
        assert!(parse_speed_limit_percent("CPU_Scheduler_Limit = 50\n").is_err());
    }

    #[test]
    fn a_desktop_runs_on_mains_and_has_no_charge() {
        let batt = "Now drawing from 'AC Power'\n";
        assert_eq!(parse_on_battery(batt), Ok(false));
        assert_eq!(parse_battery_percent(batt), Err("no battery".into()));
    }

    #[test]
    fn a_battery_in_front_of_the_machine_is_no_mains_and_its_charge_is_not_the_machines() {
        let batt =
            "Now drawing from 'UPS Power'\n -Tower UPS (id=7)\t41%; discharging present: true\n";
        assert_eq!(parse_on_battery(batt), Ok(true));
        assert_eq!(parse_battery_percent(batt), Err("no battery".into()));
    }

    #[test]
    fn the_lowest_of_several_batteries_that_are_present_counts() {
        let battery = |charge: &str| format!(" -InternalBattery-0 (id=1)\t{charge}\n");
        let two =
            battery("80%; charging; present: true") + &battery("62%; charging; present: true");
        assert_eq!(parse_battery_percent(&two), Ok(62));
        let gone = two + &battery("0%; present: false");
        assert_eq!(parse_battery_percent(&gone), Ok(62));
        assert!(parse_battery_percent(&battery("(charge unknown)")).is_err());
        assert!(parse_battery_percent(&battery("900%; charging")).is_err());
    }

    #[test]
    fn a_power_source_of_another_name_is_not_guessed() {
        assert!(parse_on_battery("Now drawing from 'Solar'\n").is_err());
        assert!(parse_on_battery("").is_err());
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_missing_pmset_is_a_reason() {
        let reason = ask("batt").unwrap_err();
        assert!(reason.starts_with("pmset cannot be run"), "{reason}");
    }
}
