//! What the system is like from boot to boot.

use super::{Finding, MachineFacts, Severity};
use perftest_core::model::Reading;

/// The hypervisor round a virtual machine; no finding outside one.
pub(super) fn hypervisor(facts: &MachineFacts) -> Option<Finding> {
    let vendor = facts.identity.hypervisor.as_deref().filter(|_| facts.is_virtual())?;
    let name = match vendor {
        "KVMKVMKVM" => " (KVM)".into(),
        "Microsoft Hv" => " (Hyper-V)".into(),
        "VMwareVMware" => " (VMware)".into(),
        "XenVMMXenVMM" => " (Xen)".into(),
        "yes" => String::new(),
        other => format!(" ({other})"),
    };
    let fact = format!("a virtual machine{name}");
    let effect = "neighbours may slow it; steal and the probes tell when they do";
    Some(Finding::new(Severity::Note, "hypervisor", fact, effect))
}

/// Checks the clock source of the kernel; no finding where it is unknown.
pub(super) fn clock_source(facts: &MachineFacts) -> Option<Finding> {
    let source = facts.epoch.clock_source.value()?;
    if !["hpet", "acpi_pm", "xen"].contains(&source.as_str()) {
        let fact = format!("clock source {source}");
        return Some(Finding::new(Severity::Good, "clock-source", fact, "time is cheap to read"));
    }
    let fact = format!("the kernel reads the time from {source}");
    let effect = "a reading takes about 1 us, so short batches are measured more coarsely";
    let finding = Finding::new(Severity::Warning, "clock-source", fact, effect);
    Some(finding.advise("boot with clocksource=tsc if the processor's counter is stable"))
}

/// Checks address space layout randomisation; no finding where it is unknown.
pub(super) fn address_randomisation(facts: &MachineFacts) -> Option<Finding> {
    if facts.epoch.address_randomisation.get()? > 0 {
        let effect = "processes differ as they do in use";
        return Some(Finding::new(Severity::Good, "aslr", "ASLR on", effect));
    }
    let fact = "addresses are the same in each process (ASLR off)";
    let effect = "fresh processes share one memory layout, so they confirm less";
    let finding = Finding::new(Severity::Note, "aslr", fact, effect);
    Some(finding.advise("turn it on again: sysctl kernel.randomize_va_space=2"))
}

/// Checks hardware threads and isolated processors; no finding where both are unknown.
pub(super) fn processors(facts: &MachineFacts) -> Option<Finding> {
    let listed = |list: &Reading<String>| list.value().filter(|list| !list.is_empty()).cloned();
    if let Some(cpus) = listed(&facts.epoch.isolated_cpus) {
        return Some(isolated(&cpus));
    }
    if let Some(cpus) = listed(&facts.epoch.nohz_full_cpus) {
        let fact = format!("CPUs {cpus} are kept free of the timer");
        let effect = "tests do not go there by themselves";
        let finding = Finding::new(Severity::Note, "processors", fact, effect);
        return Some(finding.advise(format!("taskset --cpu-list {cpus} cargo test --release")));
    }
    Some(match facts.epoch.smt_is_active.get()? {
        true => {
            let fact = "cores run two hardware threads (SMT)";
            let effect = "work on the other thread slows a test, and the probes see it";
            Finding::new(Severity::Note, "processors", fact, effect)
        }
        false => Finding::new(Severity::Good, "processors", "SMT off", "cores are not shared"),
    })
}

/// The scheduler moves no thread from one isolated processor to another, so that all threads stay on one of them.
///
/// Source: the kernel's `admin-guide/kernel-parameters`, `isolcpus`: "removed from load balancing".
fn isolated(cpus: &str) -> Finding {
    let fact = format!("CPUs {cpus} are kept free of other work");
    let effect = "tests do not go there by themselves, and all threads of one that is sent there stay on one CPU";
    let first = cpus.split([',', '-']).next().unwrap_or(cpus);
    Finding::new(Severity::Note, "processors", fact, effect).advise(format!(
        "build first with cargo test --release --no-run, then run taskset --cpu-list {first} cargo test --release. \
         These runs have a history of their own. Run tests with threads without taskset"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_clock_source_is_a_warning_with_the_way_out() {
        let source = |name: &str| {
            let mut facts = MachineFacts::without_facts();
            facts.epoch.clock_source = Reading::Value(name.into());
            clock_source(&facts).unwrap()
        };
        assert_eq!(source("tsc").severity, Severity::Good);
        assert_eq!(source("kvm-clock").severity, Severity::Good);
        assert_eq!(source("hpet").severity, Severity::Warning);
        assert!(source("acpi_pm").advice.contains("clocksource=tsc"));
    }

    #[test]
    fn a_hypervisor_is_named_and_nothing_is_asked_of_the_user() {
        let mut facts = MachineFacts::without_facts();
        assert_eq!(hypervisor(&facts), None);
        facts.identity.hypervisor = Some("none".into());
        assert_eq!(hypervisor(&facts), None);
        facts.identity.hypervisor = Some("KVMKVMKVM".into());
        let finding = hypervisor(&facts).unwrap();
        assert_eq!(finding.fact, "a virtual machine (KVM)");
        assert_eq!(finding.advice, "nothing to do");
    }

    #[test]
    fn processors_kept_free_are_reported_with_the_way_to_use_them() {
        let mut facts = MachineFacts::without_facts();
        assert_eq!(processors(&facts), None);
        facts.epoch.smt_is_active = Reading::Value(true);
        facts.epoch.isolated_cpus = Reading::Value(String::new());
        assert!(processors(&facts).unwrap().fact.contains("SMT"));
        facts.epoch.nohz_full_cpus = Reading::Value("2-7".into());
        assert_eq!(
            processors(&facts).unwrap().advice,
            "taskset --cpu-list 2-7 cargo test --release"
        );
        for (isolated, first) in [("2-7", "2"), ("11,13-15", "11"), ("5", "5")] {
            facts.epoch.isolated_cpus = Reading::Value(isolated.into());
            let advice = processors(&facts).unwrap().advice;
            let run = format!("taskset --cpu-list {first} cargo test --release.");
            let build = "cargo test --release --no-run, then";
            assert!(advice.contains(&run) && advice.contains(build), "{advice}");
            assert!(advice.contains("history of their own"), "{advice}");
        }
    }

    #[test]
    fn a_frozen_layout_is_reported() {
        let mut facts = MachineFacts::without_facts();
        facts.epoch.address_randomisation = Reading::Value(0);
        assert_eq!(address_randomisation(&facts).unwrap().severity, Severity::Note);
        facts.epoch.address_randomisation = Reading::Value(2);
        assert_eq!(address_randomisation(&facts).unwrap().severity, Severity::Good);
    }
}
