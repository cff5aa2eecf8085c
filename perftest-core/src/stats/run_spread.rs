//! How far apart runs of the same code lie.
//!
//! Definition: the Shamos spread (median of the pairwise distances) of the
//! logarithms of the centers of the faster 60% of the runs, scaled to the standard deviation of
//! a normal sample, and pulled towards a prior of 1% that counts as four runs.
//!
//! The faster ones, because interference only makes runs slower: two slow runs among the first
//! five would otherwise make a steady test look hopeless. In a normal sample the median distance
//! within the lower 60% is 0.5852371 deviations (by numerical integration); in samples of 5, 10
//! and 30 runs the scaled estimate is on average 1.48, 1.18 and 1.05 times the deviation, which
//! `1 + 2/n` takes back.
//!
//! The prior is measured: two processes of one executable usually differ by 1 to 3% in the
//! median while the interval inside each is 0.3%; undisturbed measurements of recorded
//! processes, normalised, by 0.03 to 1.1% (docs/evidence/noise.md). Five runs alone cannot show that;
//! thirty can, and then the prior hardly counts.

use super::{median_distance, student_quantile};
use crate::model::Sample;

const PRIOR_WEIGHT: f64 = 4.0;
/// The share of the runs that is looked at, from the fastest.
const FASTER: f64 = 0.6;
const TO_DEVIATION: f64 = 1.0 / 0.585_237_1;
/// In a sample of n runs the estimate is on average `1 + BIAS / n` times too large.
const BIAS: f64 = 2.0;
/// The share of the centers' variance that their error never explains.
const LEAST_SHARE: f64 = 0.04;
/// Distance of the median of the faster runs below the median of all, in deviations.
const FASTER_BELOW_ALL: f64 = 0.524_4;
/// Of unchanged runs, one in 740 lies further above the middle.
const USUAL_DEVIATIONS: f64 = 3.0;

/// The between-run spread of a history, which more iterations in one process do not reduce.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpread {
    /// Of processes measured without end.
    between: f64,
    deviation: f64,
    freedom: f64,
    runs: f64,
    /// Middle of the faster runs.
    faster_middle: f64,
}

impl RunSpread {
    /// How far apart processes of the same code usually lie in time: the prior of
    /// [`of`](Self::of), as a logarithm.
    pub const OF_TIMES: f64 = 0.01;

    /// The spread of `log_centers`: logarithms of the runs' centers.
    pub fn of(log_centers: &Sample) -> Self {
        Self::of_processes(log_centers, Self::OF_TIMES, 0.0, 0.0)
    }

    /// The spread of processes that usually lie `prior` apart, each measured so often that its
    /// center has the standard deviation `process_error` by its own values alone; those of the
    /// history have `center_error`, because a quick green ends after three measurements.
    pub fn of_processes(
        log_centers: &Sample,
        prior: f64,
        center_error: f64,
        process_error: f64,
    ) -> Self {
        let faster = (FASTER * log_centers.size() as f64).ceil() as usize;
        let faster = &log_centers.sorted()[..faster];
        // One run, or runs that agree to the last digit, have no spread of their own.
        let spread = median_distance(faster);
        let own = spread * TO_DEVIATION / (1.0 + BIAS / log_centers.size() as f64);
        let own = (own * own - center_error * center_error).max(own * own * LEAST_SHARE).sqrt();
        let own_weight = (faster.len() - 1) as f64;
        let freedom = PRIOR_WEIGHT + own_weight;
        let variance = (PRIOR_WEIGHT * prior * prior + own_weight * own * own) / freedom;
        Self {
            between: variance.sqrt(),
            deviation: variance.sqrt().hypot(process_error),
            freedom,
            runs: log_centers.size() as f64,
            faster_middle: Sample::median_of(faster).unwrap_or(0.0),
        }
    }

    /// Standard deviation between processes, however often each is measured (logarithm).
    pub fn between_processes(&self) -> f64 {
        self.between
    }

    /// Standard deviation of the logarithm of one run's center.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Above this a run was held up by something else than its code: what its process was given,
    /// or its machine, for all of its time.
    pub fn held_up_above(&self) -> f64 {
        self.faster_middle + (FASTER_BELOW_ALL + USUAL_DEVIATIONS) * self.deviation
    }

    /// Degrees of freedom of the deviation.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// How far the center of `processes` new processes may lie from the history's center by
    /// between-run spread alone, except with probability `misrate` on each side (logarithm).
    ///
    /// The prediction interval of a normal sample with unknown variance: t times the deviation
    /// times the root of 1/processes + 1/runs.
    pub fn margin(&self, processes: u32, misrate: f64) -> f64 {
        self.margin_between(f64::from(processes.max(1)), self.runs, misrate)
    }

    /// The same for the centers of `some` and of `others`, runs that both scatter like this.
    pub fn margin_between(&self, some: f64, others: f64, misrate: f64) -> f64 {
        let share = 1.0 / some + 1.0 / others;
        student_quantile(self.freedom, 1.0 - misrate) * self.deviation * share.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: &[f64]) -> RunSpread {
        RunSpread::of(&Sample::new(values.to_vec()).unwrap())
    }

    #[test]
    fn runs_that_agree_exactly_still_have_the_spread_of_the_prior() {
        let few = spread(&[1.0; 5]).deviation();
        assert!((few - RunSpread::OF_TIMES * (4.0 / 6.0_f64).sqrt()).abs() < 1e-12);
        assert!(spread(&[1.0; 30]).deviation() < few);
    }

    #[test]
    fn a_single_run_has_the_prior_and_no_more() {
        assert_eq!(spread(&[3.0]).deviation(), RunSpread::OF_TIMES);
    }

    #[test]
    fn two_slow_runs_of_five_do_not_count_as_the_tests_own_spread() {
        let steady = spread(&[0.000, 0.002, 0.004, 0.005, 0.006]);
        let hit = spread(&[0.000, 0.002, 0.004, 0.300, 0.400]);
        assert_eq!(steady.deviation(), hit.deviation());
        assert!(spread(&[0.0, 0.1, 0.2, 0.3, 0.4]).deviation() > 5.0 * hit.deviation());
    }

    #[test]
    fn a_run_held_up_is_distinguished_from_the_usual_ones_even_when_a_third_are() {
        let hit = spread(&[0.000, 0.002, 0.004, 0.006, 0.010, 0.3, 0.4]);
        assert!(hit.held_up_above() > 0.012 && hit.held_up_above() < 0.1);
    }

    #[test]
    fn more_processes_narrow_the_margin_and_it_ends_at_the_histories_own_error() {
        let spread = spread(&[0.0, 0.01, 0.02, 0.01, 0.0]);
        assert!(spread.margin(1, 1e-3) > spread.margin(3, 1e-3));
        assert!(spread.margin(1_000_000, 1e-3) > 0.4 * spread.margin(1, 1e-3));
    }
}
