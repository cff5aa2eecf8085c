//! A perf test inside an ordinary libtest binary: private functions in `src/`, same code.

use super::isolation::Isolation;
use super::job_report::report_to_job;
use super::keep_executable::keep_if_good;
use super::package::Packages;
use super::session::Session;
use super::test_names::TestNames;
use super::{trial_run::run_test, worker};
use crate::config::Config;
use crate::event::Event;
use crate::measure::at_exit;
use crate::perf_test::PerfTest;
use crate::perf_tests::perf_tests;
use crate::sink::{self, CapturedSink, Sink as _};
use perftest_core::list::IntoList;
use perftest_core::model::Outcome;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

/// One perf test at a time; the other tests of the process run on.
static MEASURING: Mutex<()> = Mutex::new(());
static SESSION: OnceLock<Result<Session, String>> = OnceLock::new();

/// Runs the ordinary test `name` of `module_path`: one perf test, or all cases of one.
#[doc(hidden)]
pub fn run_in_libtest(module_path: &str, name: &str) -> ExitCode {
    match run(module_path, name) {
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(message) => {
            sink::complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn run(module_path: &str, name: &str) -> Result<Outcome, String> {
    let is_asked = |test: &&PerfTest| test.is_run_by(module_path, name);
    let tests: Vec<&PerfTest> = perf_tests()?.iter().filter(is_asked).into_list();
    if tests.is_empty() {
        return Err(format!(
            "the perf test `{module_path}::{name}` was not linked into this binary"
        ));
    }
    let _one_at_a_time = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let session = SESSION.get_or_init(open_session).as_ref()?;
    if let Some(worker) = &session.config.worker {
        worker::serve(tests.into_iter(), worker, session)?;
        return Ok(Outcome::Passed);
    }
    let chosen = tests.iter().filter(|test| session.is_chosen(test));
    let outcomes: Vec<Outcome> = chosen.map(|test| judge(session, test)).into_list();
    let is_failed = outcomes.contains(&Outcome::Failed);
    Ok(if is_failed { Outcome::Failed } else { Outcome::Passed })
}

fn judge(session: &Session, test: &PerfTest) -> Outcome {
    let mut sink = CapturedSink;
    let report = run_test(session, test, &mut sink);
    sink.take(&Event::TestEnded(&report));
    keep_if_good(session, test, &mut sink);
    session.remarks().iter().for_each(|remark| sink.take(&Event::Remark(remark)));
    report.outcome()
}

/// Prints the summary of the machine's conditions and of the verdicts. The harness does not signal the end of
/// its last test, but the process ends soon after.
fn end_session() {
    let Some(Ok(session)) = SESSION.get() else { return };
    sink::print_to_stderr(&sink::last_lines(&session.last_lines()));
    report_to_job(session);
    if let Some(story) = session.story() {
        CapturedSink.take(&Event::Warning(&story.describe()));
    }
}

fn open_session() -> Result<Session, String> {
    let config = Config::from_env()?;
    let tests = perf_tests()?;
    let packages = match config.worker {
        Some(_) => Packages::without_settings(tests)?,
        None => Packages::of(tests, &config)?,
    };
    let arguments: Vec<String> = std::env::args().skip(1).into_list();
    // A worker runs one test, by whichever of the names that it was given.
    let isolation = match config.worker {
        Some(_) => Isolation::Alone,
        None => {
            packages.warn_of_settings(tests, &config, &mut CapturedSink);
            at_exit(end_session);
            let processors = available_parallelism().map_or(1, NonZero::get);
            Isolation::in_libtest(config.test_threads, processors, &arguments)
        }
    };
    Ok(Session::new(config, isolation, TestNames::OrdinaryTests, packages))
}
