//! The power of a test: the smallest slowdown it detects with its history.

use super::Policy;
use super::baseline_level::BaselineLevel;
use super::expected_pairs::ExpectedPairs;
use crate::model::{Baseline, Direction, Tolerance};

/// The smallest slowdown that a test detects with its baseline, computed before a run.
///
/// The model behind the figures: the centers of unchanged processes scatter normally around the
/// level with the history's own spread, and the values of one process around its center with the
/// spread inside the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// Runs in the baseline.
    pub runs: u32,
    /// How far above the level runs of unchanged code may lie, as a share.
    pub noise: f64,
    /// The smallest degradation that is found with 99%, as a share: 0.08 is +8%.
    pub smallest_detectable: f64,
    /// Expected share of reds among decisions on unchanged code.
    pub false_alarm_rate: f64,
    /// The smallest degradation the author cares about.
    pub tolerance: Tolerance,
    /// Whether the history alone detects more than the pairs that the budget has room for.
    pub is_held_by_pairs: bool,
    /// The smallest degradation that is red at the end of the curve, as a share.
    pub curve_end: f64,
}

impl Power {
    /// Returns the power of a test with this baseline; `None` while it has too few runs.
    ///
    /// ```
    /// use perftest_core::judge::{Policy, Power};
    /// use perftest_core::model::{Baseline, BaselineRule, Direction};
    ///
    /// let mut baseline = Baseline::empty(&BaselineRule::default());
    /// assert_eq!(Power::of(&baseline, Direction::Lower, &Policy::default()), None);
    /// baseline.centers = (0..30).map(|i| (100.0 + 0.02 * f64::from(i)).into()).collect();
    /// baseline.sequences = baseline.centers.iter().map(|center| vec![*center; 5]).collect();
    /// let power = Power::of(&baseline, Direction::Lower, &Policy::default()).unwrap();
    /// assert!(power.smallest_detectable > 0.05 && power.detects_twice_its_tolerance());
    /// ```
    #[inline]
    pub fn of(baseline: &Baseline, direction: Direction, policy: &Policy) -> Option<Self> {
        // The time of a count is that of its test, which its runs do not have.
        let timed = baseline.runs.last().filter(|run| run.metric.is_time());
        let measurement = timed.and_then(|run| run.measurements.first());
        let measurement_ns = measurement.map_or(0.0, |it| it.wall_ns);
        let is_long = measurement.is_some_and(|it| it.iterations == 1);
        let policy = policy.clone();
        let policy = if is_long { policy.with_room_for(measurement_ns) } else { policy };
        let level = BaselineLevel::new(baseline, direction, &policy)?;
        let pairs = ExpectedPairs::within(&policy, measurement_ns);
        let detection_model = level.detection_model();
        Some(Self {
            runs: baseline.centers.len() as u32,
            noise: level.noise_share(),
            smallest_detectable: detection_model.smallest_detectable(&pairs),
            false_alarm_rate: detection_model.false_alarm_rate(),
            tolerance: policy.tolerance,
            is_held_by_pairs: detection_model.is_held_by(&pairs),
            curve_end: policy.curve.least(policy.tolerance) - 1.0,
        })
    }

    /// Whether a degradation of twice the tolerance is found with 99%, which every test should reach.
    pub fn detects_twice_its_tolerance(&self) -> bool {
        1.0 + self.smallest_detectable <= self.tolerance.twice_ratio()
    }

    /// Whether its runs differ by more than the tolerance. Then no decision is green.
    pub fn is_unstable(&self) -> bool {
        self.noise > self.tolerance.share()
    }

    /// Returns the factor by which the noise between runs must fall so that the test detects twice its
    /// tolerance. Approximation: the smallest detectable slowdown is proportional to the spread. Above 1
    /// where the test is too noisy.
    pub fn times_as_steady(&self) -> f64 {
        let ratio = self.tolerance.ratio();
        ((1.0 + self.smallest_detectable) / ratio).ln()
            / (self.tolerance.twice_ratio() / ratio).ln()
    }

    /// Returns the narrowest tolerance, in whole percent up to 100%, of which this baseline detects twice,
    /// and which its runs do not exceed; `None` where there is none.
    #[inline]
    pub fn honest_tolerance(
        baseline: &Baseline,
        direction: Direction,
        policy: &Policy,
    ) -> Option<Tolerance> {
        let tolerances = (1..)
            .map(|percent| f64::from(percent) / 100.0)
            .take_while(|share| *share <= Tolerance::LARGEST_ADVISED_SHARE)
            .filter_map(|share| Tolerance::new(share).ok());
        let suffices = |tolerance: &Tolerance| {
            let policy = Policy { tolerance: *tolerance, ..policy.clone() };
            Self::of(baseline, direction, &policy)
                .is_some_and(|it| it.detects_twice_its_tolerance() && !it.is_unstable())
        };
        tolerances.filter(|tolerance| *tolerance > policy.tolerance).find(suffices)
    }
}
