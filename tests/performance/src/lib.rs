//! What the performance tests of perftest measure: stores and histories that are the same in every process.

mod stores;
mod tool;

use perftest_core::judge::{Policy, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, Measurement, Observation, Sample,
};
use std::time::Duration;

pub use stores::{copy_of_history, history};
pub use tool::{thousand_tests, tool_in_store};

/// Runs of a usual baseline.
const BASELINE_RUNS: u32 = 30;

/// A baseline as after a month.
pub fn baseline() -> Baseline {
    let centers = (0..BASELINE_RUNS).map(|run| Observation::from(100.0 + 0.02 * f64::from(run)));
    let centers: Vec<Observation> = centers.collect();
    Baseline {
        sequences: centers.iter().map(|center| vec![*center; 5]).collect(),
        centers,
        ..Baseline::empty(&BaselineRule::default())
    }
}

/// Decides on measurements that are all of one level, which is that of the baseline.
///
/// # Panics
/// When the decision asks for more than measurements.
pub fn decide(baseline: Baseline) -> Evidence {
    let mut trial = Trial::new(baseline, Direction::Lower, Policy::default());
    loop {
        match trial.step() {
            Step::Measure => {
                let as_usual = StepAnswer::Measured(Measurement::of_value(100.3));
                trial.observe(as_usual, Duration::from_millis(1));
            }
            Step::Done(evidence) => return *evidence,
            other => unreachable!("a quick green needs no {other:?}"),
        }
    }
}

/// A history without changes: even noise of a percent on one level.
///
/// # Panics
/// When `values` is 0.
pub fn flat_history(values: u64) -> Sample {
    let noise = |place: u64| mixed(place) as f64 / u64::MAX as f64;
    let values: Vec<f64> = (0..values).map(|place| 100.0 + noise(place)).collect();
    Sample::new(values).expect("values are numbers")
}

/// The same irregular number for the same number.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), `SplitMix`.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
