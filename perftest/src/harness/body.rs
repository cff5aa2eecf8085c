//! The body of a test, run once: the body may panic, hang, or end the process.

use super::rerun::rerun_command;
use super::session::Session;
use crate::Bencher;
use crate::bencher::Driver;
use crate::measure::{ExitMessage, Failure, StandardOutput, Watchdog, catch_in_own_process};
use crate::own_metric::OwnMetric;
use crate::perf_test::PerfTest;
use std::any::Any;
use std::time::Duration;

/// Runs the body once and returns the test's own metrics. A panic is a failure like any other.
/// A body that ends no batch within `timeout` ends the process.
pub(super) fn run_body(
    session: &Session,
    test: &PerfTest,
    timeout: Duration,
    driver: &mut dyn Driver,
) -> Result<Vec<OwnMetric>, Failure> {
    let name = test.listed_name();
    let alone = rerun_command(session, test);
    let others = other_tests(session);
    let _armed = ExitMessage::new(format!(
        "\nperftest: the process ended while `{name}` ({}) was measured. Nothing of this \
         test was recorded; what was recorded before is safe. {others}Run it alone: {alone}\n",
        test.place
    ));
    let _watched = Watchdog::watch(timeout, hung(test, &alone, timeout, others));
    let _restored = StandardOutput::keep();
    let mut bencher = Bencher::new(driver);
    match catch_in_own_process(|| test.run(&mut bencher)) {
        Ok(result) => result.and_then(|()| bencher.finish()),
        Err(payload) => Err(panicked(payload.as_ref())),
    }
}

/// Returns the sentence on the other tests of a process that a body ended: empty where each test has its own process.
fn other_tests(session: &Session) -> &'static str {
    if session.config.is_nextest || session.config.worker.is_some() {
        return "";
    }
    "The tests behind it in this test binary did not run; under cargo nextest run each test has its own process. "
}

/// Formats the message about a body that hangs; the command `alone` runs its test alone.
fn hung(test: &PerfTest, alone: &str, timeout: Duration, others: &str) -> String {
    let (name, place) = (test.listed_name(), test.place);
    let seconds = timeout.as_secs_f64();
    let or_optimise = if test.build.optimised {
        ""
    } else {
        ", or use cargo test --release: this build is unoptimised"
    };
    format!(
        "\nperftest: `{name}` ({place}) hangs: no batch of its body ended within {seconds} s, so the \
         process was ended. Nothing of this test was recorded; what was recorded before is safe. {others}If \
         a batch takes so long, set `timeout` (PERFTEST_TIMEOUT=10m){or_optimise}. Run it alone: {alone}\n"
    )
}

/// Converts the payload of a panic to a failure with its message.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    Failure::Panicked(text.unwrap_or_else(|| "without a message".to_owned()))
}
