//! A request for samples, and the report of those that were taken, as keys of a message.

use super::message::ProtocolError;
use perftest_core::list::IntoList;
use perftest_core::named;
use perftest_store::line::{Fields, JsonLine};
use std::time::Duration;

named! {
    /// The time that samples stand for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SampledClock {
        /// Time on the wall, of running and of blocked threads.
        Wall = "wall",
        /// Processor time.
        Cpu = "cpu",
    }
}

/// What samples to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPlan {
    /// The time that they stand for.
    pub clock: SampledClock,
    /// Mean number of samples of a thread in a second.
    pub rate_hz: u32,
    /// Time with samples.
    pub time: Duration,
    /// Only threads whose names begin with this.
    pub threads: String,
}

/// What a sampled worker did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SamplingReport {
    /// Records in the file.
    pub records: u64,
    /// Records that had no room.
    pub lost: u64,
    /// Sampled threads.
    pub threads: u64,
    /// Threads that got no timer.
    pub refused_threads: u64,
    /// Threads that had a timer and never took its signal.
    pub unsampled_threads: u64,
    /// Iterations with and without samples.
    pub iterations: u64,
    /// Time with samples.
    pub time: Duration,
    /// Processor time of the process in it.
    pub cpu_ns: u64,
    /// Measured time of an iteration in each block with samples. Empty if an iteration is too long for blocks.
    pub sampled_ns: Vec<f64>,
    /// The same in the blocks without samples.
    pub unsampled_ns: Vec<f64>,
    /// The same with set-up and drops. Empty of a worker of an older version.
    pub unsampled_whole_ns: Vec<f64>,
    /// Iterations with samples, by [`duration_class`](super::sample_file::duration_class): the fastest first.
    pub iterations_by_ns: Vec<(u64, u64)>,
}

impl SamplingReport {
    /// Adds iterations of a class of durations.
    pub fn count_iterations(&mut self, class_ns: u64, iterations: u64) {
        let counts = &mut self.iterations_by_ns;
        match counts.binary_search_by_key(&class_ns, |(known, _)| *known) {
            Ok(place) => counts[place].1 += iterations,
            Err(place) => counts.insert(place, (class_ns, iterations)),
        }
    }
}

pub(super) fn put_plan(line: &mut JsonLine, plan: &SamplingPlan) {
    line.put("clock", plan.clock.name());
    line.put("rate_hz", u64::from(plan.rate_hz));
    line.put("time_ns", plan.time.as_nanos() as u64);
    line.put("threads", &*plan.threads);
}

pub(super) fn plan_of(fields: &Fields<'_>) -> Result<SamplingPlan, ProtocolError> {
    let clock: String = fields.need("clock")?;
    let clock = SampledClock::from_name(&clock)
        .ok_or_else(|| ProtocolError::new(format!("no samples stand for `{clock}`")))?;
    Ok(SamplingPlan {
        clock,
        rate_hz: fields.need("rate_hz")?,
        time: Duration::from_nanos(fields.need("time_ns")?),
        threads: fields.get_or_default("threads")?,
    })
}

pub(super) fn put_report(line: &mut JsonLine, report: &SamplingReport) {
    line.put("records", report.records);
    line.put("lost", report.lost);
    line.put("threads", report.threads);
    line.put("refused_threads", report.refused_threads);
    line.put("unsampled_threads", report.unsampled_threads);
    line.put("iterations", report.iterations);
    line.put("time_ns", report.time.as_nanos() as u64);
    line.put("cpu_ns", report.cpu_ns);
    line.put_list("sampled_ns", &report.sampled_ns);
    line.put_list("unsampled_ns", &report.unsampled_ns);
    line.put_list("unsampled_whole_ns", &report.unsampled_whole_ns);
    let by_ns = report.iterations_by_ns.iter();
    let durations: Vec<u64> = by_ns.clone().map(|(class_ns, _)| *class_ns).into_list();
    let counts: Vec<u64> = by_ns.map(|(_, iterations)| *iterations).into_list();
    line.put_list("durations_ns", &durations);
    line.put_list("iterations_by_ns", &counts);
}

pub(super) fn report_of(fields: &Fields<'_>) -> Result<SamplingReport, ProtocolError> {
    let durations: Vec<u64> = fields.get_or_default("durations_ns")?;
    let counts: Vec<u64> = fields.get_or_default("iterations_by_ns")?;
    Ok(SamplingReport {
        records: fields.need("records")?,
        lost: fields.need("lost")?,
        threads: fields.need("threads")?,
        refused_threads: fields.need("refused_threads")?,
        unsampled_threads: fields.need("unsampled_threads")?,
        iterations: fields.need("iterations")?,
        time: Duration::from_nanos(fields.need("time_ns")?),
        cpu_ns: fields.need("cpu_ns")?,
        sampled_ns: fields.get_or_default("sampled_ns")?,
        unsampled_ns: fields.get_or_default("unsampled_ns")?,
        unsampled_whole_ns: fields.get_or_default("unsampled_whole_ns")?,
        iterations_by_ns: durations.into_iter().zip(counts).into_list(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_counted_by_their_class_in_order() {
        let mut report = SamplingReport::default();
        for (class_ns, iterations) in [(7, 1), (5, 2), (9, 3), (7, 4)] {
            report.count_iterations(class_ns, iterations);
        }
        assert_eq!(report.iterations_by_ns, [(5, 2), (7, 5), (9, 3)]);
    }
}
