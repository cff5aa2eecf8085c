//! The measurements of a recorded run beside the curve.

use super::baseline_level::BaselineLevel;
use super::{Condition, Policy};
use crate::list::IntoList;
use crate::model::{Baseline, Observation, Run};

/// One point of the course.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Measurements up to here, disturbed ones among them.
    pub measurements: u32,
    /// Degradation of the median of the undisturbed measurements up to here; `None` before the first one.
    pub degradation: Option<f64>,
    /// The degradation that a red needs here; infinite where none suffices yet.
    pub needed: f64,
}

/// Returns a point for each of the first `most` measurements of `run`; `None` while the baseline has too
/// few runs.
///
/// The judge looks at rounds and at fresh processes too, so the course explains a verdict and does not
/// repeat it.
#[inline]
pub fn curve_course(run: &Run, baseline: &Baseline, most: usize) -> Option<Vec<CurvePoint>> {
    let policy = Policy::recorded(run);
    let level = BaselineLevel::new(baseline, run.metric.direction, &policy)?;
    let planned = policy.most_measurements();
    let mut undisturbed: Vec<Observation> = Vec::new();
    let measured = run.measurements.iter().zip(Condition::recorded(run));
    let points = (1..).zip(measured).take(most).map(|(measurements, (measurement, condition))| {
        if condition.is_usable() {
            undisturbed.push(condition.observation(measurement));
        }
        CurvePoint {
            measurements,
            degradation: level.degradation_of(&undisturbed),
            needed: level.needed(measurements, planned),
        }
    });
    Some(points.into_list())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BaselineRule, BenchmarkId, Measurement, Metric, RunId};

    /// A run of these values, the second of which was disturbed.
    fn run(values: &[f64]) -> Run {
        let benchmark = BenchmarkId::from_recorded("codec::encode");
        Run {
            measurements: values.iter().map(|value| Measurement::of_value(*value)).collect(),
            suspects: vec![1],
            counts_for_baseline: true,
            budget_ns: 3_000_000_000,
            ..Run::blank(RunId::new(1, 1), benchmark, Metric::wall())
        }
    }

    fn baseline() -> Baseline {
        let mut baseline = Baseline::empty(&BaselineRule::default());
        baseline.centers = (0..10).map(|run| (100.0 + f64::from(run % 3)).into()).collect();
        baseline.sequences = baseline.centers.iter().map(|center| vec![*center; 5]).collect();
        baseline
    }

    #[test]
    fn a_disturbed_measurement_moves_the_course_on_and_not_up() {
        let course = curve_course(&run(&[121.2, 500.0, 121.2]), &baseline(), 60).unwrap();
        let degradations: Vec<f64> =
            course.iter().map(|point| (100.0 * point.degradation.unwrap()).round()).collect();
        assert_eq!(degradations, [120.0; 3]);
        assert_eq!(course[2].measurements, 3);
        assert!(course[0].needed > course[2].needed, "{course:?}");
    }

    #[test]
    fn a_course_has_at_most_as_many_points_as_asked_and_needs_a_baseline() {
        assert_eq!(curve_course(&run(&[100.0; 9]), &baseline(), 4).unwrap().len(), 4);
        let young = Baseline::empty(&BaselineRule::default());
        assert_eq!(curve_course(&run(&[100.0; 9]), &young, 4), None);
    }
}
