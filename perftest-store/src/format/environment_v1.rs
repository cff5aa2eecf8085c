//! The conditions of a run as flat keys.
//!
//! Levels (temperature, clock, load, battery) are kept before and after. Counters are kept as
//! what they rose by: read back, they stand at 0 before and at the rise after. Why a sensor was
//! absent is not kept.

use super::{Fields, Line, LineError};
use perftest_core::model::{Environment, MachineState, Reading, Tag};

type Counter = (&'static str, fn(&MachineState) -> &Reading<u64>);

const COUNTERS: [Counter; 8] = [
    ("throttle", |state| &state.throttle_events),
    ("throttle_ms", |state| &state.throttle_ms),
    ("steal", |state| &state.steal_ms),
    ("busy", |state| &state.busy_ms),
    ("quota", |state| &state.quota_throttled_periods),
    ("csw", |state| &state.context_switches),
    ("majflt", |state| &state.major_faults),
    ("minflt", |state| &state.minor_faults),
];

pub(super) fn put_environment(line: &mut Line, environment: &Environment) {
    let (before, after) = (&environment.before, &environment.after);
    let thousandths = |reading: &Reading<u64>| reading.get().map(|milli| milli as f64 / 1000.0);
    let degrees = |reading: &Reading<i64>| reading.get().map(|milli| milli as f64 / 1000.0);
    line.put_known("load0", thousandths(&before.load_milli));
    line.put_known("load1", thousandths(&after.load_milli));
    line.put_known("mhz0", thousandths(&before.frequency_khz));
    line.put_known("mhz1", thousandths(&after.frequency_khz));
    line.put_known("temp0", degrees(&before.temperature_milli_c));
    line.put_known("temp1", degrees(&after.temperature_milli_c));
    line.put_known("battery0", before.on_battery.get());
    line.put_known("battery1", after.on_battery.get());
    for (key, counter) in COUNTERS {
        line.put_known(key, environment.rise(counter));
    }
    let tags: Vec<&str> = environment.tags.iter().map(|tag| tag.name()).collect();
    line.put_list("noisy", &tags);
}

pub(super) fn environment_of(fields: &Fields<'_>) -> Result<Environment, LineError> {
    let mut rises = [None; COUNTERS.len()];
    let levels_before = ["load0", "mhz0", "temp0", "battery0"];
    let levels_after = ["load1", "mhz1", "temp1", "battery1"];
    for (rise, (key, _)) in rises.iter_mut().zip(COUNTERS) {
        *rise = fields.get::<u64>(key)?;
    }
    Ok(Environment {
        before: state_of(fields, levels_before, rises.map(|rise| rise.map(|_| 0)))?,
        after: state_of(fields, levels_after, rises)?,
        tags: tags_of(fields)?,
    })
}

/// A tag this version does not know tells it nothing.
fn tags_of(fields: &Fields<'_>) -> Result<Vec<Tag>, LineError> {
    let names: Vec<String> = fields.get_or_default("noisy")?;
    Ok(names.iter().filter_map(|name| Tag::from_name(name)).collect())
}

/// One look at the machine: the levels behind these keys, and the stands of [`COUNTERS`].
fn state_of(
    fields: &Fields<'_>,
    [load, mhz, temperature, battery]: [&str; 4],
    stands: [Option<u64>; COUNTERS.len()],
) -> Result<MachineState, LineError> {
    let thousand = |value: f64| (value * 1000.0).round();
    let [events, throttle_ms, steal_ms, busy_ms, quota, switches, major, minor] =
        stands.map(reading);
    Ok(MachineState {
        load_milli: reading(fields.get(load)?.map(|value| thousand(value) as u64)),
        frequency_khz: reading(fields.get(mhz)?.map(|value| thousand(value) as u64)),
        temperature_milli_c: reading(fields.get(temperature)?.map(|value| thousand(value) as i64)),
        on_battery: reading(fields.get(battery)?),
        throttle_events: events,
        throttle_ms,
        steal_ms,
        busy_ms,
        quota_throttled_periods: quota,
        context_switches: switches,
        major_faults: major,
        minor_faults: minor,
    })
}

fn reading<T>(value: Option<T>) -> Reading<T> {
    value.map_or_else(|| Reading::absent("not recorded"), Reading::Value)
}
