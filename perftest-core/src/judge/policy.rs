//! The settings of one decision.
//!
//! Sources. Misrates, looks and rounds are choices; `simulate.sh` prints the resulting rates of
//! false reds and greens. The sources of the floors are beside them.

use super::Curve;
use crate::list::IntoList;
use crate::model::{Metric, MetricKind, Run, Tolerance};
use crate::stats::RunSpread;

/// The smallest meaningful value and shift, whatever the ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Values below this count as this, in the metric's unit.
    pub value: f64,
    /// A red needs a shift of at least this, in the metric's unit.
    pub shift: f64,
}

impl Floor {
    /// For wall time in nanoseconds: below 1 ns a loop measures its own alignment. The same instructions of 3 ns
    /// at another place in memory took half a nanosecond longer, and more beside a neighbour on the same core
    /// (docs/evidence/placement.md).
    pub const WALL_NS: Self = Self { value: 1.0, shift: 1.0 };

    /// For counts: half of one, so that 1 has a ratio to 0.
    pub const COUNT: Self = Self { value: 0.5, shift: 0.5 };

    /// For other numbers, so that 0 has a ratio. A convention: smaller values count as 1e-9.
    pub const UNKNOWN: Self = Self { value: 1e-9, shift: 0.0 };
}

/// Prior of the distance between processes of the same code in counts (logarithm). The true distance is usually 0,
/// but proving that would take too many runs. A convention: 0.01% is far below any tolerance in percent.
const SPREAD_OF_COUNTS: f64 = 1e-4;

/// The settings of one decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The smallest degradation the author cares about.
    pub tolerance: Tolerance,
    /// The degradation that a red needs after a number of measurements.
    pub curve: Curve,
    /// Time for measuring in the first process; a confirmation may take as much again in each
    /// fresh process.
    pub budget_ns: u64,
    /// The value that may never be exceeded, in the metric's unit; `None` where only the history
    /// counts.
    pub limit: Option<f64>,
    /// Processors that the threads of the test can use at once, whatever a quota leaves on average; infinite where
    /// unknown.
    pub processors: f64,
    /// Threads that start a batch together on cores that are alike. With one, the body may have any number of threads of
    /// its own, or cores differ.
    pub threads: u16,
    /// Most measurements in the first process; `None` where only the budget counts.
    pub max_measurements: Option<u32>,
    /// Undisturbed measurements of unchanged machine code that suffice if they are as fast as the level; `None` where a
    /// whole round is measured.
    pub enough_unchanged: Option<u32>,
    /// Measurements in a round. Rounds are separated by growing gaps.
    pub round: u32,
    /// Most rounds.
    pub rounds: u32,
    /// Fresh processes that must confirm a candidate red.
    pub confirmations: u32,
    /// Most fresh processes, not counting as many that were too disturbed.
    pub max_confirmations: u32,
    /// Probability that a green is given at a true degradation of the tolerance, over all looks.
    pub green_misrate: f64,
    /// Probability, on each side, of a bound of a red being wrong, over all looks.
    pub red_misrate: f64,
    /// The smallest meaningful differences.
    pub floor: Floor,
    /// The usual distance between processes of the same code (logarithm): a prior that loses weight with
    /// a longer history.
    pub process_spread: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::default(),
            curve: Curve::default(),
            budget_ns: 3_000_000_000,
            limit: None,
            processors: f64::INFINITY,
            threads: 1,
            max_measurements: None,
            // As many as the second look has.
            enough_unchanged: Some(Self::LOOKS[1]),
            round: 15,
            rounds: 4,
            confirmations: 3,
            max_confirmations: 5,
            green_misrate: 0.01,
            red_misrate: 0.002,
            floor: Floor::WALL_NS,
            process_spread: RunSpread::OF_TIMES,
        }
    }
}

impl Policy {
    /// Returns the default settings for this metric.
    ///
    /// ```
    /// use perftest_core::judge::{Floor, Policy};
    /// use perftest_core::model::Metric;
    /// assert_eq!(Policy::of(&Metric::wall()), Policy::default());
    /// assert_eq!(Policy::of(&Metric::allocations()).floor, Floor::COUNT);
    /// ```
    pub fn of(metric: &Metric) -> Self {
        let (floor, process_spread) = match metric.kind() {
            MetricKind::Time => (Floor::WALL_NS, RunSpread::OF_TIMES),
            MetricKind::Count => (Floor::COUNT, SPREAD_OF_COUNTS),
            MetricKind::CountByPlace => (Floor::COUNT, RunSpread::OF_TIMES),
            MetricKind::Number => (Floor::UNKNOWN, SPREAD_OF_COUNTS),
        };
        Self { floor, process_spread, ..Self::default() }
    }

    /// Returns the recorded settings of a run: tolerance, budget, limit, most measurements and the
    /// author's curve. The rest are today's defaults.
    #[inline]
    pub fn recorded(run: &Run) -> Self {
        let default = Self::of(&run.metric);
        Self {
            tolerance: run.evidence.as_ref().map_or(default.tolerance, |it| it.tolerance),
            budget_ns: run.budget_ns,
            limit: run.evidence.as_ref().and_then(|it| it.limit),
            max_measurements: run.max_measurements,
            ..default
        }
        // A scaled curve has no points.
        .along(Curve::of_points(run.curve.clone()).unwrap_or_default())
    }

    /// A decision ends within this many budgets. A convention (docs/reference/verdicts.md).
    pub(super) const BUDGETS: u32 = 2;

    /// The fewest pairs of a verdict. A convention (docs/reference/comparing.md).
    pub(super) const FEWEST_PAIRS: u32 = 5;

    /// The fewest pairs of measurements so long that the budget has room for few. A convention: the fewest with a middle.
    pub(super) const FEWEST_LONG_PAIRS: u32 = 3;

    /// Returns the fewest pairs with the last good build that a red needs.
    pub(super) fn fewest_pairs(&self) -> u32 {
        if self.is_short_of_room() { Self::FEWEST_LONG_PAIRS } else { Self::FEWEST_PAIRS }
    }

    /// Looks at the data within a round, in measurements of that round. A convention: three have a middle, and each
    /// look has about 1.7 times as many as the one before.
    pub(super) const LOOKS: [u32; 4] = [3, 5, 9, 15];

    /// Returns the settings with another curve, and as many rounds as its last point needs.
    #[must_use]
    pub fn along(self, curve: Curve) -> Self {
        let rounds = self.rounds.max(curve.reach().div_ceil(self.round));
        Self { rounds, curve, ..self }
    }

    /// Returns the settings for measurements of this duration: one shorter round where the budget has no
    /// room for a full one. The last measurement may end after the budget.
    #[must_use]
    pub(super) fn with_room_for(self, measurement_ns: f64) -> Self {
        let room = self.room_for(measurement_ns);
        if room < self.round { Self { round: room, rounds: 1, ..self } } else { self }
    }

    /// Returns how many measurements of this duration begin within the budget.
    pub(super) fn room_for(&self, measurement_ns: f64) -> u32 {
        (self.budget_ns as f64 / measurement_ns.max(1.0)).ceil().max(1.0) as u32
    }

    /// Returns the settings for a value that is measured once a process. Reading it again costs nothing, so
    /// the limits on the number of measurements do not apply.
    #[must_use]
    pub fn once_per_process(self) -> Self {
        Self { max_measurements: None, enough_unchanged: None, ..self }
    }

    /// Whether the budget has room for only one short round.
    pub(super) fn is_short_of_room(&self) -> bool {
        self.rounds == 1
    }

    /// Returns the looks at the data in a whole trial. The misrates are split over them, because each look
    /// is a chance for a false alarm. The longer round at the end counts as one more.
    pub(super) fn looks(&self) -> f64 {
        let before_the_end = Self::LOOKS.iter().count_where(|look| **look < self.round) as u32;
        let rounds = if self.is_short_of_room() { 1 } else { self.rounds + 1 };
        f64::from(rounds * (before_the_end + 1)) + self.curve.points().len() as f64
    }

    /// Number of measurements in all rounds except the longer one, without repetitions.
    pub(super) fn most_measurements(&self) -> u32 {
        (self.round * self.rounds).min(self.max_measurements.unwrap_or(u32::MAX))
    }

    /// Returns a short text of the rule and its parameters, stored with each verdict for people.
    pub fn rule(&self) -> String {
        format!(
            "ladder/3 tol={} curve={} round={}x{} confirm={} green={} red={}",
            self.tolerance.share(),
            self.curve,
            self.rounds,
            self.round,
            self.confirmations,
            self.green_misrate,
            self.red_misrate
        ) + &self.max_measurements.map_or_else(String::new, |most| format!(" max={most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InstructionCounter;

    #[test]
    fn instructions_are_expected_to_repeat_and_cycles_to_scatter_as_times_do() {
        for counter in InstructionCounter::ALL {
            let policy = Policy::of(&Metric::instructions(counter));
            assert_eq!((policy.floor, policy.process_spread), (Floor::COUNT, SPREAD_OF_COUNTS));
        }
        let policy = Policy::of(&Metric::cycles());
        assert_eq!((policy.floor, policy.process_spread), (Floor::COUNT, RunSpread::OF_TIMES));
    }

    fn along(points: &[(u32, f64)]) -> Policy {
        Policy::default().along(Curve::of_points(points.to_vec()).unwrap())
    }

    #[test]
    fn the_rounds_reach_the_last_point_of_the_curve() {
        assert_eq!(along(&[(2, 4.0), (30, 1.1)]).rounds, 4);
        assert_eq!(along(&[(60, 1.1)]).rounds, 4);
        assert_eq!(along(&[(61, 1.1)]).rounds, 5);
        assert_eq!(along(&[(Curve::MOST_MEASUREMENTS, 1.1)]).most_measurements(), 10_005);
    }

    #[test]
    fn a_round_has_no_more_measurements_than_the_budget_has_room_for() {
        let shape = |measurement_ns: f64| {
            let policy = Policy::default().with_room_for(measurement_ns);
            (policy.round, policy.rounds, policy.looks())
        };
        assert_eq!(shape(200e6), (15, 4, 20.0));
        assert_eq!(shape(500e6), (6, 1, 3.0));
        assert_eq!(shape(2e9), (2, 1, 1.0));
        assert_eq!(shape(300e9), (1, 1, 1.0));
    }

    #[test]
    fn each_point_of_the_curve_is_a_look_that_is_paid_for() {
        assert_eq!(Policy::default().looks(), 20.0);
        assert_eq!(along(&[(2, 4.0), (9, 2.0), (30, 1.1)]).looks(), 23.0);
    }

    #[test]
    fn the_rule_names_the_most_measurements_where_there_are_any() {
        assert!(!Policy::default().rule().contains("max="));
        let few = Policy { max_measurements: Some(30), ..Policy::default() };
        assert!(few.rule().ends_with(" max=30"), "{}", few.rule());
        assert_eq!(few.most_measurements(), 30);
    }

    #[test]
    fn the_rule_names_the_curve() {
        assert!(Policy::default().rule().contains(" curve=scaled "));
        assert!(along(&[(2, 4.0), (30, 1.1)]).rule().contains(" curve=2:4,30:1.1 "));
    }
}
