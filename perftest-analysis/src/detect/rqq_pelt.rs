//! RqqPelt: changes where neighbouring segments overlap less than their own halves do.
//!
//! Definition: a stretch is represented by 12 of its values, those of rank trunc((m - 1) i / 11) of its m.
//! They cut it into 11 parts; the [distance](distance) of two stretches is one minus the product of
//! the shares of each that the other's parts cover, parts 5 places apart counting 0.9 and parts 10
//! apart 0.8. A change between (u, s] and (s, t] is worth h = 1.35 times their distance, less 0.35
//! times the larger of the distances between the halves of each, if that is above 0.5, else nothing;
//! it costs 0.5. The segmentation is that of [`pelt`](super::pelt), with u the last change before s.
//!
//! Source: Perfolizer, which has no paper on it; the answers are the same.
//!
//! Behaviour: finds changes of level, spread or shape, and every one of many; on very noisy values it
//! adds one or two, as in ten thousand unchanged values. More than 20,000 values are searched in
//! windows of that length. Since a cost depends on the segment before, the search is a heuristic. Differences
//! of values below 1e-5 count as zero: use nanoseconds, not seconds. The
//! tool multiplies values of a narrow range before it asks.
//!
//! Cost: the published search takes n^2 / 2 distances where nothing changes. Here a candidate is skipped
//! while its change provably is worth too little ([`pelt`](super::pelt)). The proof: how many values
//! of (s, t] lie below a value of (u, s] only grows with t, so the counts at both ends of a horizon
//! show which parts can meet on the way, and so the largest distance ([`Growth`]). Horizons are half of
//! what (s, t] has, so a candidate is checked a number of times logarithmic in n, if nothing changes. Tied
//! values need the counts at some ends between too: parts of equal values overlap with many others, and so
//! much depends on which points are equal.

use super::pelt::{self, Candidate, CostForecast, NEAR, SegmentCost};
use super::rqq_distance::{
    Growth, POINTS, Points, Stage, distance, farthest, largest_crowd, ranks,
};
use super::{RangeQuantiles, windows};
use perftest_core::model::Sample;
use std::ops::Range;

/// Source of this and the next two: Perfolizer. Here it is the price of a change.
const SENSITIVITY: f64 = 0.5;
const HETEROGENEITY: f64 = 1.35;
const HOMOGENEITY: f64 = 0.35;
/// Number of intermediate checks of tied values. Counts of few distinct values cost little, and the overlap of their
/// points is only known if the counts are known well. A convention: it changes no answer.
const STAGES: usize = 4;

/// Indices of the first values after each change, ascending; changes lie at least `min_distance`
/// values from each other and from both ends. A series of fewer than two such distances, or of two
/// values, has none.
///
/// ```
/// use perftest_analysis::detect::rqq_pelt;
/// use perftest_core::model::Sample;
/// let level = |level: f64| (0..30).map(move |n| level + f64::from(n * 7 % 11));
/// let series = Sample::new(level(0.0).chain(level(50.0)).collect()).unwrap();
/// assert_eq!(rqq_pelt(&series, 20), [30]);
/// ```
pub fn rqq_pelt(series: &Sample, min_distance: usize) -> Vec<usize> {
    windows::changes(series, |series| {
        pelt::changes(series.size(), min_distance.max(1), SENSITIVITY, &mut Overlap::of(series))
    })
}

/// The cost of segments, from a few quantiles of each.
struct Overlap {
    quantiles: RangeQuantiles,
    /// The largest number of values that differ by too little to count.
    crowd: usize,
    /// By start: the segment that ends there.
    left: Vec<Option<LeftSegment>>,
}

/// The segment before a change.
#[derive(Debug, Clone, Copy)]
struct LeftSegment {
    points: Points,
    /// Number of the series' distinct values below each point.
    below: [usize; POINTS],
    /// Number of the series' distinct values up to each point.
    upto: [usize; POINTS],
    /// The distance of its halves.
    halves: f64,
}

impl Overlap {
    fn of(series: &Sample) -> Self {
        Self {
            quantiles: RangeQuantiles::new(series),
            crowd: largest_crowd(series.sorted()),
            left: vec![None; series.size()],
        }
    }

    fn points(&self, start: usize, end: usize) -> Points {
        ranks(end - start).map(|rank| self.quantiles.selected(start..end, rank))
    }

    /// Returns the distance of the halves of a segment; 0 if one is empty.
    fn halves(&self, start: usize, end: usize) -> f64 {
        let middle = usize::midpoint(start, end);
        match start == middle {
            true => 0.0,
            false => distance(&self.points(start, middle), &self.points(middle, end)),
        }
    }

    fn left(&mut self, previous: usize, start: usize) -> LeftSegment {
        if let Some(left) = self.left[start] {
            return left;
        }
        let points = self.points(previous, start);
        let left = LeftSegment {
            points,
            below: points.map(|point| self.quantiles.distinct_below(point)),
            upto: points.map(|point| self.quantiles.distinct_upto(point)),
            halves: self.halves(previous, start),
        };
        self.left[start] = Some(left);
        left
    }

    /// Returns a lower bound of the cost of (start, end] from the present end to a farther one.
    fn least(&self, left: &LeftSegment, start: usize, end: usize, far: usize) -> f64 {
        let range = [0, end - start - 1].map(|k| self.quantiles.selected(start..end, k));
        let is_tied = left.points.windows(2).any(|pair| pair[0] == pair[1]);
        let stages = match is_tied {
            true => (0..=STAGES)
                .map(|stage| self.stage(left, start..end + (far - end) * stage / STAGES))
                .collect(),
            false => {
                // If no points are equal, the other two counts add hardly any information.
                let below = left.below.map(|it| self.quantiles.count(start..end, it));
                let upto = left.upto.map(|it| self.quantiles.count(start..far, it));
                vec![Stage::new(end - start, below, below), Stage::new(far - start, upto, upto)]
            }
        };
        worth_at_most(farthest(&left.points, &Growth { range, stages }), left)
    }

    /// A stretch beside the points of another one. Of equal points each is counted once.
    fn stage(&self, left: &LeftSegment, stretch: Range<usize>) -> Stage {
        let (mut below, mut upto) = ([0; POINTS], [0; POINTS]);
        for index in 0..POINTS {
            let last = index.checked_sub(1);
            if let Some(last) = last.filter(|last| left.points[*last] == left.points[index]) {
                (below[index], upto[index]) = (below[last], upto[last]);
                continue;
            }
            below[index] = match last.filter(|last| left.upto[*last] == left.below[index]) {
                Some(last) => upto[last],
                None => self.quantiles.count(stretch.clone(), left.below[index]),
            };
            upto[index] = self.quantiles.count(stretch.clone(), left.upto[index]);
        }
        Stage::new(stretch.len(), below, upto)
    }
}

/// A lower bound of the cost of a segment that is at most this far from the one before.
fn worth_at_most(distance: f64, left: &LeftSegment) -> f64 {
    let worth = distance * HETEROGENEITY - left.halves * HOMOGENEITY;
    // A bit more than the rounding of sums.
    if worth < SENSITIVITY - NEAR { 0.0 } else { -worth }
}

impl SegmentCost for Overlap {
    fn cost(&mut self, previous: usize, start: usize, end: usize) -> f64 {
        if previous == start {
            return 0.0;
        }
        let left = self.left(previous, start);
        let apart = distance(&left.points, &self.points(start, end)) * HETEROGENEITY;
        // The halves of the other segment can only reduce it further.
        if apart - left.halves * HOMOGENEITY <= SENSITIVITY {
            return 0.0;
        }
        let worth = apart - left.halves.max(self.halves(start, end)) * HOMOGENEITY;
        if worth > SENSITIVITY { -worth } else { 0.0 }
    }

    fn stays_above(&mut self, candidate: &Candidate, forecast: &mut CostForecast) -> usize {
        let (start, end) = (candidate.start, forecast.end);
        if candidate.previous == start {
            return forecast.below(candidate.with(0.0), forecast.reach(), self);
        }
        let left = self.left(candidate.previous, start);
        let nowhere =
            forecast.below(candidate.with(worth_at_most(1.0, &left)), forecast.reach(), self);
        if nowhere > end || (end - start - 1) / POINTS <= self.crowd {
            return nowhere;
        }
        for part in [2, 8, 32] {
            let far = forecast.reach().min(end + (end - start) / part);
            let least = candidate.with(self.least(&left, start, end, far));
            let until = forecast.below(least, far, self);
            if until > end {
                return until;
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::pelt_tests::{published_changes, series_of_every_kind};
    use crate::noise::normal;
    use perftest_core::stats::Random;

    #[test]
    fn the_answers_are_those_of_the_published_search() {
        for (size, min_distance) in [(9, 1), (60, 1), (100, 5), (300, 20)] {
            for (name, series) in series_of_every_kind(size, size as u64) {
                let cost = &mut Overlap::of(&series);
                let published = published_changes(size, min_distance, SENSITIVITY, cost);
                assert_eq!(rqq_pelt(&series, min_distance), published, "{name}");
            }
        }
    }

    /// Counts how often a candidate is checked.
    struct LookCounter {
        overlap: Overlap,
        looks: usize,
    }

    impl SegmentCost for LookCounter {
        fn cost(&mut self, previous: usize, start: usize, end: usize) -> f64 {
            self.looks += 1;
            self.overlap.cost(previous, start, end)
        }

        fn stays_above(&mut self, candidate: &Candidate, forecast: &mut CostForecast) -> usize {
            self.overlap.stays_above(candidate, forecast)
        }
    }

    #[test]
    fn tied_values_are_looked_at_hardly_more_often_than_others() {
        let mut random = Random::new(3);
        let noise: Vec<f64> = (0..2_000).map(|_| normal(&mut random)).collect();
        let looks = |value: &dyn Fn(f64, usize) -> f64| {
            let values = noise.iter().zip(0..).map(|(noise, index)| value(*noise, index));
            let overlap = Overlap::of(&Sample::new(values.collect()).unwrap());
            let mut counted = LookCounter { overlap, looks: 0 };
            pelt::changes(noise.len(), 20, SENSITIVITY, &mut counted);
            counted.looks
        };
        let untied = looks(&|noise, _| noise);
        let tied: [&dyn Fn(f64, usize) -> f64; 4] = [
            &|noise, _| (57.0 + 1.5 * noise).round(),
            &|noise, _| (100.0 + 2.0 * noise).round(),
            &|noise, _| f64::from(u8::from(noise > 0.0)),
            &|_, index| (index % 2) as f64,
        ];
        for (kind, tied) in tied.into_iter().enumerate() {
            let tied = looks(tied);
            assert!(2 * tied <= 3 * untied, "kind {kind}: {tied}, and {untied} of untied values");
        }
    }
}
