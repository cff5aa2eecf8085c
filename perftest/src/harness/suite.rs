//! A test binary of our own: parse, list or run, and the exit code.

use super::arguments::{Arguments, HELP, HarnessCommand, IgnoredTests, ResultFormat};
use super::isolation::Isolation;
use super::job_report::report_to_job;
use super::keep_executable::keep_if_good;
use super::package::Packages;
use super::session::{RunMode, Session};
use super::target::Target;
use super::test_names::TestNames;
use super::{list::list, trial_run::run_test, worker};
use crate::config::{Config, ListQuestion, VerdictMode};
use crate::event::{Event, FinalSummary, TestEnd, TestReport};
use crate::measure::{StandardOutput, keep_failure};
use crate::perf_test::PerfTest;
use crate::perf_tests::perf_tests;
use crate::sink::{self, Sink};
use perftest_core::list::IntoList;
use perftest_core::model::Outcome;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Exit code of libtest for a wrong command line.
const MISUSE: u8 = 101;

const NOT_BENCH: &str = "without --bench; use cargo bench";

/// The `main` of [`perftest::main!`](crate::main!).
#[doc(hidden)]
pub fn main(file: &str) -> ExitCode {
    exit_code(Target::of_main(file))
}

/// The `main` of [`perftest::bench_main!`](crate::bench_main!).
#[doc(hidden)]
pub fn bench_main() -> ExitCode {
    exit_code(Ok(Target::Bench))
}

fn exit_code(target: Result<Target, String>) -> ExitCode {
    if ListQuestion::of_parent().is_some() {
        // The process answers at its exit.
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::parse(&mut std::env::args().skip(1));
    match target.and_then(|target| run(target, &arguments?)) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            sink::complain(&message);
            ExitCode::from(MISUSE)
        }
    }
}

fn run(target: Target, arguments: &Arguments) -> Result<u8, String> {
    if arguments.command == HarnessCommand::Help {
        sink::print_line(HELP);
        return Ok(0);
    }
    if cfg!(miri) {
        if arguments.command == HarnessCommand::Run {
            sink::complain("performance tests do not run under Miri");
        }
        return Ok(0);
    }
    let tests = perf_tests()?;
    if arguments.command == HarnessCommand::List {
        let lines = list(target, tests, arguments);
        sink::print_line(&lines.iter().map(|line| format!("{line}\n")).joined(""));
        return Ok(0);
    }
    let mut config = Config::from_env()?;
    if let Some(name) = config.worker.clone() {
        let packages = Packages::without_settings(tests)?;
        let session = Session::new(config, Isolation::Alone, TestNames::PerfTests, packages);
        worker::serve(tests.iter(), &name, &session)?;
        return Ok(0);
    }
    refuse_emptiness(tests, arguments)?;
    if target == Target::Bench && !arguments.bench && config.mode == VerdictMode::Auto {
        config.mode = VerdictMode::Smoke(NOT_BENCH);
    }
    let packages = Packages::of(tests, &config)?;
    let mut sink = sink::of_arguments(arguments)?;
    packages.warn_of_settings(tests, &config, sink.as_mut());
    let session = Session::new(config, Isolation::Alone, TestNames::PerfTests, packages);
    Ok(run_all(&session, tests, arguments, sink.as_mut()).exit_code())
}

/// Refuses a perf binary without a single test: that is a mistake of linking, not a success.
fn refuse_emptiness(tests: &[PerfTest], arguments: &Arguments) -> Result<(), String> {
    if !tests.is_empty() || !arguments.filters.is_empty() {
        return Ok(());
    }
    Err("this test binary has no perf test. Write #[perf_test] above a function in it, or in a \
         module it declares. The perf tests inside a library run with the library's own tests: \
         cargo test --release --lib. If all its tests are behind a #[cfg(..)], write that above \
         the perftest:: line, and #[cfg(not(..))] above fn main() {}"
        .to_owned())
}

fn run_all(
    session: &Session,
    tests: &[PerfTest],
    arguments: &Arguments,
    sink: &mut dyn Sink,
) -> FinalSummary {
    let began = Instant::now();
    let mut selected: Vec<&PerfTest> =
        tests.iter().filter(|test| takes_part(session, test, arguments)).into_list();
    if let Some(seed) = arguments.shuffle {
        shuffle(&mut selected, seed);
    }
    let machine = machine_line(session, &selected);
    sink.take(&Event::SuiteStarted {
        tests: selected.len(),
        shuffle: arguments.shuffle,
        machine: machine.as_deref(),
    });
    let mut summary =
        FinalSummary { filtered_out: tests.len() - selected.len(), ..FinalSummary::default() };
    for test in selected {
        sink.take(&Event::TestStarted { name: &test.listed_name() });
        let report = run_one(session, test, arguments, sink);
        sink.take(&Event::TestEnded(&report));
        if report.outcome() == Outcome::Failed {
            keep_failure(sink::failure(&report));
        }
        summary.add(report);
        if arguments.fail_fast && !summary.failed.is_empty() {
            break;
        }
    }
    session.remarks().iter().for_each(|remark| sink.take(&Event::Remark(remark)));
    summary.spent = began.elapsed();
    summary.story = session.story();
    summary.last_lines = session.last_lines();
    sink.take(&Event::SuiteEnded(&summary));
    if let Some(story) = &summary.story {
        sink.take(&Event::Warning(&story.describe()));
    }
    report_to_job(session);
    if let Some(test) = tests.first() {
        keep_if_good(session, test, sink);
    }
    summary
}

fn takes_part(session: &Session, test: &PerfTest, arguments: &Arguments) -> bool {
    arguments.lists(test) && session.is_chosen(test)
}

fn run_one(
    session: &Session,
    test: &PerfTest,
    arguments: &Arguments,
    sink: &mut dyn Sink,
) -> TestReport {
    match test.ignore {
        Some(why) if arguments.ignored == IgnoredTests::Skip => TestReport {
            name: test.listed_name(),
            benchmark: test.benchmark(),
            again: String::new(),
            place: test.place.to_string(),
            end: TestEnd::Ignored(Some(why).filter(|why| !why.is_empty())),
            spent: Duration::ZERO,
        },
        _ => {
            // Half a line of a body would make one with the event behind it.
            let has_events = arguments.format == ResultFormat::Json;
            let _restored = has_events.then(StandardOutput::divert);
            run_test(session, test, sink)
        }
    }
}

/// The line about the machine; `None` if nothing will be measured.
fn machine_line(session: &Session, selected: &[&PerfTest]) -> Option<String> {
    let test = selected.iter().find(|test| session.run_mode(test) == RunMode::Measure)?;
    // This comes first, so that git works during the rest.
    session.provenance(test);
    let machine = session.machine();
    let timer = session.stopwatch().describe();
    let cpus = machine.identity.usable_cpus;
    let ghz = session.effective_ghz();
    let clock = ghz.map_or_else(String::new, |ghz| format!(", effective {ghz:.1} GHz"));
    Some(format!("{} ({cpus} CPUs{clock}; timer: {timer})", machine.testbed))
}

/// Shuffles by Fisher and Yates with a xorshift generator. The order must only differ and be
/// repeatable.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed | 1;
    for last in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(last, (state % (last as u64 + 1)) as usize);
    }
}
