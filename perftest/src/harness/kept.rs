//! Keeps this executable once a run of it was good, so that it can testify against a slower one.

use super::lock;
use super::session::Session;
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_store::{Launch, MeasuringLock};
use std::time::Duration;

/// Longest wait for others that measure: what is not kept now is kept after the next good run.
const PATIENCE: Duration = Duration::from_millis(100);

/// Keeps this executable if one of its tests was good. Compressing it takes a moment, so this is
/// called when the verdicts are told, and disturbs nobody who measures. Trouble fails no test.
pub(crate) fn keep_if_good(session: &Session, test: &PerfTest, sink: &mut dyn Sink) {
    if !session.take_found_good() || !session.records() {
        return;
    }
    let hash = &session.provenance(test).code.executable;
    let Some(executables) = session.executables(test).filter(|it| !it.renew(hash)) else {
        return;
    };
    let Some(_alone) = MeasuringLock::acquire(&lock::path(), PATIENCE) else {
        return;
    };
    let Ok(executable) = std::env::current_exe() else {
        return;
    };
    if let Err(error) = executables.keep(&executable, hash, &launch(test)) {
        sink.take(&Event::Remark(&format!("This executable is not kept as a witness: {error}")));
    }
}

fn launch(test: &PerfTest) -> Launch {
    let target = test.module_path.split("::").next().unwrap_or_default();
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut variables: Vec<String> = names.filter(|it| !it.starts_with("PERFTEST_")).collect();
    variables.sort_unstable();
    Launch {
        target: format!("{}::{target}", test.package),
        directory: std::env::current_dir().unwrap_or_default(),
        arguments: std::env::args().skip(1).collect(),
        variables,
    }
}
