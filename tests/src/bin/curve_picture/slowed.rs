//! Bodies that do more work than their history knows, measured and judged.

use perftest_core::judge::{Pairing, Policy, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Measurement, Observation, Sample, SampleError,
};
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

/// A third of a millisecond of dependent steps or so.
const STEPS: u64 = 300_000;
const RUNS: usize = 30;
const MEASUREMENTS: usize = 10;

/// A body with a history of its usual amount of work.
pub(crate) struct BaselinedTest {
    baseline: Baseline,
    policy: Policy,
}

impl BaselinedTest {
    /// Measures the history here and now.
    pub(crate) fn measure(policy: Policy) -> Self {
        let mut baseline = Baseline::empty(&BaselineRule::default());
        // The processor wakes up.
        for _ in 0..100 {
            measurement(1.0);
        }
        for _ in 0..RUNS {
            let run: Vec<Observation> =
                (0..MEASUREMENTS).map(|_| Observation::from(&measurement(1.0))).collect();
            baseline.centers.extend(Observation::center(&run));
            baseline.sequences.push(run);
        }
        Self { baseline, policy }
    }

    /// The degradation of a body that does so many times the work, after 1, 2, 3 .. measurements,
    /// until the trial asks for a fresh process.
    ///
    /// # Errors
    /// The trial's other answer.
    pub(crate) fn course(&self, times: f64) -> Result<Vec<(u32, f64)>, String> {
        let policy = self.policy.clone();
        let mut trial = Trial::new(self.baseline.clone(), Direction::Lower, policy);
        let began = Instant::now();
        let (mut values, mut course) = (Vec::new(), Vec::new());
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    let measurement = measurement(times);
                    trial.make_room_for(&measurement);
                    values.push(measurement.value);
                    let ratio = self.degradation(&values).map_err(|error| error.to_string())?;
                    course.push((values.len() as u32, ratio));
                    StepAnswer::Measured(measurement)
                }
                Step::Wait(pause) => {
                    thread::sleep(pause.min(Duration::from_millis(320)));
                    StepAnswer::Waited
                }
                Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
                Step::Confirm { .. } => return Ok(course),
                Step::Done(evidence) => {
                    let answer = evidence.reason.name();
                    return Err(format!("{times} times the work is {answer}: try again"));
                }
            };
            trial.observe(observed, began.elapsed());
        }
    }

    /// The middle of the values over the middle of the history.
    fn degradation(&self, values: &[f64]) -> Result<f64, SampleError> {
        let before = self.baseline.sample().ok_or(SampleError::Empty)?;
        Ok(Sample::new(values.to_vec())?.median() / before.median())
    }
}

/// The fastest of a few batches: an interrupted one is not recognised here, as in the harness.
fn measurement(times: f64) -> Measurement {
    let steps = (STEPS as f64 * times) as u64;
    let fastest = (0..3).map(|_| batch(steps)).min().unwrap_or_default();
    Measurement::of_value(fastest.as_nanos() as f64)
}

fn batch(steps: u64) -> Duration {
    let began = Instant::now();
    black_box((0..steps).fold(1_u64, |state, step| black_box(state ^ step).rotate_left(7)));
    began.elapsed()
}
