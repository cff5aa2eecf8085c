//! A trial on a quiet machine, where a measurement takes half a millisecond.

use perftest_core::judge::{Confirmation, Pairing, Policy, Step, StepAnswer, Trial};
use perftest_core::model::{Baseline, Direction, Evidence, Measurement};
use std::time::Duration;

#[allow(dead_code, reason = "each file of tests looks at another part")]
pub(crate) struct PlayResult {
    pub(crate) evidence: Evidence,
    /// Measurements before the first fresh process.
    pub(crate) own: usize,
    pub(crate) longest_wait: Duration,
}

/// The n-th measurement of this process is `own(n)`, that of every fresh one `fresh(n)`.
#[allow(dead_code, reason = "each file of tests looks at another part")]
pub(crate) fn play(
    baseline: Baseline,
    policy: Policy,
    own: impl Fn(usize) -> Measurement,
    fresh: impl Fn(usize) -> Measurement,
) -> PlayResult {
    let mut trial = Trial::new(baseline, Direction::Lower, policy);
    let (mut count, mut elapsed, mut longest_wait) = (0, Duration::ZERO, Duration::ZERO);
    loop {
        let observed = match trial.step() {
            Step::Measure => {
                elapsed += Duration::from_micros(500);
                count += 1;
                StepAnswer::Measured(own(count - 1))
            }
            Step::Wait(pause) => {
                elapsed += pause;
                longest_wait = longest_wait.max(pause);
                StepAnswer::Waited
            }
            Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
            Step::Confirm { measurements, .. } => StepAnswer::Confirmed(Confirmation::Measured {
                measurements: (0..measurements as usize).map(&fresh).collect(),
                others_cpus: Some(0.0),
                elapsed: Duration::ZERO,
            }),
            Step::Done(evidence) => {
                return PlayResult { evidence: *evidence, own: count, longest_wait };
            }
        };
        trial.observe(observed, elapsed);
    }
}

/// Numbers in 0..1 without any pattern that matters (multiples of the golden ratio).
pub(crate) fn wobble(index: usize) -> f64 {
    (index as f64 * 0.618_033_988_75).fract()
}

/// Within 0.2% of the value.
pub(crate) fn near(value: f64, index: usize) -> Measurement {
    Measurement::of_value(value * (0.998 + 0.004 * wobble(index)))
}
