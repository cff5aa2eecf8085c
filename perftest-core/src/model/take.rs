//! A measurement with all that was measured beside it.

use super::{Measurement, Metric};
use crate::list::IntoList;

/// One measurement of the whole, with the stages in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Take {
    /// The whole.
    pub measurement: Measurement,
    /// The stages that were reached, in the order in which they first were.
    pub stages: Vec<StageTime>,
}

/// What one stage took of a measurement.
///
/// What it used itself is known of long iterations alone: reading it costs more than a short stage
/// lasts. In a short batch the whole speaks for its stages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StageTime {
    /// Its name within the test.
    pub name: String,
    /// Calls in the measurement; their times add up.
    pub calls: u64,
    /// Wall time of all calls, less the cost of the clock reads.
    pub wall_ns: f64,
    /// Time the measuring thread spent on a processor in them.
    pub thread_cpu_ns: Option<u64>,
    /// Time all threads of the process spent on processors meanwhile.
    pub process_cpu_ns: Option<u64>,
    /// Times the measuring thread was put aside against its will.
    pub involuntary_switches: Option<u64>,
    /// Times the measuring thread gave up the processor itself.
    pub voluntary_switches: Option<u64>,
}

/// One value for a whole process, in its metric's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessValue {
    /// What it is a value of.
    pub metric: Metric,
    /// The value: neither negative nor infinite.
    pub value: f64,
}

/// What one process measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessRecord {
    /// Its measurements, in order.
    pub takes: Vec<Take>,
    /// What it knows once for all of them: allocations, and metrics of the author's own.
    pub values: Vec<ProcessValue>,
}

impl ProcessRecord {
    /// The measurements of the whole.
    pub fn measurements(&self) -> Vec<Measurement> {
        self.takes.iter().map(|take| take.measurement).into_list()
    }

    /// The one value of this metric.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        self.values.iter().find(|it| it.metric == *metric).map(|it| it.value)
    }

    /// The one value of a metric of this name, in whatever unit.
    pub fn value_named(&self, name: &str) -> Option<&ProcessValue> {
        self.values.iter().find(|it| it.metric.name == name)
    }
}
