//! One perf test from its history to its record.

use super::drivers::{Measured, SmokeDriver, TrialDriver};
use super::isolation::{Isolation, OthersWatch, QuietWatch};
use super::lock::{LONGEST_WAIT, MeasuringLock};
use super::session::{Session, now_ms};
use super::worker_process::WorkerProcess;
use crate::Bencher;
use crate::bencher::Driver;
use crate::event::{End, Event, Judged, TestReport};
use crate::measure::{Failure, LastWords};
use crate::provenance::entropy;
use crate::registry::Descriptor;
use crate::sink::Sink;
use perftest_core::judge::{Confirmation, Policy, Trial, is_interrupted};
use perftest_core::model::{
    Acceptance, Baseline, BaselineRule, Environment, Evidence, History, Measurement, Metric,
    Reason, Run, RunId, Tag, Tolerance,
};
use perftest_core::words::throttling_warning;
use perftest_store::{Digest, Query, Which};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Newest teaching runs to load: the window of 30, and room for levels that were not accepted.
const LOADED_RUNS: usize = 100;

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
    match run_body(test, &mut SmokeDriver { meter: session.meter() }) {
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

/// What the store said about a test.
struct Known {
    history: History,
    acceptance: Option<Acceptance>,
    baseline: Baseline,
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
        let known = self.load(&metric, sink)?;
        let lock = MeasuringLock::acquire(LONGEST_WAIT);
        let started_ms = now_ms();
        let sensors = &self.session.machine().sensors;
        let before = sensors.look();
        let mut fresh = Vec::new();
        let measured = self
            .measure(&known, &metric, lock.is_some(), &mut fresh)
            .map_err(|failure| failure.to_string())?;
        let mut environment = Environment::between(before, sensors.look());
        if lock.is_none() || self.session.isolation == Isolation::Neighbours {
            environment.tags.push(Tag::Parallel);
        }
        drop(lock);
        let suspects = suspects_among(&measured.measurements);
        if 2 * suspects.len() > measured.measurements.len() {
            environment.tags.push(Tag::Busy);
        }
        let Measured { warm_up, measurements, evidence } = measured;
        let mut evidence = evidence.ok_or("the trial ended without a verdict")?.under(&environment);
        if evidence.note.is_empty() && !self.session.records() {
            evidence.note = "nothing is kept, as PERFTEST_STORE says".to_owned();
        }
        let run = Run {
            started_ms,
            warm_up,
            suspects,
            measurements,
            environment: environment.clone(),
            teaches: self.may_teach(&known, &environment),
            baseline: baseline_hash(&known.baseline),
            evidence: Some(evidence.clone()),
            ..self.blank_run(&metric)
        };
        self.record(&run, &fresh, sink);
        self.warn_about_throttling(&environment, sink);
        self.warn_about_a_missing_baseline(&evidence, sink);
        let Run { testbed, revision, .. } = run;
        Ok(End::Judged(Box::new(Judged { evidence, metric, environment, testbed, revision })))
    }

    fn load(&self, metric: &Metric, sink: &mut dyn Sink) -> Result<Known, String> {
        let rule = BaselineRule::default();
        let none = Known {
            history: History::default(),
            acceptance: None,
            baseline: Baseline::empty(&rule),
        };
        let Some(store) = self.session.store(self.test)? else {
            return Ok(none);
        };
        let benchmark = self.test.benchmark();
        let testbed = &self.session.machine().testbed;
        let config = self.session.config_hash(self.test);
        let query = Query {
            benchmark: benchmark.clone(),
            testbed: testbed.clone(),
            metric: metric.name.clone(),
            config: Some(config.clone()),
            which: Which::Teaching,
            limit: LOADED_RUNS,
        };
        let history = store.load(&query).map_err(|error| error.to_string())?;
        let acceptances = store.acceptances().map_err(|error| error.to_string())?;
        for damage in history.damaged.iter().chain(&acceptances.damaged) {
            sink.take(&Event::Warning(&format!("store: {damage}")));
        }
        let now_ms = now_ms();
        let covers = |entry: &Acceptance| entry.covers(&benchmark, testbed, now_ms);
        let acceptance = acceptances.value.into_iter().rev().find(covers);
        let baseline = rule.select(&history.value, &config, acceptance.as_ref());
        Ok(Known { history: history.value, acceptance, baseline })
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
            meter: self.session.meter(),
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
    fn blank_run(&self, metric: &Metric) -> Run {
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
            testbed: session.machine().testbed.clone(),
            context: session.context(self.test).hash,
            config: session.config_hash(self.test),
            code: provenance.code.clone(),
            started_ms: now_ms(),
            revision: provenance.revision.clone(),
            ci: session.config.ci.clone(),
            warm_up: 0,
            measurements: Vec::new(),
            suspects: Vec::new(),
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
    fn record(&self, run: &Run, fresh: &[Vec<Measurement>], sink: &mut dyn Sink) {
        if !self.session.records() {
            return;
        }
        let Ok(Some(store)) = self.session.store(self.test) else {
            return;
        };
        let confirmations = fresh.iter().map(|measurements| Run {
            suspects: suspects_among(measurements),
            measurements: measurements.clone(),
            environment: run.environment.clone(),
            flags: vec!["confirm".to_owned()],
            ..self.blank_run(&run.metric)
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

    /// Once a session: every further test on a hot machine would only repeat it.
    fn warn_about_throttling(&self, environment: &Environment, sink: &mut dyn Sink) {
        let warning = throttling_warning(environment, &self.test.listed_name());
        if let Some(warning) = warning.filter(|_| self.session.is_first_throttling()) {
            sink.take(&Event::Warning(&warning));
        }
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

fn suspects_among(measurements: &[Measurement]) -> Vec<u32> {
    let indexed = (0..).zip(measurements);
    indexed.filter(|(_, it)| is_interrupted(it)).map(|(index, _)| index).collect()
}

/// Names the runs a verdict was compared with.
fn baseline_hash(baseline: &Baseline) -> String {
    let mut ids: Vec<&str> = baseline.ids.iter().map(RunId::as_str).collect();
    ids.sort_unstable();
    Digest::of_fields(ids).hex16()
}
