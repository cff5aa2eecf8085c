//! Where the power comes from, and which settings bound the clock. Silent where the
//! system does not scale the clock: there is nothing to set.

use super::threshold::LOW_BATTERY_PERCENT;
use super::{Finding, MachineFacts, Severity};
use perftest_core::model::{PowerSettings, Reading, Tag};

/// What changed between the looks.
pub(super) fn changed(facts: &MachineFacts) -> Option<Finding> {
    if !facts.has(Tag::PowerChanged) {
        return None;
    }
    let fact = format!("changed while looking: {}", facts.environment.power_changes().join(", "));
    let effect = "times before and after do not compare; no test gets a verdict";
    let finding = Finding::new(Severity::Unfit, "power-changed", fact, effect);
    Some(finding.advise("leave supply and settings alone while tests run, then look again"))
}

/// Battery or mains; no finding where it is unknown.
pub(super) fn source(facts: &MachineFacts) -> Option<Finding> {
    let state = &facts.environment.after;
    if !state.on_battery.get()? {
        return Some(Finding::new(Severity::Good, "power", "on mains", "the usual history"));
    }
    let percent = state.battery_percent.get();
    let charge = percent.map_or_else(String::new, |percent| format!(" at {percent}%"));
    let fact = format!("on battery{charge}");
    let effect = match percent.is_some_and(|percent| percent <= LOW_BATTERY_PERCENT) {
        true => "compared only with runs on battery, and a low charge slows many machines",
        false => "compared only with runs on battery",
    };
    Some(Finding::new(Severity::Warning, "power", fact, effect).advise("plug the machine in"))
}

/// A cap on the clock; no finding without one.
pub(super) fn cap(facts: &MachineFacts) -> Option<Finding> {
    let power = &facts.environment.after.power;
    let (cap, hardware) = power.cap_khz.get().zip(power.hardware_khz.get())?;
    if !power.is_capped() {
        return None;
    }
    let ghz = |khz: u64| khz as f64 / 1e6;
    let (cap, hardware) = (ghz(cap), ghz(hardware));
    let fact = format!("the clock is capped at {cap:.1} of {hardware:.1} GHz by a setting");
    let effect = "compared only with runs under the same cap";
    let finding = Finding::new(Severity::Note, "cap", fact, effect);
    Some(finding.advise("lift the cap unless it is meant"))
}

/// Checks the power limit of the package; no finding where it is unknown.
pub(super) fn limit(facts: &MachineFacts) -> Option<Finding> {
    let watt = facts.epoch.power_limit_uw.get()? as f64 / 1e6;
    let over = facts.epoch.power_limit_window_us.get();
    let over = over.map_or_else(String::new, |us| format!(" over {:.0} s", us as f64 / 1e6));
    let fact = format!("the processor may draw {watt:.0} W{over}");
    let effect = "beyond that its clock falls without heat, and the probe sees it";
    Some(Finding::new(Severity::Note, "power-limit", fact, effect))
}

/// Governor, preference, profile and boost; no finding where there are none.
pub(super) fn settings(facts: &MachineFacts) -> Option<Finding> {
    let power = &facts.environment.after.power;
    let settings = settings_in_words(power);
    if settings.is_empty() {
        return None;
    }
    let fact = settings.join(", ");
    if power.profile.value().is_some_and(|profile| holds_back(profile)) {
        let effect = "the profile holds the clock back";
        let finding = Finding::new(Severity::Note, "settings", fact, effect);
        return Some(finding.advise("choose the balanced or the performance profile"));
    }
    Some(Finding::new(
        Severity::Good,
        "settings",
        fact,
        "a change while a test runs forbids its verdict",
    ))
}

fn holds_back(profile: &str) -> bool {
    ["low-power", "cool", "quiet"].contains(&profile)
}

fn settings_in_words(power: &PowerSettings) -> Vec<String> {
    let word = |name: &str, reading: &Reading<String>| {
        reading.value().map(|value| format!("{name} {value}"))
    };
    let boost = power.boost.get().map(|on| if on { "boost on" } else { "boost off" }.to_owned());
    let words = [
        word("governor", &power.governor),
        word("preference", &power.preference),
        word("profile", &power.profile),
        boost,
    ];
    words.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::MachineState;

    fn with(power: PowerSettings) -> MachineFacts {
        let state = MachineState { power, ..MachineState::default() };
        MachineFacts::between(state.clone(), state)
    }

    #[test]
    fn a_profile_that_holds_back_is_reported_and_a_governor_is_no_reason_to_nag() {
        let profile = |name: &str| PowerSettings {
            governor: Reading::Value("powersave".into()),
            profile: Reading::Value(name.into()),
            ..PowerSettings::default()
        };
        let quiet = settings(&with(profile("quiet"))).unwrap();
        assert_eq!(quiet.severity, Severity::Note);
        let balanced = settings(&with(profile("balanced"))).unwrap();
        assert_eq!(balanced.severity, Severity::Good);
        assert_eq!(balanced.fact, "governor powersave, profile balanced");
    }

    #[test]
    fn where_nothing_can_be_set_there_is_no_finding() {
        let facts = with(PowerSettings::default());
        assert_eq!((settings(&facts), cap(&facts), limit(&facts)), (None, None, None));
    }

    #[test]
    fn a_low_battery_is_worse_than_a_full_one() {
        let on = |percent| {
            let state = MachineState {
                on_battery: Reading::Value(true),
                battery_percent: Reading::Value(percent),
                ..MachineState::default()
            };
            source(&MachineFacts::between(state.clone(), state)).unwrap()
        };
        assert_eq!(on(72).fact, "on battery at 72%");
        assert!(on(25).effect.contains("slows") && !on(26).effect.contains("slows"));
    }
}
