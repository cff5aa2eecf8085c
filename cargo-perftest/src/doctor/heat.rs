//! Throttling and temperature.

use super::{Finding, MachineFacts, Severity};
use perftest_core::model::{Environment, Tag};
use perftest_machine::firmware_words;

/// Whether the processor is throttled; no finding where it is unknown.
pub(super) fn throttling(facts: &MachineFacts) -> Option<Finding> {
    let environment = &facts.environment;
    if facts.has(Tag::Throttled) {
        let effect = "no test gets a verdict, and no run enters a baseline";
        let fact = format!("the processor is throttled{}", circumstances(environment));
        let finding = Finding::new(Severity::Unfit, "throttling", fact, effect);
        return Some(finding.advise(match has_low_voltage(environment) {
            true => "use a supply and a cable that keep the voltage up, then look again",
            false => "let the machine cool, free its air, plug it in, then look again",
        }));
    }
    if facts.has(Tag::ThrottleSpike) {
        let fact = "a throttle event too short for the kernel to count its time";
        let effect = "the clock stayed, so nothing is lost";
        return Some(Finding::new(Severity::Note, "throttling", fact, effect));
    }
    facts.elapsed_ms()?;
    let is_known = environment.throttled() == Some(false);
    is_known.then(|| Finding::new(Severity::Good, "throttling", "not throttled", "verdicts count"))
}

/// How hot the processor is; no finding without a sensor, or where throttling is reported.
pub(super) fn temperature(facts: &MachineFacts) -> Option<Finding> {
    if facts.has(Tag::Throttled) {
        return None;
    }
    let state = &facts.environment.after;
    let now = celsius(state.temperature_milli_c.get()?);
    let limit = state.critical_milli_c.get();
    let fact = match limit {
        Some(limit) => format!("{now} C of {} C", celsius(limit)),
        None => format!("{now} C"),
    };
    if !state.is_hot() {
        return Some(Finding::new(Severity::Good, "temperature", fact, "kept with each run"));
    }
    let effect = "at its limit; some processors are built to work there, others slow down soon";
    let finding = Finding::new(Severity::Note, "temperature", fact, effect);
    Some(finding.advise("let the machine cool before long tests"))
}

fn celsius(milli_c: i64) -> i64 {
    (milli_c + 500).div_euclid(1_000)
}

fn has_low_voltage(environment: &Environment) -> bool {
    firmware_words(environment.firmware_bits()).contains(&"under-voltage")
}

/// The firmware's words, temperatures, clocks, their limit, events: what is known of them.
fn circumstances(environment: &Environment) -> String {
    let Environment { before, after, .. } = environment;
    let words = firmware_words(environment.firmware_bits());
    let words = (!words.is_empty()).then(|| words.join(", "));
    let heat = before.temperature_milli_c.get().zip(after.temperature_milli_c.get());
    let heat = heat.map(|(from, to)| format!("{} -> {} C", celsius(from), celsius(to)));
    let clock = before.frequency_khz.get().zip(after.frequency_khz.get());
    let ghz = |khz: u64| khz as f64 / 1e6;
    let clock = clock.map(|(from, to)| format!("{:.1} -> {:.1} GHz", ghz(from), ghz(to)));
    let limit = environment.clock_limit_percent();
    let limit = limit.map(|percent| format!("clock limited to {percent}%"));
    let ms = environment.throttle_ms().map_or_else(String::new, |ms| format!(" ({ms} ms)"));
    let events = environment.throttle_events().filter(|events| *events > 0);
    let events = events.map(|events| format!("{events} events{ms}"));
    let parts: Vec<String> = [words, heat, clock, limit, events].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{MachineState, Reading, ThrottleState};

    fn firmware(bits: u64) -> MachineState {
        let firmware_bits = Reading::Value(bits);
        let throttling = ThrottleState { firmware_bits, ..ThrottleState::default() };
        MachineState { throttling, ..MachineState::default() }
    }

    #[test]
    fn a_weak_supply_is_distinguished_from_heat() {
        let weak = throttling(&MachineFacts::between(firmware(0), firmware(0x5_0005))).unwrap();
        assert_eq!(weak.fact, "the processor is throttled: under-voltage, throttled");
        assert!(weak.advice.contains("supply"));
        let hot = throttling(&MachineFacts::between(firmware(0), firmware(0x4_0004))).unwrap();
        assert!(hot.advice.contains("cool"));
    }

    #[test]
    fn the_limit_is_named_where_the_sensor_has_it() {
        let finding = |limit: Reading<i64>| {
            let state = MachineState {
                temperature_milli_c: Reading::Value(96_400),
                critical_milli_c: limit,
                ..MachineState::default()
            };
            temperature(&MachineFacts::between(state.clone(), state)).unwrap()
        };
        let limited = finding(Reading::Value(100_000));
        assert_eq!((limited.fact.as_str(), limited.severity), ("96 C of 100 C", Severity::Note));
        assert_eq!(finding(Reading::Value(110_000)).severity, Severity::Good);
        assert_eq!(finding(Reading::default()).fact, "96 C");
    }
}
