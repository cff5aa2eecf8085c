//! Resource usage of a measurement besides wall time.

use super::{Measurement, Metric};
use crate::named;

named! {
    /// A resource that every measurement records besides its wall time, if the system reports it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Usage {
        /// Processor time of all threads of the process.
        Cpu = "cpu",
        /// Processor time of the measuring thread.
        ThreadCpu = "thread_cpu",
        /// Page faults of the measuring thread.
        Faults = "faults",
        /// Context switches of the measuring thread, voluntary or not.
        Switches = "switches",
    }
}

impl Usage {
    /// The metric, per iteration.
    pub fn metric(self) -> Metric {
        let unit = match self {
            Self::Cpu | Self::ThreadCpu => "ns",
            Self::Faults | Self::Switches => self.name(),
        };
        Metric::lower(self.name(), unit)
    }

    /// Returns the usage of one iteration; `None` if the system did not report it.
    ///
    /// ```
    /// use perftest_core::model::{Measurement, Usage};
    /// let batch = Measurement { iterations: 4, minor_faults: Some(2), ..Measurement::default() };
    /// assert_eq!(Usage::Faults.of(&batch), Some(0.5));
    /// assert_eq!(Usage::Cpu.of(&batch), None);
    /// ```
    pub fn of(self, measurement: &Measurement) -> Option<f64> {
        let all = match self {
            Self::Cpu => measurement.process_cpu_ns?,
            Self::ThreadCpu => measurement.thread_cpu_ns?,
            Self::Faults => {
                measurement.minor_faults? + measurement.major_faults.unwrap_or_default()
            }
            Self::Switches => {
                measurement.involuntary_switches?
                    + measurement.voluntary_switches.unwrap_or_default()
            }
        };
        Some(all as f64 / measurement.iterations.max(1) as f64)
    }
}
