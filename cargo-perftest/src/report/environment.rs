//! The conditions of a run as JSON.

use super::extend;
use perftest_core::model::{CoreKind, Environment, MachineState, Reading, Tag};
use serde_json::{Value, json};

/// The state of the machine before and after, the counters in between, and the resulting tags. A
/// value that was not read is null.
pub(crate) fn environment_as_json(environment: &Environment) -> Value {
    let mut value = conditions_as_json(environment);
    let read = json!({
        "power_changes": environment.power_changes(),
        "before": look_as_json(&environment.before),
        "after": look_as_json(&environment.after),
        "rises": rises_as_json(environment),
    });
    extend(&mut value, read);
    value
}

/// What the state of the machine came to.
pub(crate) fn conditions_as_json(environment: &Environment) -> Value {
    let names = |tags: &[Tag]| -> Vec<&str> { tags.iter().map(|tag| tag.name()).collect() };
    json!({
        "grade": environment.grade().name(),
        "tags": names(&environment.tags),
        "distrusted": names(&environment.distrusted),
        "throttled": environment.throttled(),
        "throttle_events": environment.throttle_events(),
        "throttle_ms": environment.throttle_ms(),
        "clock_ratio": environment.clock_ratio(),
    })
}

/// Levels and settings in one state.
fn look_as_json(state: &MachineState) -> Value {
    let power = &state.power;
    json!({
        "temperature_milli_c": state.temperature_milli_c.get(),
        "critical_milli_c": state.critical_milli_c.get(),
        "effective_khz": state.effective_khz.get(),
        "frequency_khz": state.frequency_khz.get(),
        "frequency_is_counted": state.frequency_is_counted.get(),
        "reference_ns": state.reference_ns.get(),
        "core_kind": state.core_kind.get().map(CoreKind::name),
        "load_milli": state.load_milli.get(),
        "on_battery": state.on_battery.get(),
        "battery_percent": state.battery_percent.get(),
        "firmware_bits": state.throttling.firmware_bits.get(),
        "pressure_level": state.throttling.pressure_level.get(),
        "limit_percent": state.throttling.limit_percent.get(),
        "governor": power.governor.value(),
        "preference": power.preference.value(),
        "profile": power.profile.value(),
        "boost": power.boost.get(),
        "cap_khz": power.cap_khz.get(),
        "hardware_khz": power.hardware_khz.get(),
    })
}

/// The increase of each counter between the two states.
fn rises_as_json(environment: &Environment) -> Value {
    let rise = |counter: fn(&MachineState) -> &Reading<u64>| environment.rise(counter);
    json!({
        "elapsed_ms": rise(|state| &state.taken_ms),
        "package_throttle_events": rise(|state| &state.throttling.package_events),
        "package_throttle_ms": rise(|state| &state.throttling.package_ms),
        "core_throttle_events": rise(|state| &state.throttling.core_events),
        "core_throttle_ms": rise(|state| &state.throttling.core_ms),
        "busy_ms": rise(|state| &state.busy_ms),
        "steal_ms": rise(|state| &state.steal_ms),
        "quota_periods": rise(|state| &state.quota.periods),
        "quota_throttled_periods": rise(|state| &state.quota.throttled_periods),
        "quota_throttled_us": rise(|state| &state.quota.throttled_us),
        "cpu_pressure_us": rise(|state| &state.pressure.cpu_us),
        "memory_pressure_us": rise(|state| &state.pressure.memory_us),
        "io_pressure_us": rise(|state| &state.pressure.io_us),
        "swapped_pages": rise(|state| &state.swapped_pages),
        "context_switches": rise(|state| &state.context_switches),
        "major_faults": rise(|state| &state.major_faults),
        "minor_faults": rise(|state| &state.minor_faults),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(temperature_milli_c: i64, khz: u64, steal_ms: u64) -> MachineState {
        MachineState {
            temperature_milli_c: Reading::Value(temperature_milli_c),
            effective_khz: Reading::Value(khz),
            steal_ms: Reading::Value(steal_ms),
            ..MachineState::default()
        }
    }

    #[test]
    fn levels_are_reported_before_and_after_and_counters_by_their_rise() {
        let (before, after) = (read(61_000, 4_100_000, 500), read(92_000, 3_200_000, 540));
        let json = environment_as_json(&Environment::between(before, after));
        assert_eq!(json["before"]["temperature_milli_c"], 61_000);
        assert_eq!(json["after"]["temperature_milli_c"], 92_000);
        assert_eq!(json["before"]["effective_khz"], 4_100_000);
        assert_eq!(json["after"]["effective_khz"], 3_200_000);
        assert_eq!(json["rises"]["steal_ms"], 40);
        assert_eq!(json["after"]["governor"], Value::Null);
        assert_eq!((&json["throttled"], &json["grade"]), (&json!(true), &json!("untrusted")));
    }
}
