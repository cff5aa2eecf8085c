//! A perf test inside an ordinary libtest binary: private functions in `src/`, same code.

use super::isolation::Isolation;
use super::kept::keep_if_good;
use super::session::Session;
use super::{trial_run::run_test, worker};
use crate::config::Config;
use crate::event::Event;
use crate::registry::{Descriptor, perf_tests};
use crate::sink::{self, Captured, Sink as _};
use once_cell::sync::OnceCell;
use perftest_core::model::Outcome;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// One perf test at a time; the other tests of the process run on.
static MEASURING: Mutex<()> = Mutex::new(());
static SESSION: OnceCell<Session> = OnceCell::new();

/// Runs the perf test `name` of `module_path` as the body of an ordinary `#[test]`.
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
    let tests = perf_tests()?;
    let is_asked = |test: &&&Descriptor| test.module_path == module_path && test.name == name;
    let test = tests.iter().find(is_asked).ok_or_else(|| {
        format!("the perf test `{module_path}::{name}` was not linked into this binary")
    })?;
    let _one_at_a_time = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let session = SESSION.get_or_try_init(open_session)?;
    if session.config.worker.is_some() {
        worker::serve(test, session);
        return Ok(Outcome::Passed);
    }
    let mut sink = Captured;
    let report = run_test(session, test, &mut sink);
    sink.take(&Event::TestEnded(&report));
    keep_if_good(session, test, &mut sink);
    session.remarks().iter().for_each(|remark| sink.take(&Event::Remark(remark)));
    Ok(report.outcome())
}

fn open_session() -> Result<Session, String> {
    let config = Config::from_env()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let isolation = Isolation::in_libtest(config.one_test_a_process, &arguments);
    Ok(Session::new(config, isolation))
}
