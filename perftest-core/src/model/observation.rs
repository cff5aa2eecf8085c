//! The value of a measurement, or of a whole run, with its covariates.

use super::{Measurement, Probes, Sample};
use crate::list::IntoList;

/// A value with the speed of the machine beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Observation {
    /// Value of one iteration, in the metric's unit.
    pub value: f64,
    /// Processor time of one iteration over all threads, in nanoseconds.
    pub processor_ns: Option<f64>,
    /// How fast the machine was.
    pub probes: Probes,
}

impl From<f64> for Observation {
    fn from(value: f64) -> Self {
        Self { value, ..Self::default() }
    }
}

impl From<&Measurement> for Observation {
    fn from(measurement: &Measurement) -> Self {
        let each = |ns: u64| ns as f64 / measurement.iterations.max(1) as f64;
        Self {
            value: measurement.value,
            processor_ns: measurement.process_cpu_ns.map(each),
            probes: measurement.probes,
        }
    }
}

impl Observation {
    /// Creates the observation of an interrupted measurement from its processor time.
    pub fn on_processor_time(measurement: &Measurement) -> Self {
        Self { value: measurement.value_on_processor(), ..Self::from(measurement) }
    }

    /// Returns the median of several, field by field; `None` without any, or if a value is not
    /// finite.
    pub fn center(observations: &[Self]) -> Option<Self> {
        let middle = |field: fn(&Self) -> Option<f64>| {
            Sample::median_of_list(observations.iter().filter_map(field).into_list())
        };
        Some(Self {
            value: middle(|it| Some(it.value))?,
            processor_ns: middle(|it| it.processor_ns),
            probes: Probes {
                clock_ghz: middle(|it| it.probes.clock_ghz),
                reference_ns: middle(|it| it.probes.reference_ns),
                disk_ns: middle(|it| it.probes.disk_ns),
                others_cpus: middle(|it| it.probes.others_cpus),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_center_takes_each_field_from_those_that_know_it() {
        let with = |value, reference_ns| Observation {
            probes: Probes { reference_ns, ..Probes::default() },
            ..Observation::from(value)
        };
        let center =
            Observation::center(&[with(3.0, None), with(1.0, Some(8.0)), with(2.0, Some(9.0))]);
        assert_eq!(center, Some(with(2.0, Some(8.5))));
        assert_eq!(Observation::center(&[]), None);
    }
}
