//! Estimates against the values that would matter in practice.
//!
//! Definition: an estimate with bounds that miss with probability `misrate` is greater than a value where
//! both bounds lie above it, less where both lie below it, and inconclusive else, also on the boundary.
//! One sample: center or spread. Two: shift, ratio or disparity of the first against the second. Several
//! thresholds are judged each for itself, without a correction for their number.
//!
//! Source and implementation: Compare1 and Compare2 of `pragmastat`. Behaviour: its bounds take the first
//! step at or above the misrate and miss up to twice as often as asked in small samples;
//! [`ratio_bounds`](perftest_core::stats::ratio_bounds) and the others here do not. Spread and disparity draw: the same
//! seed gives the same bounds.

use perftest_core::model::Interval;
use pragmastat::{
    ComparisonVerdict, EstimatorError, Measurement, Metric, Projection, Sample, Subject, Threshold,
};
use std::fmt;

/// The bounds of a center are quadratic in the size.
const MOST_FOR_CENTER: usize = 10_000;

/// What is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// The middle of one sample.
    Center,
    /// How far apart its values lie.
    Spread,
    /// How much larger the first sample's values are.
    Shift,
    /// How many times as large.
    Ratio,
    /// The shift over the spread of both.
    Disparity,
}

impl Estimator {
    const ALL: [Self; 5] = [Self::Center, Self::Spread, Self::Shift, Self::Ratio, Self::Disparity];

    /// The estimator of this name: `center`, `spread`, `shift`, `ratio` or `disparity`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.metric().as_str() == name)
    }

    fn metric(self) -> Metric {
        match self {
            Self::Center => Metric::Center,
            Self::Spread => Metric::Spread,
            Self::Shift => Metric::Shift,
            Self::Ratio => Metric::Ratio,
            Self::Disparity => Metric::Disparity,
        }
    }
}

/// A value that would matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PracticalThreshold {
    /// What is compared with it.
    pub estimator: Estimator,
    /// The value, in the samples' unit for center, spread and shift.
    pub value: f64,
    /// How often the bounds may miss, above 0 and up to 1.
    pub misrate: f64,
}

/// An estimate against one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdComparison {
    /// The estimate and its bounds, which may be infinite for a disparity.
    pub interval: Interval,
    /// On which side of the value it lies.
    pub standing: IntervalPosition,
}

/// On which side of a value an interval lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntervalPosition {
    /// Wholly below.
    Less,
    /// Wholly above.
    Greater,
    /// The value is in it.
    Inconclusive,
}

impl IntervalPosition {
    /// `less`, `greater` or `inconclusive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Less => "less",
            Self::Greater => "greater",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectionError {
    /// An assumption does not hold.
    Assumption {
        /// `validity`, `domain`, `positivity` or `sparity`.
        id: &'static str,
        /// Of `x`, `y` or the `misrate`.
        subject: &'static str,
    },
    /// Something else, in words.
    Other(String),
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assumption { id, subject } => {
                write!(f, "the assumption of {id} does not hold for {subject}")
            }
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for ProjectionError {}

impl From<EstimatorError> for ProjectionError {
    fn from(error: EstimatorError) -> Self {
        match error {
            EstimatorError::Assumption(error) => {
                let violation = error.violation();
                let (id, subject) = (violation.id.as_str(), violation.subject.as_str());
                Self::Assumption { id, subject }
            }
            EstimatorError::Other(words) => Self::Other(words),
        }
    }
}

/// Center or spread of one sample against each of the thresholds, in their order.
///
/// # Errors
///
/// The sample or a misrate does not allow the estimate, there is no threshold, or one is of two samples.
///
/// ```
/// use perftest_conformance::stats::{Estimator, PracticalThreshold, IntervalPosition, project_one};
/// let values: Vec<f64> = (1..=10).map(f64::from).collect();
/// let twenty = PracticalThreshold { estimator: Estimator::Center, value: 20.0, misrate: 0.05 };
/// let projected = project_one(&values, &[twenty], "seed").unwrap();
/// assert_eq!(projected[0].standing, IntervalPosition::Less);
/// assert_eq!((projected[0].interval.lower, projected[0].interval.upper), (3.5, 7.5));
/// ```
pub fn project_one(
    values: &[f64],
    thresholds: &[PracticalThreshold],
    seed: &str,
) -> Result<Vec<ThresholdComparison>, ProjectionError> {
    let asks_center = thresholds.iter().any(|it| it.estimator == Estimator::Center);
    if asks_center && values.len() > MOST_FOR_CENTER {
        return Err(ProjectionError::Other(format!(
            "the bounds of a center take at most {MOST_FOR_CENTER} values"
        )));
    }
    let sample = sample(values, Subject::X)?;
    let projections = pragmastat::compare1_with_seed(&sample, &converted(thresholds)?, seed)?;
    Ok(projections.iter().map(projected).collect())
}

/// Shift, ratio or disparity of the first sample against the second, against each of the thresholds,
/// in their order.
///
/// # Errors
///
/// A sample or a misrate does not allow the estimate, there is no threshold, or one is of one sample.
pub fn project_two(
    first: &[f64],
    second: &[f64],
    thresholds: &[PracticalThreshold],
    seed: &str,
) -> Result<Vec<ThresholdComparison>, ProjectionError> {
    let (first, second) = (sample(first, Subject::X)?, sample(second, Subject::Y)?);
    let thresholds = converted(thresholds)?;
    let projections = pragmastat::compare2_with_seed(&first, &second, &thresholds, seed)?;
    Ok(projections.iter().map(projected).collect())
}

fn sample(values: &[f64], subject: Subject) -> Result<Sample, ProjectionError> {
    let invalid = ProjectionError::Assumption { id: "validity", subject: subject.as_str() };
    Sample::new(values.to_vec()).map_err(|_| invalid)
}

fn converted(thresholds: &[PracticalThreshold]) -> Result<Vec<Threshold>, ProjectionError> {
    let convert = |it: &PracticalThreshold| {
        Threshold::new(it.estimator.metric(), Measurement::number(it.value), it.misrate)
    };
    Ok(thresholds.iter().map(convert).collect::<Result<_, _>>()?)
}

fn projected(projection: &Projection) -> ThresholdComparison {
    let bounds = projection.bounds();
    let interval = Interval {
        estimate: projection.estimate().value,
        lower: bounds.lower,
        upper: bounds.upper,
    };
    let standing = match projection.verdict() {
        ComparisonVerdict::Less => IntervalPosition::Less,
        ComparisonVerdict::Greater => IntervalPosition::Greater,
        ComparisonVerdict::Inconclusive => IntervalPosition::Inconclusive,
    };
    ThresholdComparison { interval, standing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(estimator: Estimator) -> PracticalThreshold {
        PracticalThreshold { estimator, value: 1.0, misrate: 0.2 }
    }

    #[test]
    fn what_does_not_hold_is_named() {
        let (none, some) = (&[][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        let invalid = |subject| Err(ProjectionError::Assumption { id: "validity", subject });
        let shift = [threshold(Estimator::Shift)];
        assert_eq!(project_two(none, some, &shift, "s"), invalid("x"));
        assert_eq!(project_two(some, none, &shift, "s"), invalid("y"));
        assert_eq!(project_two(some, &[f64::NAN], &shift, "s"), invalid("y"));
        let never = PracticalThreshold { misrate: 0.0, ..shift[0] };
        let domain = ProjectionError::Assumption { id: "domain", subject: "misrate" };
        assert_eq!(project_two(some, some, &[never], "s"), Err(domain));
    }

    #[test]
    fn estimators_of_two_samples_are_refused_for_one() {
        let values = [1.0, 2.0, 3.0, 4.0];
        let refused = project_one(&values, &[threshold(Estimator::Ratio)], "s");
        assert!(matches!(refused, Err(ProjectionError::Other(_))));
        assert!(matches!(project_one(&values, &[], "s"), Err(ProjectionError::Other(_))));
    }

    #[test]
    fn samples_too_large_for_a_center_are_refused_and_not_waited_for() {
        let many: Vec<f64> = (0..20_000).map(f64::from).collect();
        let refused = project_one(&many, &[threshold(Estimator::Center)], "s");
        assert!(refused.unwrap_err().to_string().contains("10000"));
    }
}
