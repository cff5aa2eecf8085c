//! The processor's clock, and which of the sensors measures it.

use super::threshold::{CLOCKS_AGREE, STEADY_CLOCK};
use super::{Finding, MachineFacts, Severity, ValueSpread};
use perftest_core::model::{Reading, Tag};

/// A virtual machine has no plug, and its settings do not reach the processor.
const CLOCK_OF_HOST: &str = "the host sets the clock: look again when it has less other work";

/// Whether the clock fell between the looks; no finding while it keeps up.
pub(super) fn slowed(facts: &MachineFacts) -> Option<Finding> {
    if !facts.has(Tag::SlowClock) {
        return None;
    }
    let percent = 100.0 * (1.0 - facts.environment.clock_ratio().unwrap_or(1.0));
    let fact = format!("the clock fell by {percent:.0}% while looking, without heat");
    let (severity, effect) = match facts.forbids(Tag::SlowClock) {
        true => (Severity::Unfit, "times before and after do not compare; no test gets a verdict"),
        false => (Severity::Warning, "measurements at a low clock are taken again"),
    };
    let finding = Finding::new(severity, "slow-clock", fact, effect);
    Some(finding.advise(match facts.epoch.power_limit_uw.get() {
        _ if facts.is_virtual() => CLOCK_OF_HOST,
        Some(_) => "a power limit does this: plug the machine in, choose a faster profile",
        None => "plug the machine in, choose a faster power profile, then look again",
    }))
}

/// Lists missing sensors and their replacements; no finding where one is there.
pub(super) fn sensors(facts: &MachineFacts) -> Option<Finding> {
    let state = &facts.environment.after;
    let (None, Reading::Absent(why)) = (state.temperature_milli_c.get(), &state.frequency_khz)
    else {
        return None;
    };
    let fact = format!("no temperature sensor and no clock sensor ({why})");
    let effect = match facts.course {
        Some(_) => "the clock probe answers instead: it counts cycles against time",
        None => "on the machine itself the clock probe answers instead",
    };
    Some(Finding::new(Severity::Note, "sensors", fact, effect))
}

/// How fast the processor really runs, by the probe, else as the kernel reports it.
pub(super) fn effective(facts: &MachineFacts) -> Option<Finding> {
    match facts.course.as_ref().map(|course| &course.clock_ghz) {
        Some(Reading::Value(clock)) => Some(by_probe(facts, *clock)),
        Some(Reading::Absent(why)) => {
            let fact = format!("the clock probe cannot be used: {why}");
            let effect = "a slowed processor may go unseen";
            Some(Finding::new(Severity::Note, "clock", fact, effect))
        }
        None => by_kernel(facts),
    }
}

fn by_probe(facts: &MachineFacts, clock: ValueSpread) -> Finding {
    let ValueSpread { median, low, high } = clock;
    let fact = format!("the processor runs at {median:.2} GHz ({low:.2} to {high:.2})");
    if low < STEADY_CLOCK * median {
        let effect = "measurements at a low clock are taken again";
        let finding = Finding::new(Severity::Warning, "clock", fact, effect);
        return finding.advise(match facts.is_virtual() {
            true => CLOCK_OF_HOST,
            false => "plug the machine in, choose a faster power profile, let it cool",
        });
    }
    let differs = |claimed: &f64| (claimed / median - 1.0).abs() > CLOCKS_AGREE;
    match claimed_ghz(facts).filter(differs) {
        Some(claimed) => {
            let fact = format!("{fact}, the system claims {claimed:.2}");
            let effect = "tests go by the counted clock, so the claim changes no verdict";
            Finding::new(Severity::Note, "clock", fact, effect)
        }
        None => Finding::new(Severity::Good, "clock", fact, "steady"),
    }
}

fn by_kernel(facts: &MachineFacts) -> Option<Finding> {
    let state = &facts.environment.after;
    match &state.frequency_khz {
        Reading::Value(khz) => {
            let counted = match state.frequency_is_counted.get() {
                Some(true) => "counted by the kernel",
                _ => "as asked for, not counted",
            };
            let fact = format!("{:.2} GHz, {counted}", *khz as f64 / 1e6);
            Some(Finding::new(Severity::Good, "clock", fact, "kept with each run"))
        }
        // Without any sensor the reason is already in the report.
        Reading::Absent(_) if state.temperature_milli_c.get().is_none() => None,
        Reading::Absent(why) => {
            let fact = format!("no clock sensor ({why})");
            let effect = "on the machine itself the clock probe answers instead";
            Some(Finding::new(Severity::Note, "clock", fact, effect))
        }
    }
}

/// The clock as the system reports it.
fn claimed_ghz(facts: &MachineFacts) -> Option<f64> {
    let reported = facts.environment.after.frequency_khz.get().map(|khz| khz as f64 / 1e6);
    reported.or(facts.cpu_info.claimed_ghz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{ProcessorInfo, SpeedSeries};
    use perftest_core::model::MachineState;

    fn probed(low: f64, claimed_ghz: Option<f64>) -> MachineFacts {
        let clock = ValueSpread { median: 4.2, low, high: 4.25 };
        MachineFacts {
            course: Some(SpeedSeries {
                clock_ghz: Reading::Value(clock),
                reference_ns: Reading::default(),
                contended_share: None,
            }),
            cpu_info: ProcessorInfo { claimed_ghz, ..ProcessorInfo::default() },
            ..MachineFacts::without_facts()
        }
    }

    #[test]
    fn nobody_is_asked_to_plug_a_virtual_machine_in() {
        let mut facts = probed(2.0, None);
        assert!(effective(&facts).unwrap().advice.contains("plug"));
        facts.identity.hypervisor = Some("KVMKVMKVM".into());
        assert_eq!(effective(&facts).unwrap().advice, CLOCK_OF_HOST);
    }

    #[test]
    fn the_counted_clock_stands_beside_a_claim_that_differs() {
        let finding = effective(&probed(4.1, Some(2.596))).unwrap();
        let fact = "the processor runs at 4.20 GHz (4.10 to 4.25), the system claims 2.60";
        assert_eq!((finding.fact.as_str(), finding.severity), (fact, Severity::Note));
        let finding = effective(&probed(4.1, Some(4.1))).unwrap();
        assert_eq!(finding.severity, Severity::Good);
    }

    #[test]
    fn a_clock_that_wanders_is_a_warning() {
        assert_eq!(effective(&probed(3.9, None)).unwrap().severity, Severity::Warning);
    }

    #[test]
    fn missing_sensors_are_reported_with_what_answers_instead() {
        let effect = |facts: &MachineFacts| sensors(facts).unwrap().effect;
        assert!(effect(&probed(4.1, None)).contains("counts cycles"));
        assert!(effect(&MachineFacts::without_facts()).contains("on the machine itself"));
        let mut warm = probed(4.1, None);
        warm.environment.after.temperature_milli_c = Reading::Value(50_000);
        assert_eq!(sensors(&warm), None);
    }

    #[test]
    fn a_power_limit_is_named_when_the_clock_falls_without_heat() {
        let at =
            |khz| MachineState { frequency_khz: Reading::Value(khz), ..MachineState::default() };
        let mut facts = MachineFacts::between(at(4_400_000), at(2_900_000));
        facts.epoch.power_limit_uw = Reading::Value(28_000_000);
        let finding = slowed(&facts).unwrap();
        assert_eq!(finding.severity, Severity::Unfit);
        assert_eq!(finding.fact, "the clock fell by 34% while looking, without heat");
        assert!(finding.advice.contains("power limit"));
    }
}
