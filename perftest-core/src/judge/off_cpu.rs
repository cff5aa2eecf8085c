//! Time of a batch in which its thread had no processor.
//!
//! Sources. `costs.sh` measures the cost of reading the clocks: below 5 us. The share is a choice.

use crate::model::Measurement;

/// Off-processor time up to this share of the batch is the cost of reading it .. A convention: where builds took the
/// processor, batches scattered by 119%, and by 1.5% after all rules (docs/evidence/noise.md).
pub(super) const OFF_CPU_SHARE: f64 = 0.005;
/// .. and so is this much of it. Source: `ci/campaigns/costs.sh` measures less.
pub(super) const OFF_CPU_NS: f64 = 5_000.0;

/// Returns the time in which the measuring thread had no processor, beyond the cost of reading the
/// clocks.
pub(super) fn off_cpu_ns(measurement: &Measurement) -> Option<f64> {
    let off_ns = measurement.wall_ns - measurement.thread_cpu_ns? as f64;
    (off_ns > negligible_ns(measurement)).then_some(off_ns)
}

/// Whether threads that should work at once did not: their batch has no contention, or has it for a part of the time
/// only.
pub(super) fn worked_apart(measurement: &Measurement) -> bool {
    measurement.apart_ns.is_some_and(|apart_ns| apart_ns as f64 > negligible_ns(measurement))
}

fn negligible_ns(measurement: &Measurement) -> f64 {
    (OFF_CPU_SHARE * measurement.wall_ns).max(OFF_CPU_NS)
}
