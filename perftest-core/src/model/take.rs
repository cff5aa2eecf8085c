//! A measurement with its stages, and the record of a process.

use super::{Measurement, Metric};
use crate::list::IntoList;

/// One measurement of the whole, with its stages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Take {
    /// The whole.
    pub measurement: Measurement,
    /// The stages that were reached, in the order of their first calls.
    pub stages: Vec<StageTime>,
}

/// The time and usage of one stage in a measurement.
///
/// The usage is known only of stages with long calls: reading it costs more than a short stage. For other stages that of
/// the whole counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StageTime {
    /// Its name within the test.
    pub name: String,
    /// Calls in the measurement; their times add up.
    pub calls: u64,
    /// Wall time of all calls, minus the cost of the clock reads.
    pub wall_ns: f64,
    /// Time the measuring thread spent on a processor in them.
    pub thread_cpu_ns: Option<u64>,
    /// Time all threads of the process spent on processors meanwhile.
    pub process_cpu_ns: Option<u64>,
    /// Times the measuring thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// Times the measuring thread gave up the processor itself.
    pub voluntary_switches: Option<u64>,
}

/// One value for a whole process, in its metric's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessValue {
    /// The metric of the value.
    pub metric: Metric,
    /// The value: neither negative nor infinite.
    pub value: f64,
}

/// The measurements of one process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessRecord {
    /// Its measurements, in order.
    pub takes: Vec<Take>,
    /// Values of the whole process: allocations, and the author's own metrics.
    pub values: Vec<ProcessValue>,
}

impl ProcessRecord {
    /// The measurements of the whole.
    pub fn measurements(&self) -> Vec<Measurement> {
        self.takes.iter().map(|take| take.measurement).into_list()
    }

    /// Returns the value of this metric.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        self.values.iter().find(|it| it.metric == *metric).map(|it| it.value)
    }

    /// Returns the value of a metric of this name, in any unit.
    pub fn value_named(&self, name: &str) -> Option<&ProcessValue> {
        self.values.iter().find(|it| it.metric.name == name)
    }
}
