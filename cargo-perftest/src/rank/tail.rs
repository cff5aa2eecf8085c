//! Ranks tests by the distance of their worst measurements from the median of their run.
//!
//! Each measurement is divided by the median of its own run. So neither a change of the level nor a
//! difference between runs looks like a tail.

use super::{RankValue, UnrankedReason};
use crate::reading::Stretch;
use crate::report::{counted, json_number};
use perftest_analysis::stats::{fewest_for_quantile, upper_quantile};
use perftest_core::model::{Direction, Run, Sample};
use serde_json::json;

/// Fewest measurements with a tail beside their own median.
const FEWEST_OF_RUN: usize = 5;

pub(super) fn quantile(
    stretch: &Stretch<'_>,
    probability: f64,
) -> Result<RankValue, UnrankedReason> {
    let pool = TailPool::of(stretch, fewest_for_quantile(probability))?;
    let (have, needed) = (pool.ratios.size(), fewest_for_quantile(probability));
    let ratio = upper_quantile(&pool.ratios, probability);
    let ratio = ratio.ok_or(UnrankedReason::TooFew { have, needed, of: "measurements" })?;
    Ok(RankValue {
        key: (ratio, 0.0),
        effect: None,
        value: format!("{ratio:.3}x"),
        detail: pool.in_words(),
        json: json!({
            "probability": probability,
            "ratio": json_number(ratio),
            "measurements": have,
            "measured_runs": pool.runs,
        }),
    })
}

/// The undisturbed measurements of all runs, as ratios to the median of their run; above 1 is
/// worse.
pub(super) struct TailPool<'a> {
    pub(super) ratios: Sample,
    pub(super) runs: usize,
    pub(super) worst: f64,
    pub(super) of_worst: &'a Run,
}

impl<'a> TailPool<'a> {
    /// Collects at least `needed` measurements.
    pub(super) fn of(stretch: &'a Stretch<'_>, needed: usize) -> Result<Self, UnrankedReason> {
        let direction = stretch.facts.series.metric.direction;
        let (mut ratios, mut runs) = (Vec::new(), 0);
        let mut worst: Option<(f64, &Run)> = None;
        for &run in &stretch.runs {
            let of_run = run.center().and_then(|center| ratios_of(run, center, direction));
            let of_run = of_run.ok_or(UnrankedReason::Nothing("values not above 0"))?;
            if of_run.len() < FEWEST_OF_RUN {
                continue;
            }
            let largest = of_run.iter().copied().fold(0.0, f64::max);
            if worst.is_none_or(|(ratio, _)| largest > ratio) {
                worst = Some((largest, run));
            }
            ratios.extend(of_run);
            runs += 1;
        }
        let have = ratios.len();
        let too_few = || UnrankedReason::TooFew { have, needed, of: "measurements" };
        let (worst, of_worst) = worst.filter(|_| have >= needed).ok_or_else(too_few)?;
        let ratios =
            Sample::new(ratios).map_err(|_| UnrankedReason::Nothing("values too far apart"))?;
        Ok(Self { ratios, runs, worst, of_worst })
    }

    pub(super) fn in_words(&self) -> String {
        format!("{} of {}", counted(self.ratios.size(), "measurement"), counted(self.runs, "run"))
    }
}

/// Returns the ratios of one run; `None` if a value is not above 0.
fn ratios_of(run: &Run, center: f64, direction: Direction) -> Option<Vec<f64>> {
    let ratio = |value: f64| (value > 0.0).then(|| direction.degradation(value / center));
    let clean = run.clean();
    (center > 0.0).then(|| clean.iter().map(|it| ratio(it.value)).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Measurement;
    use perftest_store::conformance::example_run;

    fn run(values: &[f64]) -> Run {
        let measurements = values.iter().map(|value| Measurement::of_value(*value)).collect();
        Run { measurements, suspects: vec![], on_processor_time: vec![], ..example_run(0) }
    }

    #[test]
    fn a_ratio_above_one_is_worse_whichever_way_the_metric_points() {
        let run = run(&[50.0, 100.0, 200.0]);
        let ratios = |direction| ratios_of(&run, 100.0, direction).unwrap();
        assert_eq!(ratios(Direction::Lower), [0.5, 1.0, 2.0]);
        assert_eq!(ratios(Direction::Higher), [2.0, 1.0, 0.5]);
    }

    #[test]
    fn values_that_are_not_above_zero_have_no_ratio() {
        assert_eq!(ratios_of(&run(&[0.0, 100.0, 200.0]), 100.0, Direction::Lower), None);
        assert_eq!(ratios_of(&run(&[0.0; 3]), 0.0, Direction::Lower), None);
    }
}
