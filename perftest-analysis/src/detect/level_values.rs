//! When two neighbouring levels of a history differ, and where the change between them is.

use super::stretch_sums::StretchSums;
use crate::stats::RankSumTest;
use perftest_core::model::Sample;

/// The fewest values of a level. Chosen on the series of docs/evidence/change-points.md, which has the scores of 8
/// and 12, too.
pub(super) const FEWEST: usize = 10;
/// Fences for steps: Tukey's. Source: 1.5 interquartile ranges (Tukey 1977).
pub(super) const FENCES: f64 = 1.5;
/// Medians count as equal if they differ by less than this share of the larger one. A convention:
/// docs/evidence/change-points.md has the scores of 1%, too.
const SMALLEST: f64 = 0.02;
/// Probability that a search finds a step by ranks in values whose order says nothing. A convention, that of
/// [`change_by_ranks`](perftest_core::stats::change_by_ranks).
const MISRATE: f64 = 1e-3;

/// The indices of values of one level, ascending; temporary changes are left out.
pub(super) type LevelIndices = Vec<usize>;

/// The values of a history.
pub(super) struct LevelValues {
    pub(super) values: Vec<f64>,
    /// Support that a step needs.
    pub(super) price: f64,
}

impl LevelValues {
    /// Number of values.
    pub(super) fn size(&self) -> usize {
        self.values.len()
    }

    /// Returns the median of values by their indices; 0 without any.
    pub(super) fn median(&self, places: &[usize]) -> f64 {
        Sample::median_of(&self.at(places)).unwrap_or(0.0)
    }

    /// Returns values by their indices.
    pub(super) fn at(&self, places: &[usize]) -> Vec<f64> {
        places.iter().map(|place| self.values[*place]).collect()
    }

    /// Joins neighbouring levels, the weakest change first, until every change stands.
    pub(super) fn merge(&self, levels: &mut Vec<LevelIndices>) {
        let pairs = levels.windows(2).map(|pair| self.standing(&pair[0], &pair[1]));
        let mut standings: Vec<f64> = pairs.collect();
        loop {
            let weakest =
                (0..standings.len()).min_by(|a, b| standings[*a].total_cmp(&standings[*b]));
            let Some(index) = weakest.filter(|index| standings[*index] <= 0.0) else {
                return;
            };
            let joined = levels.remove(index + 1);
            levels[index].extend(joined);
            standings.remove(index);
            for pair in [index.checked_sub(1), Some(index)].into_iter().flatten() {
                if let Some(standing) = standings.get_mut(pair) {
                    *standing = self.standing(&levels[pair], &levels[pair + 1]);
                }
            }
        }
    }

    /// Returns how clearly two neighbouring levels differ; not above 0 if they are one.
    pub(super) fn standing(&self, before: &[usize], after: &[usize]) -> f64 {
        if !self.differ(before, after) {
            return f64::NEG_INFINITY;
        }
        let (stretch, step) = self.step_between(before, after);
        let support = stretch.support(step);
        (support - self.price).min(support - stretch.support(stretch.drift()))
    }

    /// Returns whether two neighbouring levels are one with a drift: a straight line explains as
    /// much as the step, and enough.
    pub(super) fn are_drift(&self, before: &[usize], after: &[usize]) -> bool {
        let (stretch, step) = self.step_between(before, after);
        stretch.drift() >= step && stretch.support(stretch.drift()) > self.price
    }

    /// Returns two neighbouring levels, summed up, and how much the step between them explains.
    fn step_between(&self, before: &[usize], after: &[usize]) -> (StretchSums, f64) {
        let values = self.at(&[before, after].concat());
        let stretch = StretchSums::of(&values, FENCES);
        let stretch = self.around_step(stretch, &values, before.len());
        let step = stretch.explained(before.len()..values.len());
        (stretch, step)
    }

    /// Returns the `stretch` of these values, or where the step has not enough support in it, that
    /// [around the step](StretchSums::around_step) if it has enough there and by ranks.
    pub(super) fn around_step(
        &self,
        stretch: StretchSums,
        values: &[f64],
        step: usize,
    ) -> StretchSums {
        let has_enough = |stretch: &StretchSums| {
            stretch.support(stretch.explained(step..values.len())) > self.price
        };
        if has_enough(&stretch) || values.len() < 2 * FEWEST {
            return stretch;
        }
        let around = StretchSums::around_step(values, step, FENCES);
        if has_enough(&around) && is_step_by_ranks(values, step) { around } else { stretch }
    }

    /// Returns whether the medians differ by a relevant amount.
    pub(super) fn differ(&self, a: &[usize], b: &[usize]) -> bool {
        let [a, b] = [a, b].map(|places| self.median(places));
        (a - b).abs() >= SMALLEST * a.abs().max(b.abs()) && a != b
    }

    /// Moves each change to where it explains most of the levels beside it; returns whether one
    /// moved.
    pub(super) fn move_changes(&self, levels: &mut [LevelIndices]) -> bool {
        let mut has_moved = false;
        for index in 1..levels.len() {
            let both = [levels[index - 1].as_slice(), &levels[index]].concat();
            let best = StretchSums::of(&self.at(&both), FENCES).best_step(FEWEST);
            let Some((step, _)) = best.filter(|(step, _)| *step != levels[index - 1].len()) else {
                continue;
            };
            levels[index - 1] = both[..step].to_vec();
            levels[index] = both[step..].to_vec();
            has_moved = true;
        }
        has_moved
    }
}

/// Returns whether the values on both sides of a step differ by ranks, which needs no distribution, at as many places as
/// a search tries.
fn is_step_by_ranks(values: &[f64], step: usize) -> bool {
    let places = (values.len() + 1 - 2 * FEWEST) as f64;
    let side = |values: &[f64]| Sample::new(values.to_vec()).ok();
    let sides = side(&values[..step]).zip(side(&values[step..]));
    let test = sides.and_then(|(before, after)| RankSumTest::of(&before, &after));
    test.is_some_and(|test| test.two_sided * places <= MISRATE)
}
