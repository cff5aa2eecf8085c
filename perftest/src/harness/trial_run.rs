//! One perf test from its history to its record.

use super::drivers::{Measured, SmokeDriver, TrialDriver};
use super::isolation::{Isolation, OthersWatch, QuietWatch};
use super::known::Known;
use super::lock::MeasuringLock;
use super::session::{Session, now_ms};
use super::worker_process::WorkerProcess;
use crate::Bencher;
use crate::bencher::Driver;
use crate::event::{End, Event, Judged, TestReport};
use crate::measure::{Failure, LastWords};
use crate::provenance::entropy;
use crate::registry::Descriptor;
use crate::sink::Sink;
use perftest_core::judge::{Condition, Confirmation, Inspector, Policy, Tally, Trial, Usual};
use perftest_core::model::{
    Baseline, BaselineRule, Environment, Evidence, Grade, MachineState, Measurement, Metric,
    Observation, Reason, Run, RunId, Tag, Tolerance,
};
use perftest_core::stats::FallingTrend;
use perftest_core::words::learned_input;
use perftest_store::Digest;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Before another measuring process is told of.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for another measuring process. A runner that calls a test slow after a minute
/// shall not call ours slow for waiting.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Runs one perf test and tells how it ended. Warnings go to `sink` as they arise.
pub(crate) fn run_test(session: &Session, test: &Descriptor, sink: &mut dyn Sink) -> TestReport {
    let began = Instant::now();
    let end = match session.smoke(test) {
        Some(why) => smoke(session, test, why),
        None => TrialRun { session, test, began }.run(sink).unwrap_or_else(End::Failed),
    };
    TestReport { name: test.listed_name(), place: test.place(), end, spent: began.elapsed() }
}

fn smoke(session: &Session, test: &Descriptor, why: &'static str) -> End {
    match run_body(test, &mut SmokeDriver { meter: session.meter(test) }) {
        Ok(()) => End::Smoke(why),
        Err(failure) => End::Failed(failure.to_string()),
    }
}

/// Runs the body once; a panic is a failure like any other.
fn run_body(test: &Descriptor, driver: &mut dyn Driver) -> Result<(), Failure> {
    let name = test.listed_name();
    let _armed = LastWords::new(format!(
        "\nperftest: the process ended while `{name}` ({}) was measured. Nothing of this \
         test was recorded; what was recorded before is safe. Look at it alone: \
         cargo test --release -- --exact {name}\n",
        test.place()
    ));
    let mut bencher = Bencher::new(driver);
    let unwound = catch_unwind(AssertUnwindSafe(|| (test.run)(&mut bencher)));
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
    test: &'a Descriptor,
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
        let mut fresh = Vec::new();
        let measured = self
            .measure(&known, &metric, lock.is_some(), &mut fresh)
            .map_err(|failure| failure.to_string())?;
        let usual = Usual::in_baseline(&known.baseline);
        let conditions = Inspector::new(usual).inspect_all(&measured.measurements);
        let tally = Tally::of(&measured.measurements, &conditions);
        let mut environment = self.environment(before, &known, &measured, &tally);
        if lock.is_none() {
            environment.mark(Tag::Parallel);
        }
        drop(lock);
        let Measured { warm_up, measurements, evidence, .. } = measured;
        let mut evidence = evidence.ok_or("the trial ended without a verdict")?.under(&environment);
        if evidence.note.is_empty() && !self.session.records() {
            evidence.note = "nothing is kept, as PERFTEST_STORE says".to_owned();
        }
        let teaches = self.may_teach(&known, &environment) && !tally.leaves_no_level();
        if evidence.note.is_empty() && tally.leaves_no_level() {
            evidence.note = "does not teach: nearly all of it was disturbed".to_owned();
        }
        let run = Run {
            started_ms,
            warm_up: warm_up.len() as u32,
            suspects: indices(&conditions, |it| !it.is_usable()),
            on_processor_time: indices(&conditions, |it| it == Condition::OnProcessorTime),
            measurements,
            environment: environment.clone(),
            teaches,
            baseline: baseline_hash(&known.baseline),
            evidence: Some(evidence.clone()),
            ..self.blank_run(&known.testbed, &metric)
        };
        self.record(&run, &fresh, usual, sink);
        self.tell(&environment, &tally, &usual, sink);
        self.warn_about_a_missing_baseline(&evidence, sink);
        let Run { testbed, revision, .. } = run;
        Ok(End::Judged(Box::new(Judged { evidence, metric, environment, testbed, revision })))
    }

    /// The conditions of the run, and what follows from them.
    fn environment(
        &self,
        before: MachineState,
        known: &Known,
        measured: &Measured,
        tally: &Tally,
    ) -> Environment {
        let mut environment = Environment::between(before, self.session.look());
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
        fresh: &mut Vec<Vec<Measurement>>,
    ) -> Result<Measured, Failure> {
        let policy = self.policy();
        let longest = Duration::from_nanos(policy.budget_ns);
        let mut confirm = |count, iterations| {
            let confirmation = if alone_on_machine {
                self.confirm(count, iterations, longest)
            } else {
                Confirmation::NotAlone
            };
            if let Confirmation::Measured { measurements, .. } = &confirmation {
                fresh.push(measurements.clone());
            }
            confirmation
        };
        let mut driver = TrialDriver {
            meter: self.session.meter(self.test),
            trial: Trial::new(known.baseline.clone(), metric.direction, policy),
            confirm: &mut confirm,
            measured: Measured::default(),
        };
        run_body(self.test, &mut driver)?;
        Ok(driver.measured)
    }

    fn policy(&self) -> Policy {
        let default = Policy::default();
        // The attribute has checked the tolerance when the test was compiled.
        let tolerance = self.test.tolerance.and_then(|share| Tolerance::new(share).ok());
        let budget_ns = self.test.budget.map(|budget| budget.as_nanos() as u64);
        Policy {
            tolerance: tolerance.unwrap_or(default.tolerance),
            budget_ns: budget_ns.unwrap_or(default.budget_ns),
            ..default
        }
    }

    fn confirm(&self, count: u32, iterations: u64, longest: Duration) -> Confirmation {
        let isolation = self.session.isolation;
        if !isolation.wait_for_quiet() {
            return Confirmation::NotAlone;
        }
        let watch = QuietWatch::start();
        let others = OthersWatch::start(&self.session.machine().sensors);
        let measured = WorkerProcess::start(&self.test.listed_name())
            .and_then(|worker| worker.measure(count, iterations, longest));
        match measured {
            Err(why) => Confirmation::Unavailable(why),
            Ok(_) if isolation == Isolation::Neighbours && !watch.was_quiet() => {
                Confirmation::NotAlone
            }
            Ok(measurements) => {
                Confirmation::Measured { measurements, others_cpus: others.others_cpus() }
            }
        }
    }

    fn may_teach(&self, known: &Known, environment: &Environment) -> bool {
        let code = &self.session.provenance(self.test).code;
        let config = self.session.config_hash(self.test);
        let attempt = self.session.config.attempt;
        !environment.is_untrusted()
            && BaselineRule::default().may_teach(
                &known.history,
                &config,
                known.acceptance.as_ref(),
                code,
                attempt,
            )
    }

    /// A run with everything that does not depend on the measurements.
    fn blank_run(&self, testbed: &str, metric: &Metric) -> Run {
        let session = self.session;
        let provenance = session.provenance(self.test);
        let policy = self.policy();
        let flag = match session.isolation {
            Isolation::Alone => None,
            Isolation::Neighbours => Some("libtest".to_owned()),
        };
        Run {
            id: RunId::new(now_ms(), entropy()),
            session: session.id.clone(),
            attempt: session.config.attempt,
            project: provenance.project.name.clone(),
            benchmark: self.test.benchmark(),
            metric: metric.clone(),
            testbed: testbed.to_owned(),
            context: session.context(self.test).hash,
            config: session.config_hash(self.test),
            code: provenance.code.clone(),
            started_ms: now_ms(),
            revision: provenance.revision.clone(),
            ci: session.config.ci.clone(),
            warm_up: 0,
            measurements: Vec::new(),
            suspects: Vec::new(),
            on_processor_time: Vec::new(),
            environment: Environment::default(),
            evidence: None,
            rule: policy.rule(),
            baseline: String::new(),
            teaches: false,
            spent_ns: self.began.elapsed().as_nanos() as u64,
            budget_ns: policy.budget_ns,
            flags: flag.into_iter().collect(),
        }
    }

    /// Trouble with the record is not a failed test: it is warned of.
    fn record(&self, run: &Run, fresh: &[Vec<Measurement>], usual: Usual, sink: &mut dyn Sink) {
        if !self.session.records() {
            return;
        }
        let Ok(Some(store)) = self.session.store(self.test) else {
            return;
        };
        let confirmations = fresh.iter().map(|measurements| {
            let conditions = Inspector::new(usual).inspect_all(measurements);
            Run {
                suspects: indices(&conditions, |it| !it.is_usable()),
                measurements: measurements.clone(),
                environment: run.environment.clone(),
                flags: vec!["confirm".to_owned()],
                ..self.blank_run(&run.testbed, &run.metric)
            }
        });
        let runs = confirmations.chain([run.clone()]);
        let context = self.session.context(self.test);
        let recorded = store
            .put_context(&context.hash, &context.json)
            .and_then(|()| runs.into_iter().try_for_each(|run| store.append(&run)));
        if let Err(error) = recorded {
            let name = self.test.listed_name();
            sink.take(&Event::Warning(&format!("{name} was not recorded: {error}")));
        }
    }

    /// Warns of what forbids a verdict; the rest is told at the end of the session.
    fn tell(&self, environment: &Environment, tally: &Tally, usual: &Usual, sink: &mut dyn Sink) {
        let usable_cpus = self.session.machine().identity.usable_cpus;
        let warnings = self.session.ledger().enter(environment, tally, usual, usable_cpus);
        warnings.iter().for_each(|warning| sink.take(&Event::Warning(warning)));
    }

    fn warn_about_a_missing_baseline(&self, evidence: &Evidence, sink: &mut dyn Sink) {
        if evidence.reason == Reason::NoBaseline && self.session.is_first_missing_baseline_in_ci() {
            let testbed = &self.session.machine().testbed;
            sink.take(&Event::Warning(&format!(
                "{} has no baseline on {testbed}, and perhaps others have none: nothing guards \
                 them before {} runs are recorded. Keep the store between jobs: PERFTEST_STORE=DIR",
                self.test.listed_name(),
                evidence.baseline_needed
            )));
        }
    }
}

/// Waits for the machine's measuring lock, and says so when that takes long; `None` when another
/// process still holds it in the end.
fn acquire_lock(sink: &mut dyn Sink) -> Option<MeasuringLock> {
    MeasuringLock::acquire(PATIENCE).or_else(|| {
        sink.take(&Event::Remark(
            "Another performance test is running on this machine; waiting for it.",
        ));
        MeasuringLock::acquire(LONGEST_WAIT)
    })
}

/// Indices of the measurements whose condition is such.
fn indices(conditions: &[Condition], is_such: fn(Condition) -> bool) -> Vec<u32> {
    let indexed = (0..).zip(conditions);
    indexed.filter(|(_, condition)| is_such(**condition)).map(|(index, _)| index).collect()
}

/// The fall of the undisturbed batches' times, less what the machine's own speed explains.
fn falling_trend(course: &[Measurement]) -> Option<FallingTrend> {
    let conditions = Inspector::new(Usual::default()).inspect_all(course);
    let clean = course.iter().zip(conditions).filter(|(_, condition)| condition.is_usable());
    let clean: Vec<Observation> = clean.map(|(batch, _)| Observation::from(batch)).collect();
    let usual_ns = Observation::center(&clean)?.probes.reference_ns;
    let at_usual_speed = |it: &Observation| match (it.probes.reference_ns, usual_ns) {
        (Some(reference_ns), Some(usual_ns)) => it.value * usual_ns / reference_ns,
        _ => it.value,
    };
    FallingTrend::of(&clean.iter().map(at_usual_speed).collect::<Vec<_>>())
}

/// Names the runs a verdict was compared with.
fn baseline_hash(baseline: &Baseline) -> String {
    let mut ids: Vec<&str> = baseline.ids.iter().map(RunId::as_str).collect();
    ids.sort_unstable();
    Digest::of_fields(ids).hex16()
}
