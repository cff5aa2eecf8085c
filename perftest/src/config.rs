//! The environment variables that configure a run. The only place that reads them.

use crate::ci_job::CiJob;
use crate::clock::ClockKind;
use crate::misspelt::misspelt;
use crate::settings::{Layer, of_variables, setting_variables};
use perftest_core::list::IntoList;
use perftest_core::model::InstructionCounter;
use perftest_process::protocol::{
    BUDGET_VARIABLE, COUNTING_VARIABLE, PROGRAMS_VARIABLE, RIVAL_VARIABLE, SAMPLES_VARIABLE,
    WORKER_VARIABLE,
};
use perftest_process::{
    BOOTSTRAP_VARIABLE, CHOSEN_VARIABLE, ChosenTests, DefaultBranch, LIST_VARIABLE,
    OUTCOMES_VARIABLE, PARENT_VARIABLE, SESSION_VARIABLE, is_from_parent,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What this process answers instead of running tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListQuestion {
    /// The perf tests.
    Tests,
    /// The settings of the perf tests that the command line behind `--` selects.
    Settings,
}

impl ListQuestion {
    /// The value of [`LIST_VARIABLE`] for the settings; any other asks for the tests.
    pub(crate) const SETTINGS: &str = "settings";

    /// Returns the question of the perftest process that started this one.
    pub(crate) fn of_parent() -> Option<Self> {
        let value = std::env::var_os(LIST_VARIABLE).filter(|_| is_started_by_perftest())?;
        Some(if value == Self::SETTINGS { Self::Settings } else { Self::Tests })
    }
}

/// Returns whether a perftest process started this one for an internal mode. Otherwise the
/// variables of such modes have no effect: they were set by accident, or for another process.
pub(crate) fn is_started_by_perftest() -> bool {
    std::env::var(PARENT_VARIABLE).is_ok_and(|token| is_from_parent(&token))
}

/// Returns whether this process only shows the settings of its perf tests. Called before `main`.
pub(crate) fn is_asked_for_settings() -> bool {
    std::env::var("PERFTEST_MODE").is_ok_and(|mode| mode == LIST_EFFECTIVE)
}

const LIST_EFFECTIVE: &str = "list-effective";

/// A directory may have a name that is not UTF-8.
const STORE: &str = "PERFTEST_STORE";

/// The variables besides those of the settings and those of the processes that we start.
pub(crate) const FURTHER: [&str; 8] = [
    "PERFTEST_MODE",
    "PERFTEST_PROFILE",
    STORE,
    "PERFTEST_TESTBED",
    "PERFTEST_CLOCK",
    "PERFTEST_EPOCH",
    "PERFTEST_DEFAULT_BRANCH",
    "PERFTEST_INSTRUCTIONS",
];

/// The configuration from the environment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    /// The place of the history.
    pub store: StorePlace,
    /// The builds that get a verdict.
    pub mode: VerdictMode,
    /// The settings of the tests that the environment sets.
    pub settings: Layer,
    /// The profile of the settings file, if one is requested.
    pub profile: Option<String>,
    /// The clock that measures.
    pub clock: ClockKind,
    /// Label of the testbed.
    pub testbed: String,
    /// The CI job, if this runs in one.
    pub ci: CiJob,
    /// The repository's default branch, from the user or else from the CI job; empty if neither
    /// sets it.
    pub default_branch: String,
    /// The name of this invocation, from `cargo perftest run` or from the runner; empty without one.
    pub session: String,
    /// Number of the runner's attempt.
    pub attempt: u32,
    /// Tests that the usual harness runs at a time, where the user or the runner says so: one under `cargo nextest`.
    pub test_threads: Option<usize>,
    /// `cargo nextest` runs this process.
    pub is_nextest: bool,
    /// A machine at another speed than its history begins a new series at once.
    pub new_epoch: bool,
    /// The test this process serves as a worker.
    pub worker: Option<String>,
    /// The tests that the parent process has chosen; `None` without a choice.
    pub chosen: Option<ChosenTests>,
    /// The file for the outcomes of the tests, set by the parent process.
    pub outcomes: Option<PathBuf>,
    /// Whether the parent process compares tests without a baseline with a base afterwards.
    pub is_bootstrapped: bool,
    /// Whether a worker counts instructions and measures no time.
    pub worker_counts: bool,
    /// Whether a worker serves the function that its test is compared with.
    pub worker_is_rival: bool,
    /// The file for the samples of a worker that takes samples and measures nothing.
    pub worker_samples: Option<PathBuf>,
    /// Where a worker of a pair finds the programs that it starts: see [`PROGRAMS_VARIABLE`].
    pub worker_programs: Option<PathBuf>,
    /// The time until the verdict for which a worker warms up, if its parent sets it.
    pub worker_budget: Option<Duration>,
    /// Warnings about misspelt variables.
    pub warnings: Vec<String>,
    /// The counter of instructions for a candidate red and its last good build.
    pub instructions: InstructionCounter,
}

/// The place of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorePlace {
    /// The platform's state directory.
    Default,
    /// This directory.
    At(PathBuf),
    /// The platform's state directory, never written.
    ReadOnly,
    /// No history is kept.
    Off,
}

/// The builds that get a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerdictMode {
    /// Measure optimised builds, and run the others once.
    Auto,
    /// Run every body once, for this reason.
    Smoke(&'static str),
    /// Measure in every build.
    Measure,
    /// Show the settings of every test, and run none.
    ListEffective,
}

impl Config {
    /// Reads the environment.
    ///
    /// # Errors
    /// A message with the variable, its value and the allowed values.
    pub(crate) fn from_env() -> Result<Self, String> {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let names: Vec<String> = names.into_list();
        refuse_other_than_text(&names)?;
        Ok(Self {
            store: store(std::env::var_os(STORE))?,
            warnings: warnings(names.into_iter()),
            ..Self::from_lookup(&get)?
        })
    }

    pub(crate) fn from_lookup(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let ci = CiJob::from_lookup(get);
        let default_label = if ci.is_present() { "ci" } else { "local" };
        let thread_count = || get("RUST_TEST_THREADS").and_then(|count| count.parse().ok());
        let is_nextest = get("NEXTEST").is_some();
        let is_child = get(PARENT_VARIABLE).is_some_and(|token| is_from_parent(&token));
        Ok(Self {
            store: store(get(STORE).map(OsString::from))?,
            mode: choose(
                get,
                "PERFTEST_MODE",
                VerdictMode::Auto,
                &[
                    ("smoke", VerdictMode::Smoke("PERFTEST_MODE=smoke")),
                    ("measure", VerdictMode::Measure),
                    (LIST_EFFECTIVE, VerdictMode::ListEffective),
                ],
            )?,
            settings: of_variables(get)?,
            profile: get("PERFTEST_PROFILE"),
            clock: choose(
                get,
                "PERFTEST_CLOCK",
                ClockKind::Finest,
                &[("finest", ClockKind::Finest), ("monotonic", ClockKind::Monotonic)],
            )?,
            testbed: label(&get("PERFTEST_TESTBED").unwrap_or_else(|| default_label.into()))?,
            ci,
            default_branch: DefaultBranch::from_variables(get),
            session: get(SESSION_VARIABLE).or(get("NEXTEST_RUN_ID")).unwrap_or_default(),
            attempt: get("NEXTEST_ATTEMPT").and_then(|it| it.parse().ok()).unwrap_or(1),
            test_threads: if is_nextest { Some(1) } else { thread_count() },
            is_nextest,
            new_epoch: choose(get, "PERFTEST_EPOCH", false, &[("new", true)])?,
            worker: get(WORKER_VARIABLE).filter(|_| is_child),
            chosen: chosen(get(CHOSEN_VARIABLE))?,
            outcomes: get(OUTCOMES_VARIABLE).map(PathBuf::from),
            is_bootstrapped: get(BOOTSTRAP_VARIABLE).is_some(),
            warnings: Vec::new(),
            worker_counts: get(COUNTING_VARIABLE).is_some(),
            worker_is_rival: get(RIVAL_VARIABLE).is_some(),
            worker_samples: get(SAMPLES_VARIABLE).map(PathBuf::from),
            worker_programs: get(PROGRAMS_VARIABLE).map(PathBuf::from),
            worker_budget: get(BUDGET_VARIABLE)
                .and_then(|it| it.parse().ok())
                .map(Duration::from_nanos),
            instructions: choose(
                get,
                "PERFTEST_INSTRUCTIONS",
                InstructionCounter::Processor,
                &[("valgrind", InstructionCounter::Valgrind)],
            )?,
        })
    }
}

fn warnings(names: impl Iterator<Item = String>) -> Vec<String> {
    let ours = [
        PARENT_VARIABLE,
        LIST_VARIABLE,
        CHOSEN_VARIABLE,
        OUTCOMES_VARIABLE,
        BOOTSTRAP_VARIABLE,
        SESSION_VARIABLE,
        WORKER_VARIABLE,
        COUNTING_VARIABLE,
        RIVAL_VARIABLE,
        SAMPLES_VARIABLE,
        PROGRAMS_VARIABLE,
        BUDGET_VARIABLE,
    ];
    let further = FURTHER.into_iter().chain(ours).map(str::to_owned);
    let known: Vec<String> = setting_variables().chain(further).into_list();
    let misspellings = misspelt(names, &known).into_iter();
    misspellings
        .map(|(name, near)| format!("{name} is no variable of perftest and has no effect: {near}?"))
        .into_list()
}

/// Refuses values that are no text: they would count as unset.
fn refuse_other_than_text(names: &[String]) -> Result<(), String> {
    let is_no_text = |name: &&String| {
        let is_ours = name.starts_with("PERFTEST_") && *name != STORE;
        is_ours && std::env::var_os(name).is_some_and(|value| value.to_str().is_none())
    };
    match names.iter().find(is_no_text) {
        Some(name) => Err(format!("{name} is no text in UTF-8; unset it, or set it again")),
        None => Ok(()),
    }
}

fn store(value: Option<OsString>) -> Result<StorePlace, String> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(StorePlace::Default);
    };
    match value.to_str() {
        Some("off") => Ok(StorePlace::Off),
        Some("read-only") => Ok(StorePlace::ReadOnly),
        _ if Path::new(&value).is_absolute() => Ok(StorePlace::At(value.into())),
        _ => Err(format!(
            "{STORE}={} is no absolute directory, and cargo runs each package's tests in another \
             place; it takes an absolute directory, off or read-only",
            value.display()
        )),
    }
}

fn chosen(file: Option<String>) -> Result<Option<ChosenTests>, String> {
    file.map(|file| ChosenTests::read(Path::new(&file))).transpose()
}

fn choose<T: Copy>(
    get: &dyn Fn(&str) -> Option<String>,
    name: &str,
    default: T,
    choices: &[(&str, T)],
) -> Result<T, String> {
    let Some(value) = get(name) else {
        return Ok(default);
    };
    let chosen = choices.iter().find(|(choice, _)| *choice == value);
    chosen.map(|(_, choice)| *choice).ok_or_else(|| {
        let choices: Vec<&str> = choices.iter().map(|(choice, _)| *choice).into_list();
        format!("{name}={value} is not known; it takes {}", choices.iter().joined(" or "))
    })
}

/// A label becomes a directory name and a part of `label/fingerprint`.
fn label(label: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if label.starts_with('.') || !label.chars().all(is_plain) {
        return Err(format!(
            "PERFTEST_TESTBED={label} is no name for a testbed; use letters, digits, - _ ."
        ));
    }
    Ok(label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(pairs: &[(&str, &str)]) -> Result<Config, String> {
        Config::from_lookup(&|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_empty_environment_is_a_developers_machine() {
        let config = config(&[]).unwrap();
        assert_eq!((config.testbed.as_str(), config.ci.is_present()), ("local", false));
        assert_eq!(
            (config.store, config.mode, config.attempt),
            (StorePlace::Default, VerdictMode::Auto, 1)
        );
        assert_eq!(config.test_threads, None);
    }

    #[test]
    fn a_test_is_served_only_to_a_perftest_process() {
        let worker = |pairs: &[(&str, &str)]| config(pairs).unwrap().worker;
        for parent in ["", "0", "1", "x", &perftest_process::parent_token()] {
            assert_eq!(worker(&[(WORKER_VARIABLE, "encode"), (PARENT_VARIABLE, parent)]), None);
        }
        assert_eq!(worker(&[(WORKER_VARIABLE, "encode")]), None);
    }

    #[test]
    fn the_store_can_be_moved_frozen_and_switched_off() {
        let place = |value| config(&[("PERFTEST_STORE", value)]).unwrap().store;
        assert_eq!(place("off"), StorePlace::Off);
        assert_eq!(place("read-only"), StorePlace::ReadOnly);
        assert_eq!(place("/history"), StorePlace::At("/history".into()));
    }

    #[test]
    fn a_relative_store_is_refused_because_each_package_runs_elsewhere() {
        let message = config(&[("PERFTEST_STORE", "history")]).unwrap_err();
        assert!(message.contains("absolute"), "{message}");
    }

    #[test]
    fn a_misspelt_mode_is_refused_with_the_choices() {
        let message = config(&[("PERFTEST_MODE", "fast")]).unwrap_err();
        assert_eq!(
            message,
            "PERFTEST_MODE=fast is not known; it takes smoke or measure or list-effective"
        );
    }

    #[test]
    fn a_testbed_with_a_slash_is_refused() {
        assert!(config(&[("PERFTEST_TESTBED", "../x")]).is_err());
        assert_eq!(config(&[("PERFTEST_TESTBED", "ci-large")]).unwrap().testbed, "ci-large");
    }

    #[test]
    fn a_ci_job_has_a_testbed_label_of_its_own() {
        let config = config(&[("CI", "true"), ("NEXTEST", "1"), ("NEXTEST_ATTEMPT", "2")]).unwrap();
        assert_eq!((config.testbed.as_str(), config.attempt), ("ci", 2));
        assert_eq!(config.test_threads, Some(1));
    }
}
