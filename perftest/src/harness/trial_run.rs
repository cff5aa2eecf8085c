//! One perf test from its history to its record.

use super::confirming::Confirming;
use super::crowding::crowding;
use super::drift;
use super::drivers::{Measured, SmokeDriver, TrialDriver};
use super::isolation::Isolation;
use super::known::Known;
use super::lock;
use super::record::{Recorder, baseline_hash, indices};
use super::session::{Manner, Session, now_ms};
use super::told::tell_outcome;
use super::versus::{VersusRun, of_rival};
use crate::Bencher;
use crate::bencher::Driver;
use crate::event::{End, Event, Judged, TestReport};
use crate::measure::{Failure, LastWords};
use crate::perf_test::PerfTest;
use crate::settings::Settings;
use crate::sink::Sink;
use perftest_core::judge::{
    Condition, Confirmation, Curve, Inspector, Policy, Steps, Tally, Trial, Usual, falling_trend,
};
use perftest_core::model::{
    Environment, Evidence, Grade, Instructions, MachineState, Metric, Outcome, Reason, Revision,
    Run, Tag,
};
use perftest_core::words::{learned_input, quoted};
use perftest_store::MeasuringLock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Before another measuring process is told of.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for another measuring process. A runner that calls a test slow after a minute
/// shall not call ours slow for waiting.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Runs one perf test and tells how it ended. Warnings go to `sink` as they arise.
pub(crate) fn run_test(session: &Session, test: &PerfTest, sink: &mut dyn Sink) -> TestReport {
    let began = Instant::now();
    let settings = session.settings(test);
    let end = match (session.manner(test), test.rival().zip(test.rival_name())) {
        (Manner::Smoke(why), _) => smoke(session, test, why),
        (Manner::Refuse(why), _) => End::Failed(format!("on_debug = \"fail\": {why}")),
        (Manner::Measure, Some((rival, rival_name))) => {
            let run = VersusRun { session, test, rival: &rival, rival_name, settings };
            run.run(sink).unwrap_or_else(End::Failed)
        }
        (Manner::Measure, None) => {
            TrialRun { session, test, settings, began }.run(sink).unwrap_or_else(End::Failed)
        }
    };
    let report = TestReport {
        name: test.listed_name(),
        function: test.name,
        place: test.place(),
        end,
        spent: began.elapsed(),
    };
    if let Some(file) = &session.config.outcomes {
        tell_outcome(test, &report, file, sink);
    }
    report
}

fn smoke(session: &Session, test: &PerfTest, why: &'static str) -> End {
    let run = |test: &PerfTest| run_body(test, &mut SmokeDriver { meter: session.meter(test) });
    let rival = test.rival().zip(test.rival_name());
    let run_rival = |(rival, name)| run(&rival).map_err(|failure| of_rival(name, &failure));
    match run(test).and_then(|()| rival.map_or(Ok(()), run_rival)) {
        Ok(()) => End::Smoke(why),
        Err(failure) => End::Failed(failure.to_string()),
    }
}

/// Runs the body once; a panic is a failure like any other.
pub(super) fn run_body(test: &PerfTest, driver: &mut dyn Driver) -> Result<(), Failure> {
    let name = test.listed_name();
    let _armed = LastWords::new(format!(
        "\nperftest: the process ended while `{name}` ({}) was measured. Nothing of this \
         test was recorded; what was recorded before is safe. Look at it alone: \
         cargo test --release -- --exact {}\n",
        test.place(),
        quoted(&test.ordinary_name())
    ));
    let mut bencher = Bencher::new(driver);
    let unwound = catch_unwind(AssertUnwindSafe(|| test.run(&mut bencher)));
    match unwound {
        Ok(result) => result.and_then(|()| bencher.finish()),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(Failure::Panicked(text.unwrap_or_else(|| "without a message".to_owned())))
        }
    }
}

struct TrialRun<'a> {
    session: &'a Session,
    test: &'a PerfTest,
    settings: Settings,
    began: Instant,
}

impl TrialRun<'_> {
    /// # Errors
    /// A message when the history cannot be read or the body fails.
    fn run(&self, sink: &mut dyn Sink) -> Result<End, String> {
        let metric = Metric::wall();
        let lock = acquire_lock(sink);
        let started_ms = now_ms();
        let mut before = self.session.look();
        let known = Known::load(self.session, self.test, &metric, &mut before, sink)?;
        let longest = Duration::from_nanos(self.policy().budget_ns);
        let mut confirming = Confirming::new(self.session, self.test, &known, longest);
        let measured = self
            .measure(&known, &metric, lock.is_some(), &mut confirming)
            .map_err(|failure| failure.to_string())?;
        // At another speed the history says nothing of what is usual now.
        let usual = Usual::in_baseline(&known.comparable());
        let conditions = Inspector::new(usual).inspect_all(&measured.measurements);
        let tally = Tally::of(&measured.measurements, &conditions);
        let mut environment = self.environment(before, &known, &measured, &tally);
        if lock.is_none() {
            environment.mark(Tag::Parallel);
        }
        let instructions = instructions(&measured, &confirming);
        drop(lock);
        let Measured { warm_up, measurements, evidence, .. } = measured;
        let evidence = evidence.ok_or("the trial ended without a verdict")?;
        // The state of the machine now does not take back what an earlier attempt has proven.
        let stands = known.continues() && evidence.reason == Reason::Red;
        let evidence = if stands { evidence } else { evidence.under(&environment) };
        let mut evidence = if self.test.ratchet { evidence.ratcheted() } else { evidence };
        let recorder = self.recorder();
        let own_code = recorder.own_code(&known);
        evidence.same_own_code = evidence.reason == Reason::Red
            && !own_code.is_empty()
            && known.newest_run().is_some_and(|run| run.own_code == own_code);
        if let Some(witness) = &mut evidence.witness {
            witness.commit = confirming.commit();
            witness.instructions = instructions.as_ref().ok().copied().flatten();
        }
        let silence = confirming.silence().or(instructions.err());
        evidence.note = self.note(&evidence, &known, &metric, &tally, silence);
        let mut run = Run {
            started_ms,
            own_code,
            flags: recorder.flags(&known),
            warm_up: warm_up.len() as u32,
            suspects: indices(&conditions, |it| !it.is_usable()),
            on_processor_time: indices(&conditions, |it| it == Condition::OnProcessorTime),
            measurements,
            environment: environment.clone(),
            baseline: baseline_hash(&known.baseline),
            evidence: Some(evidence.clone()),
            ..recorder.blank_run(&known.testbed, &metric)
        };
        run.teaches = recorder.may_teach(&known, &tally, &run);
        recorder.keep(&run, &confirming.fresh, usual, sink);
        if run.teaches && evidence.reason.is_good() {
            self.session.found_good();
        }
        let recorded = Usual::in_baseline(&known.baseline);
        self.tell(&environment, &tally, &recorded, sink);
        self.warn_about_a_missing_base(&run.revision, sink);
        self.warn_about_a_missing_baseline(&evidence, sink);
        let Run { testbed, revision, teaches, .. } = run;
        let outcome = self.settings.outcome(evidence.reason);
        let work = self.test.work;
        Ok(End::Judged(Box::new(Judged {
            outcome,
            evidence,
            metric,
            work,
            environment,
            testbed,
            revision,
            teaches,
        })))
    }

    fn recorder(&self) -> Recorder<'_> {
        Recorder {
            session: self.session,
            test: self.test,
            policy: self.policy(),
            report_only: self.settings.report_only.value,
            began: self.began,
        }
    }

    /// What limited the verdict, else what limits the use of the run; and whether the test has
    /// drifted, or its witness was silent.
    fn note(
        &self,
        evidence: &Evidence,
        known: &Known,
        metric: &Metric,
        tally: &Tally,
        silence: Option<String>,
    ) -> String {
        let limit = match evidence.note.as_str() {
            "" => self.limit(evidence, tally),
            limit => limit,
        };
        let store = self.session.store(self.test).ok().flatten();
        let drifted = store
            .filter(|_| evidence.degradation.is_some())
            .and_then(|store| drift::remark(store, known, metric.direction, &self.policy()));
        let limit = Some(limit.to_owned()).filter(|limit| !limit.is_empty());
        let fails = self.settings.outcome(evidence.reason) == Outcome::Failed;
        let strict = (fails && evidence.reason == Reason::Unclear)
            .then(|| "fails because on_unclear is \"fail\"".to_owned());
        let notes = [limit, crowding(self.session, self.test), silence, drifted, strict];
        notes.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// What limits the use of the run.
    fn limit(&self, evidence: &Evidence, tally: &Tally) -> &'static str {
        let smallest_ns = self.policy().floor.value;
        if evidence.now.is_some_and(|now| now.estimate < smallest_ns) {
            return "faster than the clock can tell: if the compiler removed the work, hide its \
                    input and output in black_box";
        }
        match (self.session.records(), tally.leaves_no_level()) {
            (false, _) => "nothing is kept, as PERFTEST_STORE says",
            (true, true) => "does not teach: nearly all of it was disturbed",
            (true, false) => "",
        }
    }

    /// The conditions of the run, and what follows from them.
    fn environment(
        &self,
        before: MachineState,
        known: &Known,
        measured: &Measured,
        tally: &Tally,
    ) -> Environment {
        let after = self.session.look_after(&before);
        let mut environment = Environment::between(before, after);
        tally.mark(&mut environment);
        if let Some(tag) = known.other_speed {
            environment.mark(tag);
        }
        if self.session.isolation == Isolation::Neighbours {
            environment.mark(Tag::Parallel);
        }
        // On a busy machine times fall and rise for other reasons.
        let is_quiet = environment.grade() < Grade::Suspect;
        let trend = falling_trend(&measured.course()).filter(|_| is_quiet);
        if let Some(trend) = trend {
            environment.mark(Tag::LearnedInput);
            let name = self.test.listed_name();
            let sentence = learned_input(trend.early, trend.late);
            self.session.ledger().tell(format!("{name}: {sentence}"));
        }
        environment
    }

    fn measure(
        &self,
        known: &Known,
        metric: &Metric,
        alone_on_machine: bool,
        confirming: &mut Confirming<'_>,
    ) -> Result<Measured, Failure> {
        let mut confirm = |count, iterations, longest_batch| match alone_on_machine {
            true => confirming.ask(count, iterations, longest_batch),
            false => Confirmation::NotAlone,
        };
        let baseline = known.comparable();
        let policy = self.policy();
        let trial = Trial::continued(baseline, metric.direction, policy, &known.earlier);
        let code = &self.session.provenance(self.test).code;
        let trial = match known.history.member_of_same_code(&known.baseline, code) {
            Some(run) => trial.of_unchanged_code(&run.revision.commit),
            None => trial,
        };
        let mut driver = TrialDriver {
            meter: self.session.meter(self.test),
            trial,
            confirm: &mut confirm,
            measured: Measured::default(),
        };
        run_body(self.test, &mut driver)?;
        Ok(driver.measured)
    }

    fn policy(&self) -> Policy {
        let policy = self.settings.policy();
        // The attribute has checked the curve when the test was compiled.
        let steps = self.test.curve.and_then(|points| Steps::new(points.to_vec()).ok());
        match steps {
            Some(steps) => policy.along(Curve::Steps(steps)),
            None => policy,
        }
    }

    /// Warns of what forbids a verdict; the rest is told at the end of the session.
    fn tell(&self, environment: &Environment, tally: &Tally, usual: &Usual, sink: &mut dyn Sink) {
        let cpus = self.session.machine().cpus();
        let warnings = self.session.ledger().enter(environment, tally, usual, cpus);
        warnings.iter().for_each(|warning| sink.take(&Event::Warning(warning)));
    }

    fn warn_about_a_missing_base(&self, revision: &Revision, sink: &mut dyn Sink) {
        if self.session.is_first_missing_base(self.test) {
            let branch = match revision.branch.as_str() {
                "" => "this commit".to_owned(),
                branch => format!("`{branch}`"),
            };
            sink.take(&Event::Warning(&format!(
                "this clone does not tell where {branch} left the default branch, so its tests \
                 have no merged runs to be compared with. Fetch all of the history: \
                 `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab"
            )));
        }
    }

    fn warn_about_a_missing_baseline(&self, evidence: &Evidence, sink: &mut dyn Sink) {
        if evidence.reason == Reason::NoBaseline && self.session.is_first_missing_baseline_in_ci() {
            let testbed = &self.session.machine().testbed;
            sink.take(&Event::Warning(&format!(
                "{} has no baseline on {testbed}, and perhaps others have none: nothing guards \
                 them before {} runs are recorded. Keep the store between jobs (PERFTEST_STORE=DIR), \
                 or compare side by side: cargo perftest run --bootstrap=ab --base REVISION",
                self.test.listed_name(),
                evidence.baseline_needed
            )));
        }
    }
}

/// Instructions of both executables, where the last good one has testified.
fn instructions(
    measured: &Measured,
    confirming: &Confirming<'_>,
) -> Result<Option<Instructions>, String> {
    let has_testified = measured.evidence.as_ref().is_some_and(|it| it.witness.is_some());
    match measured.measurements.first().filter(|_| has_testified) {
        Some(measurement) => confirming.instructions(measurement.iterations),
        None => Ok(None),
    }
}

/// Waits for the machine's measuring lock, and says so when that takes long; `None` when another
/// process still holds it in the end.
pub(super) fn acquire_lock(sink: &mut dyn Sink) -> Option<MeasuringLock> {
    let path = lock::path();
    MeasuringLock::acquire(&path, PATIENCE).or_else(|| {
        sink.take(&Event::Remark(
            "Another performance test is running on this machine; waiting for it.",
        ));
        MeasuringLock::acquire(&path, LONGEST_WAIT)
    })
}
