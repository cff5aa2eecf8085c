//! What a machine and a project are fit for: facts in, findings out.
//!
//! Nothing here looks at a machine or opens a file. A question is a function from facts to at
//! most one finding; the list below is all that is asked of a machine.

mod alignment;
mod busy_process;
mod clock;
mod counters;
mod facts;
mod finding;
mod flag_source;
mod heat;
mod history;
mod load;
mod nextest;
mod optimisation;
mod power;
mod profile;
mod speed_series;
mod system;
mod threshold;

pub(crate) use alignment::{ALIGNMENT_FLAG, CACHE_LINE, how_to_align};
pub(crate) use busy_process::BusyProcess;
pub(crate) use facts::{BuildFacts, CounterFacts, MachineFacts, ProcessorInfo, ProjectFacts};
pub(crate) use finding::{Finding, Severity};
pub(crate) use flag_source::{FlagPlace, FlagSource, flag_sources, flags_of_variables};
pub(crate) use history::HistoryPlace;
pub(crate) use profile::CargoProfile;
pub(crate) use speed_series::{SpeedSeries, ValueSpread};

const ABOUT_THE_MACHINE: [fn(&MachineFacts) -> Option<Finding>; 20] = [
    heat::throttling,
    heat::temperature,
    load::swapping,
    load::quota,
    load::steal,
    load::others,
    load::contention,
    clock::slowed,
    clock::sensors,
    clock::effective,
    power::changed,
    power::source,
    power::cap,
    power::limit,
    power::settings,
    system::hypervisor,
    system::clock_source,
    system::address_randomisation,
    system::processors,
    counters::instructions,
];

/// What the facts mean for performance tests, the worst first.
pub(crate) fn examine(machine: &MachineFacts, project: Option<&ProjectFacts>) -> Vec<Finding> {
    let about_machine = ABOUT_THE_MACHINE.iter().filter_map(|question| question(machine));
    let about_project = project.into_iter().flat_map(about_project);
    let mut findings: Vec<Finding> = about_machine.chain(about_project).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn about_project(project: &ProjectFacts) -> Vec<Finding> {
    let mut findings = vec![history::history(&project.history)];
    findings.extend(nextest::nextest(project.nextest.as_deref()));
    match &project.build {
        Some(build) => {
            findings.extend([alignment::alignment(build), optimisation::optimisation(build)])
        }
        None => {
            let fact = "cargo finds no project here";
            let effect = "profile and flags of its tests are not examined";
            let finding = Finding::new(Severity::Note, "project", fact, effect);
            let advice = "go to the project's directory; cargo locate-project prints what is wrong";
            findings.push(finding.advise(advice));
        }
    }
    findings
}

/// Whether no verdict can be expected here now.
pub(crate) fn is_unfit(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Unfit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_reports_nothing_is_fit_and_gets_no_claim() {
        let findings = examine(&MachineFacts::without_facts(), None);
        assert!(!is_unfit(&findings));
        let topics: Vec<&str> = findings.iter().map(|finding| finding.topic).collect();
        assert_eq!(topics, ["sensors"], "{findings:?}");
    }

    #[test]
    fn the_worst_comes_first() {
        let mut facts = MachineFacts::without_facts();
        facts.epoch.clock_source = perftest_core::model::Reading::Value("hpet".into());
        facts.environment.mark(perftest_core::model::Tag::Swap);
        let severities = examine(&facts, None);
        let severities: Vec<Severity> = severities.iter().map(|it| it.severity).collect();
        assert_eq!(severities, [Severity::Unfit, Severity::Warning, Severity::Note]);
    }
}
