//! One test with its session and its settings: the rules for the verdict on each of its series.

use super::crowding::without_own_waits;
use super::isolation::Isolation;
use super::loaded_history::LoadedHistory;
use super::machine::Machine;
use super::package::Provenance;
use super::session::Session;
use crate::event::Hindrance;
use crate::perf_test::PerfTest;
use crate::provenance::entropy;
use crate::settings::Settings;
use perftest_core::judge::{Policy, Tally, Trial};
use perftest_core::list::IntoList;
use perftest_core::model::{Environment, MachineState, Obstacle, Run, SeriesKind, Tolerance};
use std::time::Instant;

/// What every step of judging and recording a test needs.
pub(super) struct TestContext<'a> {
    pub session: &'a Session,
    pub test: &'a PerfTest,
    pub settings: Settings,
    /// When the test began, behind the wait for the measuring lock.
    pub began: Instant,
}

impl TestContext<'_> {
    /// Returns the policy for one series of the test, which may have a tolerance of its own. The
    /// limit applies to the whole only.
    pub(super) fn policy(&self, series_kind: &SeriesKind, tolerance: Option<Tolerance>) -> Policy {
        let metric = series_kind.metric();
        let of_test = self.settings.policy(&metric);
        let own = tolerance.or_else(|| self.test.tolerance_of(&metric));
        let policy = Policy {
            tolerance: own.unwrap_or(of_test.tolerance),
            limit: of_test.limit.filter(|_| *series_kind == SeriesKind::Whole),
            processors: self.session.machine().allowed_cpus(),
            threads: self.session.machine().threads_on_cores_alike(self.test.threads()),
            ..of_test
        };
        let policy = match series_kind {
            SeriesKind::Process(_) => policy.once_per_process(),
            _ => policy,
        };
        policy.along(self.test.curve_of(&metric, own))
    }

    /// Returns the shortest value of a series that says anything about the code, in the metric's unit: a removed
    /// body takes as long as a round of the loop.
    pub(super) fn shortest_measurable(
        &self,
        series_kind: &SeriesKind,
        tolerance: Option<Tolerance>,
    ) -> f64 {
        let floor = self.policy(series_kind, tolerance).floor.value;
        match series_kind {
            SeriesKind::Whole => floor + self.session.stopwatch().round_ns(),
            SeriesKind::Stage(_) => floor,
            // A whole process may have used no time of a kind.
            _ => 0.0,
        }
    }

    /// Starts the decision on a series.
    pub(super) fn trial(
        &self,
        series_kind: &SeriesKind,
        known: &LoadedHistory,
        tolerance: Option<Tolerance>,
    ) -> Trial {
        let baseline = known.comparable().into_owned();
        let policy = self.policy(series_kind, tolerance);
        let direction = series_kind.metric().direction;
        let earlier = known.own.continued_runs();
        let earlier = match series_kind {
            SeriesKind::Process(_) => {
                let times = 2 * policy.round as usize;
                earlier.iter().map(|run| with_repeated_value(run, times)).into_list()
            }
            _ => earlier.to_vec(),
        };
        let trial =
            Trial::continued(baseline, direction, policy, &earlier).with_seed(entropy() as u64);
        let trial = if known.is_judged_by_pairs() { trial.by_pairs_alone() } else { trial };
        let has_neighbours = self.session.isolation == Isolation::Neighbours;
        let trial = if has_neighbours { trial.beside_neighbours() } else { trial };
        let code = self.session.code(self.test);
        let trial = trial.with_good_commit(known.newest_good_commit(code).unwrap_or_default());
        match known.commit_that_clears(code) {
            Some(commit) => trial.of_unchanged_code(commit),
            None => trial,
        }
    }

    /// Returns the conditions from the state `before` until now, with these of the measurements.
    pub(super) fn conditions(
        &self,
        before: MachineState,
        known: &LoadedHistory,
        tally: &Tally,
    ) -> Environment {
        let on_one_kind = self.session.stay_on(known.own.baseline.core_kind);
        let after = without_own_waits(self.session.look_after(&before), self.session, self.test);
        drop(on_one_kind);
        let mut environment = Environment::between(before, after);
        let Machine { identity, epoch, .. } = self.session.machine();
        environment.mark_other_power(identity.on_battery, &epoch.power);
        tally.mark(&mut environment);
        if let Some(tag) = known.other_speed {
            environment.mark(tag);
        }
        environment
    }

    /// Where the code of the test comes from.
    pub(super) fn provenance(&self) -> &Provenance {
        self.session.provenance(self.test)
    }

    /// Returns the effect of an obstacle on the test.
    pub(super) fn hindrance(&self, obstacle: Obstacle) -> Hindrance {
        self.session.hindrance(obstacle, &self.settings)
    }
}

/// Repeats a value that is counted once, as this attempt repeats those of its fresh processes: one alone has no bounds.
fn with_repeated_value(run: &Run, times: usize) -> Run {
    let measurements = run.measurements.iter().copied().cycle().take(times).into_list();
    Run { measurements, ..run.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::recorded_test::{NoSink, RecordedTest};
    use crate::harness::series_history::SeriesHistory;
    use perftest_core::judge::{Confirmation, Pairing, Step, StepAnswer};
    use perftest_core::model::{Evidence, Measurement, Metric, Reason};
    use std::time::Duration;

    /// Answers every step with this count, without a last good build.
    fn play(mut trial: Trial, count: f64) -> Evidence {
        let counted = Measurement::of_value(count);
        loop {
            let answer = match trial.step() {
                Step::Measure => StepAnswer::Measured(counted),
                Step::Wait(_) => StepAnswer::Waited,
                Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
                Step::Confirm { measurements, .. } => {
                    StepAnswer::Confirmed(Confirmation::Measured {
                        measurements: vec![counted; measurements as usize],
                        others_cpus: None,
                        elapsed: Duration::ZERO,
                    })
                }
                Step::Done(evidence) => return *evidence,
            };
            trial.observe(answer, Duration::ZERO);
        }
    }

    #[test]
    fn a_retry_of_a_red_count_counts_the_slow_processes_of_the_attempt_before_it() {
        let mut recorded = RecordedTest::new("retry-of-count");
        let of_count = |run: Run, count| Run {
            metric: Metric::allocations(),
            measurements: vec![Measurement::of_value(count)],
            ..run
        };
        (0..6).for_each(|_| recorded.append("", 4.0, |run| of_count(run, 7.0)));
        let code = recorded.session(1).code(&recorded.test).clone();
        let attempt = |run, reason: Option<Reason>| {
            let run = of_count(run, 9.0);
            let evidence = run.evidence.clone().zip(reason);
            let evidence =
                evidence.map(|(it, reason)| Evidence { reason, paired_result: None, ..it });
            let (session, code) = ("now".to_owned(), code.clone());
            Run { session, code, evidence, counts_for_baseline: false, ..run }
        };
        (0..3).for_each(|_| recorded.append("", 4.0, |run| attempt(run, None)));
        recorded.append("", 4.0, |run| attempt(run, Some(Reason::Red)));
        let (session, test) = (recorded.session(2), &recorded.test);
        let (settings, began) = (session.settings(test), Instant::now());
        let context = TestContext { session: &session, test, settings, began };
        let whole = SeriesHistory::load(&session, test, &mut NoSink).unwrap();
        let whole = LoadedHistory::alone(whole);
        let kind = SeriesKind::Process(Metric::allocations());
        let known =
            LoadedHistory::beside(&whole, &session, test, &kind, None, &mut NoSink).unwrap();
        let evidence = play(context.trial(&kind, &known, None), 9.0);
        assert_eq!((evidence.reason, evidence.slow_processes), (Reason::Red, evidence.processes));
        assert!(evidence.processes > 4, "{}", evidence.processes);
    }
}
