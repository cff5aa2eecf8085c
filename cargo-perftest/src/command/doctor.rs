//! `cargo perftest doctor`: what disturbs measurements here, and what to do about it.

use super::doctor_watch::{self, process_as_json};
use super::noise_floor;
use crate::args::{CompileOptions, DoctorArgs as Args, OutputFormat};
use crate::cargo_files::CargoFiles;
use crate::doctor::{
    BuildFacts, CargoProfile, Finding, HistoryPlace, MachineFacts, ProjectFacts, examine,
    flag_sources, is_unfit,
};
use crate::exit::{CommandEnd, CommandError, Result};
use crate::history_directory::here;
use crate::report::{
    conditions_as_json, counted, extend, write_findings, write_json_line, write_json_lines,
};
use crate::target_platform::TargetPlatform;
use crate::testbed::Testbed;
use crate::{history_directory, look};
use perftest_store::{JsonlStore, Listing, Store};
use serde_json::{Value, json};
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn run(args: &Args, store: Option<PathBuf>, out: &mut dyn Write) -> Result<CommandEnd> {
    if args.watch {
        return doctor_watch::run(args.answer.format()).map(|()| CommandEnd::Done);
    }
    if args.aa {
        return noise_floor::run(args, out);
    }
    let (machine, project) = match &args.root {
        Some(root) => {
            let apart = Duration::from_secs(args.apart.into());
            (look::at_files(root, args.after.as_deref(), apart)?, None)
        }
        None => {
            // Report an unknown profile before reading the machine.
            let project = look_at_project(&args.build.compile, store)?;
            (look::at_this_machine(), Some(project))
        }
    };
    let findings = examine(&machine, project.as_ref());
    match args.answer.format() {
        OutputFormat::Json => write_json(&machine, &findings, out)?,
        OutputFormat::Table => write_findings(&title(&machine), &findings, out)?,
    }
    Ok(if is_unfit(&findings) { CommandEnd::Unfit } else { CommandEnd::Done })
}

fn look_at_project(options: &CompileOptions, store: Option<PathBuf>) -> Result<ProjectFacts> {
    let here = here()?;
    let files = CargoFiles::read(&here);
    let build = files.as_ref().map(|files| build_facts(files, options, &here)).transpose()?;
    let nextest = files.and_then(|files| files.nextest);
    Ok(ProjectFacts { build, history: look_at_history(&here, store), nextest })
}

fn build_facts(files: &CargoFiles, options: &CompileOptions, here: &Path) -> Result<BuildFacts> {
    let profile = &options.profile;
    let profile =
        CargoProfile::resolve(profile, &files.profile_layers(profile), files.package.as_deref());
    let variable = |name: &str| env::var(name).ok();
    let platform = TargetPlatform::of_build(here, &files.configs, options.target.as_deref());
    Ok(BuildFacts {
        profile: profile.map_err(CommandError::Usage)?,
        flags: flag_sources(variable, &files.configs, &platform),
    })
}

fn look_at_history(here: &Path, asked: Option<PathBuf>) -> HistoryPlace {
    let place = match history_directory::find(asked) {
        Ok(place) => place,
        Err(failure) => return HistoryPlace::Nowhere(failure.to_string()),
    };
    let store = JsonlStore::open(&place.root, &place.project_of(here));
    match store.list(None).and_then(Listing::whole) {
        Ok(series) => HistoryPlace::Kept { place: place.in_words(), series: series.value.len() },
        Err(_) => HistoryPlace::Unreadable,
    }
}

fn testbed(machine: &MachineFacts) -> String {
    Testbed::of_machine(&machine.identity).name()
}

fn title(machine: &MachineFacts) -> String {
    let cpus = counted(machine.identity.usable_cpus as usize, "CPU");
    format!("{}: {}, {cpus}", testbed(machine), machine.identity.cpu_model)
}

/// One object about the machine, one a finding, and one a busy process.
fn write_json(machine: &MachineFacts, findings: &[Finding], out: &mut dyn Write) -> Result<()> {
    write_json_line(out, &machine_as_json(machine, findings))?;
    write_json_lines(out, findings.iter().map(finding_as_json))?;
    Ok(write_json_lines(out, machine.processes.iter().map(process_as_json))?)
}

fn machine_as_json(machine: &MachineFacts, findings: &[Finding]) -> Value {
    let environment = &machine.environment;
    let course = machine.course.as_ref();
    let clock = course.and_then(|course| course.clock_ghz.get());
    let reference = course.and_then(|course| course.reference_ns.get());
    let mut value = conditions_as_json(environment);
    let known = json!({
        "event": "doctor",
        "v": 1,
        "testbed": testbed(machine),
        "fit": !is_unfit(findings),
        "temperature_before_milli_c": environment.before.temperature_milli_c.get(),
        "temperature_after_milli_c": environment.after.temperature_milli_c.get(),
        "clock_ghz": clock.map(|clock| clock.median),
        "clock_low_ghz": clock.map(|clock| clock.low),
        "clock_high_ghz": clock.map(|clock| clock.high),
        "reference_ns": reference.map(|reference| reference.median),
        "contended_share": course.and_then(|course| course.contended_share),
        "others_cpus": machine.others_cpus(),
        "steal_share": machine.steal_share(),
    });
    extend(&mut value, known);
    value
}

fn finding_as_json(finding: &Finding) -> Value {
    json!({
        "event": "finding",
        "v": 1,
        "severity": finding.severity.name(),
        "topic": finding.topic,
        "fact": finding.fact,
        "effect": finding.effect,
        "advice": finding.advice,
        "add": finding.add,
    })
}
