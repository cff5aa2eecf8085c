//! The warning of a throttled run.

use crate::model::{Environment, Tag};

/// What a person must be told when the processor was throttled while `test` was measured; `None`
/// when it was not.
pub fn throttling_warning(environment: &Environment, test: &str) -> Option<String> {
    if !environment.tags.contains(&Tag::Throttled) {
        return None;
    }
    let (before, after) = (&environment.before, &environment.after);
    let celsius = |milli: Option<i64>| {
        milli.map_or_else(|| "?".to_owned(), |milli| (milli / 1_000).to_string())
    };
    let ghz = |khz: Option<u64>| {
        khz.map_or_else(|| "?".to_owned(), |khz| format!("{:.1}", khz as f64 / 1e6))
    };
    Some(format!(
        "RESULTS OF THIS RUN ARE NOT TO BE TRUSTED: the processor was throttled while measuring \
         {test}.\n   {} -> {} C, clock {} -> {} GHz, {} throttle events ({} ms). No verdict was \
         given, and the run does not teach.\n   Let the machine cool, plug it in, lift it off the \
         blanket, then run again: cargo test --release",
        celsius(before.temperature_milli_c.get()),
        celsius(after.temperature_milli_c.get()),
        ghz(before.frequency_khz.get()),
        ghz(after.frequency_khz.get()),
        environment.rise(|state| &state.throttle_events).unwrap_or(0),
        environment.rise(|state| &state.throttle_ms).unwrap_or(0),
    ))
}

#[cfg(test)]
mod tests {
    use super::throttling_warning;
    use crate::model::{Environment, MachineState, Reading};

    fn state(celsius: i64, khz: u64, throttle_ms: u64) -> MachineState {
        MachineState {
            temperature_milli_c: Reading::Value(celsius * 1_000),
            frequency_khz: Reading::Value(khz),
            throttle_events: Reading::Value(throttle_ms / 10),
            throttle_ms: Reading::Value(throttle_ms),
            ..MachineState::default()
        }
    }

    #[test]
    fn a_throttled_run_is_told_with_both_temperatures_clocks_and_the_way_out() {
        let environment = Environment::between(state(61, 4_100_000, 0), state(92, 3_200_000, 340));
        let warning = throttling_warning(&environment, "sort").unwrap();
        for part in ["sort", "61 -> 92 C", "4.1 -> 3.2 GHz", "34 throttle events (340 ms)", "cool"]
        {
            assert!(warning.contains(part), "{part} in {warning}");
        }
    }

    #[test]
    fn a_hot_machine_at_full_speed_is_no_reason_to_warn() {
        let environment = Environment::between(state(95, 4_100_000, 40), state(95, 4_090_000, 40));
        assert_eq!(throttling_warning(&environment, "sort"), None);
    }
}
