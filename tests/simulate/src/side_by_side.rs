//! Two revisions compared in pairs of fresh processes whose truth is known.

use crate::{Random, on_all_processors};
use perftest_core::judge::{Compared, Comparison, ComparisonPolicy, ComparisonStep, ProcessPair};
use perftest_core::model::{Direction, Interval, Measurement, Reason, Tolerance, Verdict};
use perftest_core::stats::binomial_interval;
use std::time::Duration;

const CALL_NS: f64 = 62_500.0;
/// Misrate of the intervals.
const MISRATE: f64 = 0.05;

/// How processes and their measurements scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// Standard deviation of processes of the same code (logarithm).
    pub apart: f64,
    /// Standard deviation of the measurements in one process (logarithm).
    pub within: f64,
    /// Share of processes that are 1.15 to 1.7 times slower from start to end.
    pub slow: f64,
}

/// What many comparisons came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// Comparisons in all.
    pub comparisons: u64,
    /// Of those, red.
    pub red: u64,
    /// Green or improved.
    pub green: u64,
    /// Unstable.
    pub unstable: u64,
    /// Neither.
    pub unclear: u64,
    /// Pairs of a decision: the middle one.
    pub pairs_median: u32,
    /// Pairs of a decision that nine in ten do not exceed.
    pub pairs_p90: u32,
}

impl Counted {
    /// So many comparisons of a head that is slower by this factor, at a tolerance.
    pub fn of(scatter: Scatter, slowdown: f64, tolerance: Tolerance, comparisons: u64) -> Self {
        let numbers: Vec<u64> = (0..comparisons).collect();
        let compared =
            on_all_processors(&numbers, |number| compared(scatter, slowdown, tolerance, *number));
        let count =
            |is: &dyn Fn(Reason) -> bool| compared.iter().filter(|it| is(it.reason)).count() as u64;
        let mut pairs: Vec<u32> = compared.iter().map(|it| it.pairs).collect();
        pairs.sort_unstable();
        let at = |share: f64| pairs[((pairs.len() - 1) as f64 * share) as usize];
        Self {
            comparisons,
            red: count(&|it| it == Reason::Red),
            green: count(&|it| it.verdict() == Verdict::Green),
            unstable: count(&|it| it == Reason::Unstable),
            unclear: count(&|it| it == Reason::Unclear),
            pairs_median: at(0.5),
            pairs_p90: at(0.9),
        }
    }

    /// The share of reds, with exact bounds at 95 %.
    pub fn red_rate(&self) -> Interval {
        binomial_interval(self.red, self.comparisons, MISRATE)
    }
}

/// One comparison; another number is another machine.
fn compared(scatter: Scatter, slowdown: f64, tolerance: Tolerance, number: u64) -> Compared {
    let policy = ComparisonPolicy { tolerance, seed: number, ..ComparisonPolicy::default() };
    let mut comparison = Comparison::new(Direction::Lower, policy);
    let mut random = Random::of(&[number, slowdown.to_bits()]);
    loop {
        match comparison.step() {
            ComparisonStep::Done(compared) => return *compared,
            ComparisonStep::Measure { turns, .. } => {
                let base = process(scatter, 1.0, turns.len(), &mut random);
                let head = process(scatter, slowdown, turns.len(), &mut random);
                comparison.observe(ProcessPair { base, head }, Duration::from_millis(100));
            }
        }
    }
}

fn process(scatter: Scatter, slowdown: f64, count: usize, random: &mut Random) -> Vec<Measurement> {
    let slow = if random.chance(scatter.slow) { random.between(1.15, 1.7) } else { 1.0 };
    let center = CALL_NS * slowdown * slow * (scatter.apart * random.normal()).exp();
    let value = |_| center * (scatter.within * random.normal()).exp();
    (0..count).map(value).map(Measurement::of_value_ns).collect()
}
