//! Who else wants the processors and the memory.

use super::threshold::{BUSY_OTHERS, BUSY_OTHERS_CPUS, CONTENDED_SHARE, UNFIT_OTHERS, UNFIT_STEAL};
use super::{BusyProcess, Finding, MachineFacts, Severity};
use perftest_core::model::Tag;

/// Processes that a finding names.
const NAMED: usize = 3;

/// Whether the machine is swapping; no finding while it is not.
pub(super) fn swapping(facts: &MachineFacts) -> Option<Finding> {
    if !facts.has(Tag::Swap) {
        return None;
    }
    let pages = facts.rise(|state| &state.swapped_pages).unwrap_or(0.0);
    let fact = format!("the machine is swapping to disk ({pages} pages while looking)");
    let fact = fact + &named(facts, |it| it.memory_bytes as f64);
    let effect = "a test may wait for the disk at any moment; no test gets a verdict";
    let finding = Finding::new(Severity::Unfit, "swap", fact, effect);
    Some(finding.advise("end what uses the memory, then look again"))
}

/// Checks a container's quota; no finding where there is none.
pub(super) fn quota(facts: &MachineFacts) -> Option<Finding> {
    let limit = facts.identity.quota_milli_cpus? as f64 / 1e3;
    let fact = format!("this container is limited to {limit} CPUs");
    if !facts.has(Tag::Quota) {
        let effect = "part of the testbed; tests with threads may be held back";
        return Some(Finding::new(Severity::Note, "quota", fact, effect));
    }
    let held_back = facts.rise(|state| &state.quota.throttled_periods).unwrap_or(0.0);
    let periods = facts.rise(|state| &state.quota.periods).unwrap_or(0.0);
    let ms = facts.rise(|state| &state.quota.throttled_us).unwrap_or(0.0) / 1e3;
    let fact = format!("{fact} and was held back in {held_back} of {periods} periods ({ms:.0} ms)");
    let (severity, effect) = match facts.forbids(Tag::Quota) {
        true => (Severity::Unfit, "no test gets a verdict"),
        false => (Severity::Warning, "measurements are taken again, which costs time"),
    };
    let finding = Finding::new(severity, "quota", fact, effect);
    Some(finding.advise("raise the quota, or run fewer tests at a time"))
}

/// Checks the processor time that the host takes; no finding outside a virtual machine.
pub(super) fn steal(facts: &MachineFacts) -> Option<Finding> {
    let share = facts.steal_share().filter(|_| facts.elapsed_ms().is_some())?;
    let fact = format!("{:.0}% of the processor time was stolen by the host", 100.0 * share);
    if !facts.has(Tag::Steal) {
        let fact = if share > 0.0 { fact } else { "no steal".into() };
        let effect = "the host leaves the processors alone";
        let finding = Finding::new(Severity::Good, "steal", fact, effect);
        return facts.is_virtual().then_some(finding);
    }
    let (severity, effect) = match share > UNFIT_STEAL {
        true => (Severity::Unfit, "hardly a measurement runs undisturbed; no test gets a verdict"),
        false => (Severity::Warning, "stolen measurements are taken again, which costs time"),
    };
    let finding = Finding::new(severity, "steal", fact, effect);
    Some(finding.advise("run when the host is quieter, or on a host that is not shared"))
}

/// Checks the load by other programs; no finding where it is unknown.
pub(super) fn others(facts: &MachineFacts) -> Option<Finding> {
    let Some(others_cpus) = facts.others_cpus() else {
        return facts.has(Tag::Loaded).then(|| {
            let fact = "work waited for processors or memory for a good part of the time";
            let fact = fact.to_owned() + &named(facts, |it| it.cores);
            let effect = "interrupted measurements are taken again, which costs time";
            let finding = Finding::new(Severity::Warning, "others", fact, effect);
            finding.advise("close other work, or run later")
        });
    };
    let cpus = facts.cpus();
    let fact = format!("others use {others_cpus:.1} of {cpus} CPUs");
    if others_cpus <= BUSY_OTHERS_CPUS {
        return Some(Finding::new(Severity::Good, "others", fact, "tests have their processor"));
    }
    let fact = fact + &named(facts, |it| it.cores);
    let share = others_cpus / f64::from(cpus);
    let (severity, effect) = if share > UNFIT_OTHERS {
        (Severity::Unfit, "tests wait for a processor; many verdicts stay open")
    } else if share > BUSY_OTHERS {
        let effect =
            "measurements are taken again; tests with threads need a last good build for a red";
        (Severity::Warning, effect)
    } else {
        (Severity::Note, "a test with threads may need a last good build for a red")
    };
    let finding = Finding::new(severity, "others", fact, effect);
    Some(finding.advise("close other work, or run later"))
}

/// The processes that took most of it, after a colon; nothing where they are not known.
fn named(facts: &MachineFacts, taken: fn(&BusyProcess) -> f64) -> String {
    let mut processes: Vec<&BusyProcess> = facts.processes.iter().collect();
    processes.sort_by(|one, other| taken(other).total_cmp(&taken(one)));
    let words: Vec<String> = processes.iter().take(NAMED).map(|it| it.in_words()).collect();
    match (words.is_empty(), processes.len().saturating_sub(NAMED)) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", words.join("; ")),
        (false, more) => format!(": {}; {more} more", words.join("; ")),
    }
}

/// Whether another process shares the core; no finding without probes.
pub(super) fn contention(facts: &MachineFacts) -> Option<Finding> {
    let share = facts.course.as_ref()?.contended_share?;
    let percent = 100.0 * share;
    if share <= CONTENDED_SHARE {
        let fact = format!("core shared in {percent:.0}% of the readings");
        let effect = "its throughput is its own";
        return Some(Finding::new(Severity::Good, "contention", fact, effect));
    }
    let fact = format!("the core had less throughput in {percent:.0}% of the readings");
    let effect = "something that no counter shows shares it; measurements are taken again";
    let finding = Finding::new(Severity::Warning, "contention", fact, effect);
    Some(finding.advise(match facts.is_virtual() {
        true => "run when the host is quieter",
        false => "close other work, or run later",
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{MachineState, Reading};

    /// Half a second in which all used this much, the looking itself 400 ms.
    fn used(busy_ms: u64, steal_ms: u64) -> MachineFacts {
        let state = |taken_ms, busy_ms, steal_ms| MachineState {
            taken_ms: Reading::Value(taken_ms),
            busy_ms: Reading::Value(busy_ms),
            steal_ms: Reading::Value(steal_ms),
            ..MachineState::default()
        };
        let facts = MachineFacts::between(state(10, 0, 0), state(510, busy_ms, steal_ms));
        MachineFacts { own_cpu_ms: Some(400.0), ..facts }
    }

    #[test]
    fn others_are_what_neither_the_host_nor_the_looking_itself_used() {
        assert_eq!(used(1_000, 100).others_cpus(), Some(1.0));
        assert_eq!(used(390, 0).others_cpus(), Some(0.0));
        assert_eq!(MachineFacts::without_facts().others_cpus(), None);
    }

    #[test]
    fn more_than_half_of_the_processors_is_unfit_and_a_little_is_fine() {
        let severity = |busy_ms| others(&used(busy_ms, 0)).unwrap().severity;
        assert_eq!(severity(460), Severity::Good);
        assert_eq!(severity(640), Severity::Warning);
        assert_eq!(severity(960), Severity::Unfit);
    }

    #[test]
    fn on_many_processors_a_little_work_of_others_is_a_note() {
        let finding = |cpus| {
            let mut facts = used(1_000, 0);
            facts.cpu_info.cpus = Some(cpus);
            others(&facts).unwrap()
        };
        assert_eq!(
            (finding(8).severity, finding(16).severity),
            (Severity::Warning, Severity::Note)
        );
        // Whether they have room beside others depends on their number, too.
        assert_eq!(finding(16).effect, "a test with threads may need a last good build for a red");
    }

    #[test]
    fn the_processes_that_took_the_processors_are_named_the_worst_first() {
        let processes = [("cc1", 3, 0.2), ("rustc", 1, 0.97), ("a", 5, 0.1), ("b", 6, 0.1)];
        let processes = processes.map(|(name, pid, cores)| BusyProcess::named(name, pid, cores));
        let facts = MachineFacts { processes: processes.to_vec(), ..used(960, 0) };
        let finding = others(&facts).unwrap();
        let expected = "others use 1.1 of 2 CPUs: rustc (pid 1) 97% of a core, 512 MB; cc1 (pid 3) 20% \
                        of a core, 512 MB; a (pid 5) 10% of a core, 512 MB; 1 more";
        assert_eq!(finding.fact, expected);
    }

    #[test]
    fn where_the_system_counts_no_busy_time_the_processes_tell_it() {
        let processes = vec![BusyProcess::named("rustc", 1, 1.6)];
        let facts = MachineFacts { processes, ..MachineFacts::without_facts() };
        let finding = others(&facts).unwrap();
        assert_eq!(finding.severity, Severity::Unfit);
        assert!(finding.fact.starts_with("others use 1.6 of 2 CPUs: rustc"), "{finding:?}");
    }

    #[test]
    fn a_host_that_takes_more_than_a_fifth_is_unfit() {
        let severity = |steal_ms| steal(&used(500, steal_ms)).map(|finding| finding.severity);
        assert_eq!(severity(0), None, "outside a virtual machine no host can take it");
        assert_eq!(severity(50), Some(Severity::Warning));
        assert_eq!(severity(150), Some(Severity::Unfit));
    }
}
