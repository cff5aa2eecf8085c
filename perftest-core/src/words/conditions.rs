//! Sentences about the machine's conditions: what happened, its consequence, and the advice.

use super::{quantity, whole_percent};
use crate::judge::{Condition, MachineBaseline, Tally};
use crate::list::IntoList;
use crate::model::{Environment, MachineState, Reading, Tag};

/// The data of the sentences.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// The conditions of a run.
    pub environment: &'a Environment,
    /// Its measurements, or those of several runs together.
    pub tally: &'a Tally,
    /// The speed of the machine in its history.
    pub usual: &'a MachineBaseline,
    /// Processors this process may use, or the share of them that a quota leaves.
    pub cpus: f64,
}

/// Returns the sentence for a tag; `None` for tags with sentences elsewhere ([`Tag::Parallel`],
/// [`Tag::LearnedInput`]).
///
/// A tag of the grade [`Untrusted`](crate::model::Grade::Untrusted) gives several lines, of which
/// the first is the warning.
pub fn condition(tag: Tag, conditions: &Conditions<'_>) -> Option<String> {
    let Conditions { environment, tally, .. } = conditions;
    let rise = |counter: fn(&MachineState) -> &Reading<u64>| environment.rise(counter);
    Some(match tag {
        Tag::Throttled => throttled(environment),
        Tag::SlowMachine | Tag::FastMachine => other_speed(conditions),
        Tag::PowerChanged => power_changed(environment),
        Tag::Swap => "The machine was swapping to disk; results are not to be trusted.".into(),
        Tag::Busy => busy(conditions),
        Tag::OffCpu => format!(
            "{} of {} measurements were interrupted by other work on this machine (lost {:.1} ms) and \
             were taken again.",
            tally.off_cpu(),
            tally.all(),
            tally.lost_ns / 1e6
        ),
        Tag::Steal => format!(
            "The host took this virtual machine's processor away for {} of the time (steal). \
             Times shown are of the undisturbed measurements only.",
            whole_percent(steal_share(environment, tally))
        ),
        Tag::Contended => format!(
            "Something outside this machine's view (a neighbour on the same physical core) slowed \
             the processor down, up to {:.1}x, during {} of measurements; those were taken \
             again.",
            1.0 + tally.contention,
            whole_percent(tally.share(Condition::Contended))
        ),
        Tag::SlowClock => slow_clock(environment),
        Tag::Loaded => format!(
            "Other work wanted the processors or memory for a good part of the time{}.",
            load(&environment.after)
        ),
        Tag::Quota => format!(
            "This container is limited to {} CPUs and was held back in {} of {} periods ({} ms).",
            conditions.cpus,
            rise(|state| &state.quota.throttled_periods).unwrap_or(0),
            rise(|state| &state.quota.periods).unwrap_or(0),
            rise(|state| &state.quota.throttled_us).unwrap_or(0) / 1_000
        ),
        Tag::Battery => "Running on battery: compared only with earlier runs on battery.".into(),
        Tag::Capped => capped(&environment.after),
        Tag::Hot => format!(
            "The processor stood at {} C before and after, close to its limit; it was not throttled.",
            celsius(&environment.after)
        ),
        Tag::ThrottleSpike => {
            "The kernel counted a throttle event too short to cost time; the clock stayed.".into()
        }
        Tag::CoreKind => format!(
            "{} measurements ran on another kind of core than the history and were set aside.",
            tally.number(Condition::OtherCore)
        ),
        Tag::Parallel | Tag::LearnedInput => return None,
    })
}

/// Returns the sentence about times that fall from `early_ns` to `late_ns` during a run.
pub fn learned_input(early_ns: f64, late_ns: f64) -> String {
    format!(
        "Times fall from {} to {} as the run goes on: the test feeds the same input each time and \
         the processor has learned it. Give each iteration its own input \
         (Bencher::with_inputs).",
        quantity(early_ns, "ns"),
        quantity(late_ns, "ns")
    )
}

fn power_changed(environment: &Environment) -> String {
    let changes = environment.power_changes();
    if changes.is_empty() {
        return "Power source, clock cap or boost are not those with which the tests began, by which their history was \
                chosen; results are not to be trusted. Run the tests again."
            .into();
    }
    format!(
        "The power source or power profile changed during the run ({}); results are not to be trusted.",
        changes.iter().joined(", ")
    )
}

fn throttled(environment: &Environment) -> String {
    let Environment { before, after, .. } = environment;
    let events = match (environment.throttle_events(), environment.throttle_ms()) {
        (Some(events), Some(ms)) => format!(", {events} throttle events ({ms} ms)"),
        (Some(events), None) => format!(", {events} throttle events"),
        _ => String::new(),
    };
    let limit = environment.clock_limit_percent();
    let limit = limit.map_or_else(String::new, |percent| format!(" (limited to {percent}%)"));
    format!(
        "RESULTS OF THIS RUN ARE NOT TO BE TRUSTED: the processor was throttled while measuring.\n   \
         {} -> {} C, clock {} -> {} GHz{limit}{events}. The history gave no verdict, and \
         the run does not count for the baseline.\n   Let the machine cool, plug it in, lift it off the blanket, then run again: \
         cargo test",
        celsius(before),
        celsius(after),
        ghz(before),
        ghz(after),
    )
}

fn other_speed(conditions: &Conditions<'_>) -> String {
    let now = &conditions.environment.before;
    let usual = conditions.usual.clock_ghz;
    let usual = usual.map_or_else(|| "?".to_owned(), |ghz| format!("{ghz:.1}"));
    if let Some((low, high)) = clocks_around(now, conditions.usual) {
        return format!(
            "The clock of this machine wanders: it is {} GHz now, was {usual} GHz before the runs of its history, and \
             between {low:.1} and {high:.1} GHz in them. Run again when it is steady.",
            ghz(now)
        );
    }
    let difference = match (now.reference_ns.get(), conditions.usual.reference_ns()) {
        (Some(now_ns), Some(usual_ns)) if ghz(now) == usual => format!(
            "This machine needs {:.0}% of the time today for what it did when its history was \
             recorded",
            100.0 * now_ns as f64 / usual_ns
        ),
        _ => format!(
            "This machine runs at {} GHz today; its history was recorded at {usual} GHz",
            ghz(now)
        ),
    };
    format!(
        "{difference}. Compare only after it is back. If this speed stays, start a new series: PERFTEST_EPOCH=new"
    )
}

/// Returns the ends of the clocks in a history where the present clock is another than usual, and lies between them.
fn clocks_around(now: &MachineState, usual: &MachineBaseline) -> Option<(f64, f64)> {
    const READING: f64 = 0.01;
    let now_ghz = now.probes().clock_ghz?;
    let (low, high) = usual.clocks_ghz?;
    let is_other = (now_ghz / usual.clock_ghz? - 1.0).abs() > READING;
    let is_between = now_ghz > low * (1.0 - READING) && now_ghz < high * (1.0 + READING);
    (is_other && is_between).then_some((low, high))
}

fn busy(conditions: &Conditions<'_>) -> String {
    let Conditions { environment, tally, cpus, .. } = conditions;
    let load = environment.after.load_milli.get();
    let load = load.map_or_else(String::new, |milli| format!("load {:.1} on ", milli as f64 / 1e3));
    let ran_beside_tests = environment.tags.contains(&Tag::Parallel);
    let advice = if ran_beside_tests {
        "Run one test at a time: cargo test -- --test-threads=1"
    } else {
        "Close other work, then run again. Busy programs: cargo perftest doctor"
    };
    let apart = tally.share(Condition::Apart);
    let disturbed = if apart > tally.share(Condition::Interrupted) {
        format!(
            "threads that measure together did not run at the same time in {} of measurements",
            whole_percent(apart)
        )
    } else {
        undisturbed(tally.share(Condition::Clean))
    };
    format!("The machine is too busy: {disturbed} ({load}{cpus} CPUs). {advice}")
}

fn undisturbed(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 0.5 {
        return "hardly any measurement ran undisturbed".to_owned();
    }
    format!("only {percent:.0}% of measurements ran undisturbed")
}

fn slow_clock(environment: &Environment) -> String {
    let Environment { before, after, .. } = environment;
    if environment.clock_ratio().is_some_and(|ratio| ratio < 0.95) {
        return format!(
            "The processor slowed from {} to {} GHz while measuring.",
            ghz(before),
            ghz(after)
        );
    }
    "The processor's clock was low during some measurements; those were taken again.".into()
}

fn capped(state: &MachineState) -> String {
    let ghz = |khz: &Reading<u64>| khz.get().unwrap_or(0) as f64 / 1e6;
    format!(
        "The clock is capped at {:.1} GHz by a setting (the processor could run at {:.1}); \
         compared only with runs under the same cap.",
        ghz(&state.power.cap_khz),
        ghz(&state.power.hardware_khz)
    )
}

fn steal_share(environment: &Environment, tally: &Tally) -> f64 {
    let steal_ms = environment.rise(|state| &state.steal_ms).unwrap_or(0) as f64;
    let busy_ms = environment.rise(|state| &state.busy_ms).unwrap_or(0) as f64;
    if steal_ms > 0.0 && busy_ms > 0.0 {
        steal_ms / busy_ms
    } else {
        tally.share(Condition::Stolen)
    }
}

fn load(state: &MachineState) -> String {
    let load = state.load_milli.get();
    load.map_or_else(String::new, |milli| format!(" (load {:.1})", milli as f64 / 1e3))
}

pub(super) fn celsius(state: &MachineState) -> String {
    let milli = state.temperature_milli_c.get();
    milli.map_or_else(|| "?".to_owned(), |milli| format!("{:.0}", milli as f64 / 1e3))
}

pub(super) fn ghz(state: &MachineState) -> String {
    let khz = state.clock_khz();
    khz.map_or_else(|| "?".to_owned(), |khz| format!("{:.1}", khz as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ThrottleState;

    fn state(celsius: i64, khz: u64, throttle_ms: u64) -> MachineState {
        MachineState {
            temperature_milli_c: Reading::Value(celsius * 1_000),
            frequency_khz: Reading::Value(khz),
            throttling: ThrottleState {
                package_events: Reading::Value(throttle_ms / 10),
                package_ms: Reading::Value(throttle_ms),
                ..ThrottleState::default()
            },
            ..MachineState::default()
        }
    }

    fn tally(conditions: &[(Condition, usize)]) -> Tally {
        let each = conditions.iter().map(|(condition, times)| vec![*condition; *times]);
        Tally::of_conditions(each.flatten())
    }

    fn sentence(tag: Tag, environment: &Environment, tally: &Tally) -> String {
        let conditions =
            Conditions { environment, tally, usual: &MachineBaseline::default(), cpus: 2.0 };
        condition(tag, &conditions).unwrap()
    }

    #[test]
    fn a_throttled_run_is_reported_with_both_temperatures_clocks_and_the_way_out() {
        let environment = Environment::between(state(61, 4_100_000, 0), state(92, 3_200_000, 340));
        let text = sentence(Tag::Throttled, &environment, &Tally::default());
        assert_eq!(
            text,
            "RESULTS OF THIS RUN ARE NOT TO BE TRUSTED: the processor was throttled while \
             measuring.\n   61 -> 92 C, clock 4.1 -> 3.2 GHz, 34 throttle events (340 ms). The \
             history gave no verdict, and the run does not count for the baseline.\n   Let the \
             machine cool, plug it in, lift it off the blanket, then run again: cargo test"
        );
    }

    #[test]
    fn a_limit_of_the_clock_is_reported_with_the_throttled_run() {
        let mut limited = state(88, 3_758_000, 0);
        limited.throttling.limit_percent = Reading::Value(80);
        let environment = Environment::between(limited.clone(), limited);
        let text = sentence(Tag::Throttled, &environment, &Tally::default());
        assert!(
            text.contains("clock 3.8 -> 3.8 GHz (limited to 80%), 0 throttle events"),
            "{text}"
        );
    }

    #[test]
    fn interruptions_are_reported_with_their_number_and_cost() {
        let mut tally = tally(&[(Condition::Clean, 37), (Condition::Interrupted, 3)]);
        tally.lost_ns = 12.34e6;
        assert_eq!(
            sentence(Tag::OffCpu, &Environment::default(), &tally),
            "3 of 40 measurements were interrupted by other work on this machine (lost 12.3 ms) \
             and were taken again."
        );
    }

    #[test]
    fn a_small_share_is_not_none() {
        let rare = [(Condition::Stolen, 3), (Condition::Contended, 3), (Condition::Clean, 994)];
        let tally = tally(&rare);
        for tag in [Tag::Steal, Tag::Contended] {
            let text = sentence(tag, &Environment::default(), &tally);
            assert!(text.contains(" less than 1% of ") && !text.contains(" 0%"), "{text}");
        }
    }

    #[test]
    fn every_tag_has_its_sentence_and_none_speaks_of_what_is_unknown() {
        for tag in Tag::ALL {
            let (environment, tally) = (Environment::default(), Tally::default());
            let conditions = Conditions {
                environment: &environment,
                tally: &tally,
                usual: &MachineBaseline::default(),
                cpus: 0.5,
            };
            match condition(tag, &conditions) {
                Some(text) => assert!(text.ends_with('.') || text.contains(": "), "{text}"),
                None => assert!(matches!(tag, Tag::Parallel | Tag::LearnedInput)),
            }
        }
    }

    #[test]
    fn a_clock_that_wanders_is_no_other_speed_for_a_new_series() {
        let sentence = |clocks_ghz| {
            let mut environment = Environment::default();
            environment.before.effective_khz = Reading::Value(4_068_000);
            let usual = MachineBaseline {
                clock_ghz: Some(3.571),
                clocks_ghz,
                ..MachineBaseline::default()
            };
            let tally = Tally::default();
            let conditions =
                Conditions { environment: &environment, tally: &tally, usual: &usual, cpus: 2.0 };
            condition(Tag::FastMachine, &conditions).unwrap_or_default()
        };
        let wanders = sentence(Some((3.571, 4.07)));
        let expected = "it is 4.1 GHz now, was 3.6 GHz before the runs of its history, and between 3.6 and 4.1 GHz";
        assert!(wanders.contains(expected) && !wanders.contains("PERFTEST_EPOCH"), "{wanders}");
        let other = sentence(Some((3.5, 3.6)));
        assert!(
            other.ends_with("If this speed stays, start a new series: PERFTEST_EPOCH=new"),
            "{other}"
        );
    }

    #[test]
    fn a_machine_too_busy_for_threads_is_reported_as_such() {
        let tally = tally(&[
            (Condition::Clean, 4),
            (Condition::Apart, 30),
            (Condition::Interrupted, 2),
            (Condition::SlowClock, 4),
        ]);
        let text = sentence(Tag::Busy, &Environment::default(), &tally);
        let expected = "The machine is too busy: threads that measure together did not run at the same time in \
                        75% of measurements (2 CPUs). Close other work";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn one_test_at_a_time_is_advised_where_tests_ran_beside_each_other() {
        let mut environment = Environment::default();
        let alone = sentence(Tag::Busy, &environment, &Tally::default());
        assert!(alone.ends_with("then run again. Busy programs: cargo perftest doctor"), "{alone}");
        environment.mark(Tag::Parallel);
        let beside = sentence(Tag::Busy, &environment, &Tally::default());
        assert!(beside.ends_with("cargo test -- --test-threads=1"), "{beside}");
    }
}
