//! The conditions of a run as flat keys.
//!
//! A level (temperature, clock, load) is written before and after. A value that hardly ever changes
//! (a setting, a property of a sensor) is written before, and after only if it changed. A counter
//! is written as its increase: a reader sees 0 before and the increase after. The reason of an
//! absent sensor is not written.
//!
//! Keys are short, because some sixty of them are in each line, and a history is read in every test process.

use super::reading_field_v1::{
    ReadingField, core_kind, recorded, signed_thousandths, text, thousandths, whole, yes_or_no,
};
use super::{Fields, JsonLine, LineError};
use crate::lens::{Lens, lens};
use perftest_core::list::IntoList;
use perftest_core::model::{Environment, MachineState, Reading, Tag};

/// Keys before and after.
type Pair = [&'static str; 2];

const LEVELS: &[(Pair, &dyn ReadingField)] = &[
    (["load0", "load1"], &thousandths(lens!(load_milli))),
    (["mhz0", "mhz1"], &thousandths(lens!(frequency_khz))),
    (["temp0", "temp1"], &signed_thousandths(lens!(temperature_milli_c))),
    (["battery0", "battery1"], &yes_or_no(lens!(on_battery))),
    (["bat0", "bat1"], &whole(lens!(battery_percent))),
    (["eff0", "eff1"], &thousandths(lens!(effective_khz))),
    (["refk0", "refk1"], &whole(lens!(reference_ns))),
    (["core0", "core1"], &core_kind(lens!(core_kind))),
    (["fw0", "fw1"], &whole(lens!(throttling.firmware_bits))),
    (["pressure0", "pressure1"], &whole(lens!(throttling.pressure_level))),
    (["limit0", "limit1"], &whole(lens!(throttling.limit_percent))),
];

const SETTINGS: &[(Pair, &dyn ReadingField)] = &[
    (["gov0", "gov1"], &text(lens!(power.governor))),
    (["pref0", "pref1"], &text(lens!(power.preference))),
    (["prof0", "prof1"], &text(lens!(power.profile))),
    (["boost0", "boost1"], &yes_or_no(lens!(power.boost))),
    (["cap0", "cap1"], &thousandths(lens!(power.cap_khz))),
    (["hw", "hw1"], &thousandths(lens!(power.hardware_khz))),
    (["crit", "crit1"], &signed_thousandths(lens!(critical_milli_c))),
    (["counted", "counted1"], &yes_or_no(lens!(frequency_is_counted))),
];

const COUNTERS: &[(&str, Lens<MachineState, Reading<u64>>)] = &[
    ("throttle", lens!(throttling.package_events)),
    ("throttle_ms", lens!(throttling.package_ms)),
    ("cthrottle", lens!(throttling.core_events)),
    ("cthrottle_ms", lens!(throttling.core_ms)),
    ("steal", lens!(steal_ms)),
    ("busy", lens!(busy_ms)),
    ("taken", lens!(taken_ms)),
    ("quota", lens!(quota.throttled_periods)),
    ("quota_us", lens!(quota.throttled_us)),
    ("periods", lens!(quota.periods)),
    ("psi_cpu", lens!(pressure.cpu_us)),
    ("psi_mem", lens!(pressure.memory_us)),
    ("psi_io", lens!(pressure.io_us)),
    ("swap", lens!(swapped_pages)),
    ("csw", lens!(context_switches)),
    ("majflt", lens!(major_faults)),
    ("minflt", lens!(minor_faults)),
];

pub(super) fn put_environment(line: &mut JsonLine, environment: &Environment) {
    let (before, after) = (&environment.before, &environment.after);
    for ([key_before, key_after], place) in LEVELS {
        place.put(line, key_before, before);
        place.put(line, key_after, after);
    }
    for ([key_before, key_after], place) in SETTINGS {
        place.put(line, key_before, before);
        place.put_change(line, key_after, before, after);
    }
    for (key, counter) in COUNTERS {
        line.put_known(key, environment.rise(counter.of));
    }
    put_tags(line, "tags", &environment.tags);
    put_tags(line, "distrusted", &environment.distrusted);
}

pub(super) fn environment_of(fields: &Fields<'_>) -> Result<Environment, LineError> {
    // Each reading is set below.
    let (mut before, mut after) = (MachineState::default(), MachineState::default());
    for ([key_before, key_after], place) in LEVELS {
        place.take(fields, key_before, &mut before)?;
        place.take(fields, key_after, &mut after)?;
    }
    for ([key_before, key_after], place) in SETTINGS {
        place.take(fields, key_before, &mut before)?;
        place.take_change(fields, key_after, &before, &mut after)?;
    }
    for (key, counter) in COUNTERS {
        let rise = fields.get::<u64>(key)?;
        *(counter.of_mut)(&mut before) = recorded(rise.map(|_| 0));
        *(counter.of_mut)(&mut after) = recorded(rise);
    }
    let tags = tags_of(fields, "tags")?;
    let distrusted = tags_of(fields, "distrusted")?;
    Ok(Environment { before, after, tags, distrusted })
}

pub(super) fn put_tags(line: &mut JsonLine, key: &'static str, tags: &[Tag]) {
    let names: Vec<&str> = tags.iter().map(|tag| tag.name()).into_list();
    line.put_list(key, &names);
}

/// Skips tags that this version does not know.
pub(super) fn tags_of(fields: &Fields<'_>, key: &str) -> Result<Vec<Tag>, LineError> {
    let names: Vec<String> = fields.get_or_default(key)?;
    Ok(names.iter().filter_map(|name| Tag::from_name(name)).into_list())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;
    use perftest_core::model::{PressureState, QuotaState, ThrottleState};
    use std::collections::BTreeSet;

    fn written(environment: &Environment) -> String {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        put_environment(&mut line, environment);
        line.finish().unwrap()
    }

    fn read(line: &str) -> Environment {
        environment_of(&Fields::parse(line.as_bytes()).unwrap()).unwrap()
    }

    fn governed(before: Option<&str>, after: Option<&str>) -> Environment {
        let mut environment = read("{}");
        environment.before.power.governor = recorded(before.map(str::to_owned));
        environment.after.power.governor = recorded(after.map(str::to_owned));
        environment
    }

    #[test]
    fn counters_read_back_with_the_same_rise() {
        let state = |stand: u64| MachineState {
            throttling: ThrottleState {
                package_ms: Reading::Value(stand),
                ..ThrottleState::default()
            },
            minor_faults: Reading::Value(2 * stand),
            context_switches: Reading::Value(u64::MAX - stand),
            ..MachineState::default()
        };
        let back = read(&written(&Environment::between(state(1_000_000), state(1_000_040))));
        assert_eq!((back.tags.as_slice(), back.is_untrusted()), (&[Tag::Throttled][..], true));
        assert_eq!(back.rise(|state| &state.throttling.package_ms), Some(40));
        assert_eq!(back.rise(|state| &state.minor_faults), Some(80));
        assert_eq!(back.rise(|state| &state.context_switches), None, "it ran backwards");
        assert_eq!(back.rise(|state| &state.steal_ms), None, "it was never read");
    }

    #[test]
    fn every_counter_is_written_behind_its_own_key() {
        let mut environment = read("{}");
        let known = Reading::Value;
        environment.after = MachineState {
            throttling: ThrottleState {
                package_events: known(1),
                package_ms: known(2),
                core_events: known(3),
                core_ms: known(4),
                ..ThrottleState::default()
            },
            steal_ms: known(5),
            busy_ms: known(6),
            taken_ms: known(7),
            quota: QuotaState {
                throttled_periods: known(8),
                throttled_us: known(9),
                periods: known(10),
            },
            pressure: PressureState { cpu_us: known(11), memory_us: known(12), io_us: known(13) },
            swapped_pages: known(14),
            context_switches: known(15),
            major_faults: known(16),
            minor_faults: known(17),
            ..environment.after
        };
        for (_, counter) in COUNTERS {
            *(counter.of_mut)(&mut environment.before) = known(0);
        }
        let line = "{\"v\":1,\"throttle\":1,\"throttle_ms\":2,\"cthrottle\":3,\"cthrottle_ms\":4,\
            \"steal\":5,\"busy\":6,\"taken\":7,\"quota\":8,\"quota_us\":9,\"periods\":10,\"psi_cpu\":11,\
            \"psi_mem\":12,\"psi_io\":13,\"swap\":14,\"csw\":15,\"majflt\":16,\"minflt\":17}\n";
        assert_eq!(written(&environment), line);
    }

    #[test]
    fn a_setting_that_stays_is_written_once_and_one_that_changes_twice() {
        let stays = governed(Some("powersave"), Some("powersave"));
        assert!(written(&stays).ends_with("\"gov0\":\"powersave\"}\n"), "{}", written(&stays));
        assert_eq!(read(&written(&stays)), stays);
        let changes = governed(Some("powersave"), Some("performance"));
        assert!(written(&changes).contains("\"gov1\":\"performance\""));
        assert_eq!(read(&written(&changes)), changes);
    }

    #[test]
    fn a_setting_known_at_one_look_only_claims_nothing_of_the_other() {
        for environment in [governed(Some("powersave"), None), governed(None, Some("powersave"))] {
            assert_eq!(read(&written(&environment)), environment);
        }
        assert!(written(&governed(Some("powersave"), None)).contains("\"gov1\":null"));
    }

    #[test]
    fn no_reading_is_without_its_key() {
        let environment = read("{}");
        assert_eq!(environment.before, environment.after);
        let state = format!("{:?}", environment.before);
        let unread = format!("{:?}", Reading::<u64>::default());
        assert!(!state.contains(&unread), "{state}");
    }

    #[test]
    fn no_key_stands_for_two_things() {
        let pairs = LEVELS.iter().chain(SETTINGS).flat_map(|(pair, _)| *pair);
        let keys: Vec<&str> = pairs.chain(COUNTERS.iter().map(|(key, _)| *key)).collect();
        assert_eq!(BTreeSet::from_iter(&keys).len(), keys.len());
    }

    #[test]
    fn a_kind_of_core_from_a_newer_version_is_unknown() {
        let environment = read("{\"v\":1,\"core0\":\"P\",\"core1\":\"L\"}");
        assert_eq!(environment.before.core_kind.get().map(|kind| kind.name()), Some("P"));
        assert_eq!(environment.after.core_kind.get(), None);
    }

    #[test]
    fn what_forbids_a_verdict_is_read_as_written_whatever_its_tag_weighs() {
        let tags = "\"tags\":[\"quota\",\"throttled\"]";
        let distrusted = |line: &str| read(line).distrusted;
        assert_eq!(distrusted(&format!("{{\"v\":1,{tags}}}")), []);
        let both = format!("{{\"v\":1,{tags},\"distrusted\":[\"moonlight\",\"quota\"]}}");
        assert_eq!(distrusted(&both), [Tag::Quota]);
    }
}
