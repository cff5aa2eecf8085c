//! Falling times in the course of a run.

use super::{Inspector, MachineBaseline};
use crate::list::IntoList;
use crate::model::{Measurement, Observation};
use crate::stats::FallingTrend;

/// Detects falling times of undisturbed measurements in one process, after normalisation by the
/// machine's speed. The cause is often a branch predictor that learns a constant input.
pub fn falling_trend(course: &[Measurement]) -> Option<FallingTrend> {
    FallingTrend::of(&values_at_usual_speed(course)?)
}

/// Whether the undisturbed measurements of one process may be the beginning of a [`falling_trend`] among
/// `most`.
pub fn may_become_falling_trend(course: &[Measurement], most: usize) -> bool {
    let values = values_at_usual_speed(course);
    values.is_some_and(|values| FallingTrend::may_begin_with(&values, most))
}

/// Returns the values of the undisturbed measurements, as they would be at the usual speed of the machine.
fn values_at_usual_speed(course: &[Measurement]) -> Option<Vec<f64>> {
    let conditions = Inspector::new(MachineBaseline::default()).inspect_all(course);
    let clean = course.iter().zip(conditions).filter(|(_, condition)| condition.is_usable());
    let clean: Vec<Observation> = clean.map(|(batch, _)| Observation::from(batch)).into_list();
    let usual_ns = Observation::center(&clean)?.probes.reference_ns;
    let at_usual_speed = |it: &Observation| match (it.probes.reference_ns, usual_ns) {
        (Some(reference_ns), Some(usual_ns)) => it.value * usual_ns / reference_ns,
        _ => it.value,
    };
    Some(clean.iter().map(at_usual_speed).into_list())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Probes;

    /// Returns a run whose time and reference kernel each fall to 1 from these.
    fn course(time: f64, reference: f64) -> Vec<Measurement> {
        let at = |from: f64, n: u64| 1.0 + (from - 1.0) * (-(n as f64) / 30.0).exp();
        let measurement = |n| Measurement {
            start_ns: n * 1_000_000,
            probes: Probes { reference_ns: Some(9_000.0 * at(reference, n)), ..Probes::default() },
            ..Measurement::of_value(63.0 * at(time, n))
        };
        (0..100).map(measurement).collect()
    }

    #[test]
    fn times_that_fall_are_reported_unless_the_machine_became_faster() {
        assert!(falling_trend(&course(3.0, 1.0)).is_some());
        assert_eq!(falling_trend(&course(1.4, 1.4)), None);
        assert_eq!(falling_trend(&course(1.0, 1.0)), None);
    }

    #[test]
    fn a_fall_is_awaited_unless_the_machine_became_faster() {
        let may_fall =
            |time, reference| may_become_falling_trend(&course(time, reference)[..21], 100);
        assert_eq!(
            [may_fall(3.0, 1.0), may_fall(1.4, 1.4), may_fall(1.0, 1.0)],
            [true, false, false]
        );
    }
}
