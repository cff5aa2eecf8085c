//! How much of its work a body does in threads beside each other: its processor time over its wall time.
//!
//! Other work that takes a processor makes threads run one after the other, and bodies whose threads
//! disturb each other even faster by that: their wall time is no measure of their code then.

use super::round::Round;
use crate::model::{Baseline, Observation};

/// A share of the usual by which runs differ on a machine that is as busy as before.
const USUAL_DIFFERENCE: f64 = 0.10;

/// The parallelism of the runs of a baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parallelism {
    least: f64,
    most: f64,
}

impl Parallelism {
    /// Of all runs; `None` where one does not know it.
    pub(super) fn of(baseline: &Baseline) -> Option<Self> {
        let runs: Option<Vec<f64>> = baseline.centers.iter().map(parallelism).collect();
        let runs = runs?;
        let least = runs.iter().copied().reduce(f64::min)?;
        let most = runs.iter().copied().reduce(f64::max)?;
        Some(Self { least, most })
    }

    /// Whether the round was measured under another one than all runs.
    pub(super) fn differs_in(&self, round: &Round) -> bool {
        let now = Observation::center(&round.fair()).and_then(|center| parallelism(&center));
        let usual = self.least * (1.0 - USUAL_DIFFERENCE)..=self.most * (1.0 + USUAL_DIFFERENCE);
        now.is_some_and(|now| !usual.contains(&now))
    }
}

fn parallelism(observation: &Observation) -> Option<f64> {
    let ratio = observation.processor_ns? / observation.value;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Condition;
    use crate::model::{BaselineRule, Measurement};

    fn at(parallelism: f64) -> Observation {
        Observation { processor_ns: Some(100.0 * parallelism), ..Observation::from(100.0) }
    }

    fn baseline(centers: Vec<Observation>) -> Baseline {
        Baseline { centers, ..Baseline::empty(&BaselineRule::default()) }
    }

    fn round(parallelism: f64) -> Round {
        let processor_ns = (100.0 * parallelism) as u64;
        let batch =
            Measurement { process_cpu_ns: Some(processor_ns), ..Measurement::of_value_ns(100.0) };
        Round::of(&[batch; 3], &[Condition::Clean; 3])
    }

    #[test]
    fn a_processor_less_than_in_every_run_is_another_parallelism() {
        let usual = Parallelism::of(&baseline(vec![at(1.8), at(1.9), at(1.7)])).unwrap();
        assert!(!usual.differs_in(&round(1.8)) && !usual.differs_in(&round(1.6)));
        assert!(usual.differs_in(&round(1.0)) && usual.differs_in(&round(2.2)));
        let of_both = Parallelism::of(&baseline(vec![at(1.8), at(1.0)])).unwrap();
        assert!(!of_both.differs_in(&round(1.0)));
    }

    #[test]
    fn where_a_run_does_not_know_its_processor_time_nothing_is_concluded() {
        assert_eq!(Parallelism::of(&baseline(vec![at(1.8), Observation::from(100.0)])), None);
        let usual = Parallelism::of(&baseline(vec![at(1.8)])).unwrap();
        let unknown = Round::of(&[Measurement::of_value_ns(100.0)], &[Condition::Clean]);
        assert!(!usual.differs_in(&unknown));
    }
}
