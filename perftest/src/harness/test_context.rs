//! One test with its session and its settings: the rules for the verdict on each of its series.

use super::isolation::Isolation;
use super::loaded_history::LoadedHistory;
use super::package::Provenance;
use super::session::Session;
use crate::event::Hindrance;
use crate::perf_test::PerfTest;
use crate::provenance::entropy;
use crate::settings::Settings;
use perftest_core::judge::{Curve, Policy, Trial};
use perftest_core::model::{Obstacle, SeriesKind, Tolerance};
use std::time::Instant;

/// What every step of judging and recording a test needs.
pub(super) struct TestContext<'a> {
    pub session: &'a Session,
    pub test: &'a PerfTest,
    pub settings: Settings,
    /// When the test began.
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
            ..of_test
        };
        let policy = match series_kind {
            SeriesKind::Process(_) => policy.once_per_process(),
            _ => policy,
        };
        match self.test.steps_of(&metric, own) {
            Some(steps) => policy.along(Curve::Steps(steps)),
            None => policy,
        }
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
        let baseline = known.comparable();
        let policy = self.policy(series_kind, tolerance);
        let direction = series_kind.metric().direction;
        let trial = Trial::continued(baseline, direction, policy, &known.earlier)
            .with_seed(entropy() as u64);
        let trial = if known.is_judged_by_pairs() { trial.by_pairs_alone() } else { trial };
        let has_neighbours = self.session.isolation == Isolation::Neighbours;
        let trial = if has_neighbours { trial.beside_neighbours() } else { trial };
        let code = self.session.code(self.test);
        match known.history.member_of_same_code(&known.baseline, code) {
            Some(run) => trial.of_unchanged_code(&run.revision.commit),
            None => trial,
        }
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
