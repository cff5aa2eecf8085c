//! Bounds of the degradation from several pairs of processes.
//!
//! Definition: the center (Hodges and Lehmann) of the pairs' logarithms, and on each side the
//! further one of two bounds:
//!
//! * the conservative signed-rank bound of the center, or the furthest pair while there are too few
//!   pairs for one: with so few pairs none may contradict a verdict;
//! * the center and t times the deviation over the root of the number of pairs, because rank bounds
//!   of few similar pairs are too narrow.
//!
//! The deviation is that of [`PairSpread`].
//!
//! A few processes in a hundred are slow from start to end whatever code they run. So pairs further than
//! 4 deviations from the median are excluded first: never so many that fewer than the fewest or two
//! thirds are left, and only while they lie on both sides. Frequent slow processes on one side only
//! are no accident.
//!
//! Source. The number of excluded pairs is a choice, which `cargo run --release -p perftest-simulate -- --side-by-side`
//! and the campaign `side-by-side.sh` check.

use super::pair_spread::PairSpread;
use crate::list::IntoList;
use crate::model::{Interval, Sample};
use crate::stats::{MedianAbsoluteDeviation, RankStep, center_bounds, shamos_deviation};

/// Of normal pairs, one in 16,000 lies further from the median than this many deviations.
const FAR: f64 = 4.0;
/// The largest share of excluded pairs. A convention, which the campaign `side-by-side.sh` checks.
const MOST_FAR: f64 = 1.0 / 3.0;
/// The largest surplus of far pairs on one side, as a share of all pairs, that may be an accident; a surplus of one
/// always may. A convention, checked there too: frequent slow processes on one side are no accident.
const ONE_SIDED: f64 = 0.1;

/// The logarithms of the pairs' degradations, and their scatter.
#[derive(Debug, Clone)]
pub(super) struct PairBounds {
    logs: Sample,
    pub(super) spread: PairSpread,
}

impl PairBounds {
    /// Creates bounds from the logarithms of all pairs, of which at least `fewest` are kept. Processes of
    /// the same code usually differ by `process_spread`.
    pub(super) fn of(all: &Sample, fewest: usize, process_spread: f64) -> Self {
        let logs = usual(all, fewest, process_spread).unwrap_or_else(|| all.clone());
        let spread = PairSpread::of(shamos_deviation(&logs), logs.size(), process_spread);
        Self { logs, spread }
    }

    /// Number of pairs that count.
    pub(super) fn size(&self) -> usize {
        self.logs.size()
    }

    /// Returns center and bounds, each missing with at most `misrate`.
    pub(super) fn at(&self, misrate: f64) -> Interval {
        let ends = self.logs.range();
        let bounds = |misrate| center_bounds(&self.logs, misrate, RankStep::Conservative);
        let center = bounds(0.5).map_or(ends.estimate, |it| it.estimate);
        let ranks = bounds(misrate).unwrap_or(ends);
        let margin = self.spread.margin(self.logs.size(), misrate);
        Interval {
            estimate: center,
            lower: ranks.lower.min(center - margin),
            upper: ranks.upper.max(center + margin),
        }
    }
}

/// Returns the pairs without those in which one process was slow from start to end; `None` if none
/// may be excluded.
fn usual(all: &Sample, fewest: usize, process_spread: f64) -> Option<Sample> {
    let size = all.size();
    let own = MedianAbsoluteDeviation::INTERPOLATED.of(all);
    let PairSpread { deviation, .. } = PairSpread::of(own, size, process_spread);
    let (low, high) = (all.median() - FAR * deviation, all.median() + FAR * deviation);
    let kept: Vec<f64> =
        all.values().iter().copied().filter(|it| (low..=high).contains(it)).into_list();
    let far = size - kept.len();
    let above = all.values().iter().count_where(|it| **it > high);
    let one_sided = above.abs_diff(far - above) as f64;
    let is_accident = one_sided <= (ONE_SIDED * size as f64).max(1.0);
    let leaves_enough = kept.len() >= fewest && far as f64 <= MOST_FAR * size as f64;
    (is_accident && leaves_enough).then(|| Sample::new(kept).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEWEST: usize = 5;

    fn bounds(logs: &[f64]) -> PairBounds {
        PairBounds::of(&Sample::new(logs.to_vec()).unwrap(), FEWEST, 0.01)
    }

    /// Returns the bounds of this many usual pairs, and then these.
    fn with_far(usual: u32, far: &[f64]) -> PairBounds {
        let usual = (0..usual).map(|i| 0.03 * ((f64::from(i) * 0.618).fract() - 0.5));
        bounds(&usual.chain(far.iter().copied()).collect::<Vec<f64>>())
    }

    #[test]
    fn a_slow_process_of_either_side_is_set_aside_once_enough_others_are_left() {
        assert_eq!(with_far(4, &[0.3]).size(), 5);
        assert_eq!(with_far(5, &[0.3]).size(), 5);
        let both = with_far(30, &[0.3, -0.4, 0.2, 0.5]);
        assert_eq!(both.size(), 30);
        assert!(both.spread.deviation < 0.013, "{both:?}");
    }

    #[test]
    fn what_is_often_slow_on_one_side_only_is_no_accident() {
        assert_eq!(with_far(36, &[0.3; 4]).size(), 36);
        assert_eq!(with_far(35, &[0.3; 5]).size(), 40);
        assert_eq!(with_far(35, &[-0.3; 5]).size(), 40);
        assert_eq!(with_far(8, &[0.3; 2]).size(), 10);
    }

    #[test]
    fn pairs_of_two_kinds_are_all_kept() {
        assert_eq!(with_far(14, &[0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3]).size(), 22);
    }

    #[test]
    fn few_pairs_that_agree_still_have_the_spread_of_the_prior() {
        let same = bounds(&[0.0; 5]);
        assert!(same.at(1e-3).upper > 0.015);
        assert!(bounds(&[0.0; 40]).at(1e-3).upper < 0.003);
    }

    #[test]
    fn one_pair_alone_keeps_few_pairs_from_a_verdict() {
        let one_far = bounds(&[0.0, 0.0, 0.0, 0.0, 0.3]).at(1e-3);
        assert!(one_far.upper >= 0.3 && one_far.lower > -0.1, "{one_far:?}");
        assert!(with_far(39, &[0.3]).at(1e-3).upper < 0.01);
    }

    #[test]
    fn the_center_lies_between_its_bounds() {
        for size in [1, 2, 5, 12, 40] {
            let logs: Vec<f64> = (0..size).map(|i| (f64::from(i) * 0.618).fract()).collect();
            let at = bounds(&logs).at(1e-3);
            assert!(at.lower <= at.estimate && at.estimate <= at.upper, "{size}: {at:?}");
        }
    }

    #[test]
    fn what_so_many_pairs_detect_lies_beyond_their_bound_in_99_of_100_cases() {
        const SAMPLES: usize = 2_000;
        let mut random = pragmastat::Rng::from_seed(1);
        let misrate = 0.002 / 7.0;
        for (pairs, deviation) in [3, 5, 8, 10, 12, 13, 14, 17, 20, 28]
            .into_iter()
            .flat_map(|it| [(it, 0.014), (it, 0.03)])
        {
            let detectable = PairSpread::of(deviation, pairs, 0.01).detectable(pairs, misrate);
            // Twelve uniform numbers make a normal one of deviation 1.
            let mut normal = || (0..12).map(|_| random.uniform_f64()).sum::<f64>() - 6.0;
            let mut is_found = || {
                let logs = (0..pairs).map(|_| detectable + deviation * normal());
                bounds(&logs.collect::<Vec<f64>>()).at(misrate).lower > 0.0
            };
            let found = (0..SAMPLES).filter(|_| is_found()).count();
            assert!(found >= 982 * SAMPLES / 1_000, "{pairs} pairs, {deviation}: {found}");
        }
    }
}
