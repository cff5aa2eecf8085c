//! For unit tests: a test with recorded runs in a store of its own.

use super::isolation::Isolation;
use super::package::Packages;
use super::session::Session;
use super::test_names::TestNames;
use crate::config::Config;
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::perf_test::tests::descriptor;
use crate::sink::Sink;
use perftest_core::model::{
    CodeState, Environment, Evidence, MachineState, Measurement, Metric, Reading, Reason, Run,
    RunId,
};
use perftest_store::conformance::{ScratchDirectory, example_run, scratch};

/// A test, with the store of its machine.
pub(super) struct RecordedTest {
    store: ScratchDirectory,
    pub test: PerfTest,
    recorded: u64,
}

impl RecordedTest {
    /// Creates a test without runs. `name` is that of its store.
    pub(super) fn new(name: &str) -> Self {
        let descriptor = Box::leak(Box::new(descriptor("perf", "encode")));
        let test = PerfTest::all_of(descriptor).remove(0);
        Self { store: scratch(name), test, recorded: 0 }
    }

    /// Starts this attempt of the session `now`.
    pub(super) fn session(&self, attempt: u32) -> Session {
        let get = |name: &str| match name {
            "PERFTEST_STORE" => self.store.to_str().map(str::to_owned),
            "NEXTEST_RUN_ID" => Some("now".to_owned()),
            "NEXTEST_ATTEMPT" => Some(attempt.to_string()),
            _ => None,
        };
        let config = Config::from_lookup(&get).unwrap();
        let packages = Packages::without_settings(std::slice::from_ref(&self.test)).unwrap();
        Session::new(config, Isolation::Alone, TestNames::PerfTests, packages)
    }

    /// Appends a changed green run of an earlier session and of other code, recorded at this clock. `part` is
    /// empty, or the part of the history that the run is of: `@3.1GHz-10.2us`.
    pub(super) fn append(&mut self, part: &str, ghz: f64, change: impl Fn(Run) -> Run) {
        self.recorded += 1;
        let session = self.session(1);
        let before = state(ghz);
        let measured = Measurement { probes: before.probes(), ..Measurement::of_value(100.0) };
        let run = Run {
            testbed: session.machine().testbed_at_speed_of(part),
            session: "earlier".into(),
            config: session.config_hash(&self.test),
            code: CodeState { executable: "0123456789abcdef".into(), ..CodeState::default() },
            counts_for_baseline: true,
            environment: Environment { before, ..Environment::default() },
            evidence: example_run(0).evidence.map(|it| Evidence { slow_processes: 0, ..it }),
            measurements: vec![measured; 5],
            ..Run::blank(
                RunId::new(self.recorded, u128::from(self.recorded)),
                self.test.benchmark(),
                Metric::wall(),
            )
        };
        session.store(&self.test).unwrap().unwrap().append(&change(run)).unwrap();
    }
}

/// A sink that drops everything.
pub(super) struct NoSink;

impl Sink for NoSink {
    fn take(&mut self, _: &Event<'_>) {}
}

/// The machine at this clock.
pub(super) fn state(ghz: f64) -> MachineState {
    MachineState {
        effective_khz: Reading::Value((ghz * 1e6) as u64),
        reference_ns: Reading::Value((36_000.0 / ghz) as u64),
        ..MachineState::default()
    }
}

/// The run with this end.
pub(super) fn ended(run: Run, reason: Reason) -> Run {
    let evidence = run.evidence.map(|it| Evidence { reason, ..it });
    Run { evidence, ..run }
}
