//! Formats the conditions of a run in one line.

use crate::list::IntoList;
use crate::model::{Environment, MachineState, Tag};

/// Returns the readings of the sensors before and after, and their consequences. Names an absent
/// temperature sensor, and omits other absent ones.
pub fn machine(environment: &Environment) -> String {
    let (before, after) = (&environment.before, &environment.after);
    let celsius = |it: &MachineState| it.temperature_milli_c.get().map(|milli| milli as f64 / 1e3);
    let ghz = |it: &MachineState| it.clock_khz().map(|khz| khz as f64 / 1e6);
    let load = |it: &MachineState| it.load_milli.get().map(|milli| milli as f64 / 1e3);
    let temperature = course(celsius(before), celsius(after), (0, " C"));
    let clock = course(ghz(before), ghz(after), (1, " GHz"));
    let load_course = course(load(before), load(after), (1, " load"));
    let steal = counted(environment.rise(|state| &state.steal_ms), "ms stolen by the host");
    let throttling = match environment.throttle_events() {
        Some(0) => Some("not throttled".to_owned()),
        events => counted(events, "throttle events"),
    };
    let tags = environment.tags.iter().map(|tag| Tag::name(*tag)).joined(" ");
    let tags = Some(tags).filter(|tags| !tags.is_empty());
    let temperature = temperature.or_else(|| Some("no temperature sensor".to_owned()));
    [temperature, clock, load_course, steal, throttling, tags].into_iter().flatten().joined(", ")
}

fn course(from: Option<f64>, to: Option<f64>, (decimals, unit): (usize, &str)) -> Option<String> {
    Some(format!("{:.decimals$} -> {:.decimals$}{unit}", from?, to?))
}

fn counted(count: Option<u64>, what: &str) -> Option<String> {
    count.filter(|count| *count > 0).map(|count| format!("{count} {what}"))
}

#[cfg(test)]
mod tests {
    use crate::model::{Environment, MachineState, Reading, ThrottleState};
    use crate::words::machine;

    #[test]
    fn a_machine_without_sensors_is_reported_as_such() {
        assert_eq!(machine(&Environment::default()), "no temperature sensor");
    }

    #[test]
    fn before_and_after_stand_side_by_side() {
        let state = |celsius: i64, khz| MachineState {
            temperature_milli_c: Reading::Value(celsius * 1_000),
            frequency_khz: Reading::Value(khz),
            throttling: ThrottleState {
                package_events: Reading::Value(3),
                ..ThrottleState::default()
            },
            ..MachineState::default()
        };
        let environment = Environment::between(state(61, 4_100_000), state(63, 4_080_000));
        assert_eq!(machine(&environment), "61 -> 63 C, 4.1 -> 4.1 GHz, not throttled");
    }
}
