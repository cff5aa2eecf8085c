//! A stretch of a history, and how well steps, bumps and drifts explain it.
//!
//! Definition: a shape explains what it takes off the sum of squared distances from the mean. Values
//! beyond the fences (a few times the distance of the quartiles below the first and above the third)
//! count as if they were on them, so that a few extreme values explain nothing; where both quartiles
//! are the same there are no fences.
//! The [support](Stretch::support) of a shape is twice the logarithm of the likelihood ratio to no
//! shape at all, for normal noise of unknown spread: -m ln(1 - share explained), m values.

use std::ops::{Range, RangeInclusive};

/// The values of a stretch, summed up.
#[derive(Debug, Clone)]
pub(super) struct StretchSums {
    /// The sum of the distances from the mean, by number of values.
    sums: Vec<f64>,
    /// Sum of the squared distances from the mean.
    total: f64,
    /// The share that a straight line explains.
    drift: f64,
}

impl StretchSums {
    /// The values of a stretch in their order, with fences that are `reach` times the distance of the
    /// quartiles away from them.
    pub(super) fn of(values: &[f64], reach: f64) -> Self {
        Self::within(values, fences(values, reach))
    }

    /// The same with known fences.
    pub(super) fn within(values: &[f64], [low, high]: [f64; 2]) -> Self {
        let within = |value: &f64| value.clamp(low, high);
        let size = values.len() as f64;
        let mean = values.iter().map(within).sum::<f64>() / size;
        let mut it = Self { sums: vec![0.0], total: 0.0, drift: 0.0 };
        let (mut sum, mut along, mut times) = (0.0, 0.0, 0.0);
        for (index, value) in values.iter().enumerate() {
            let distance = within(value) - mean;
            let time = index as f64 - (size - 1.0) / 2.0;
            sum += distance;
            it.sums.push(sum);
            it.total += distance * distance;
            along += time * distance;
            times += time * time;
        }
        if times > 0.0 {
            it.drift = along * along / times;
        }
        it
    }

    /// The same around a step, where each value is first within the fences of its own side: a few values that are back
    /// at the other level, or far from both, do not hide a step.
    pub(super) fn around_step(values: &[f64], step: usize, reach: f64) -> Self {
        let sides = [&values[..step], &values[step..]];
        let within_own = |side: &&[f64]| {
            let [low, high] = fences(side, reach);
            side.iter().map(|value| value.clamp(low, high)).collect::<Vec<f64>>()
        };
        // The fences of all are still needed: three extreme values of ten widen those of their side.
        Self::within(
            &sides.iter().flat_map(within_own).collect::<Vec<f64>>(),
            fences(values, reach),
        )
    }

    /// Number of values.
    fn size(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns the support of a shape that explains this much.
    pub(super) fn support(&self, explained: f64) -> f64 {
        let share = explained / self.total;
        // Limited, so that a longer stretch has more support even if all is explained. If there is
        // nothing to explain, the share is no number.
        if share > 0.0 { -(self.size() as f64) * (1.0 - share).max(1e-12).ln() } else { 0.0 }
    }

    /// Returns how much a straight line explains.
    pub(super) fn drift(&self) -> f64 {
        self.drift
    }

    /// Returns how much another level of the values in `part` explains.
    pub(super) fn explained(&self, part: Range<usize>) -> f64 {
        self.explained_by(self.sums[part.end] - self.sums[part.start], part.len())
    }

    /// Returns how much another level of so many values explains, whose distances from the mean have this sum.
    fn explained_by(&self, sum: f64, values: usize) -> f64 {
        let (size, inside) = (self.size() as f64, values as f64);
        size * sum * sum / (inside * (size - inside))
    }

    /// Returns the step that explains most, as its first value, and how much it explains; no level
    /// has fewer than `fewest` values.
    pub(super) fn best_step(&self, fewest: usize) -> Option<(usize, f64)> {
        let last = self.size().checked_sub(fewest)?;
        let steps = (fewest..=last).map(|step| (step, self.explained(step..self.size())));
        steps.reduce(|best, step| if step.1 > best.1 { step } else { best })
    }

    /// The passing level that explains most, and what it explains; its length is one of `lengths` and
    /// there are at least `fewest` values before and after it.
    pub(super) fn best_bump(
        &self,
        lengths: Range<usize>,
        fewest: usize,
    ) -> Option<(Range<usize>, f64)> {
        let mut best: Option<(Range<usize>, f64)> = None;
        for length in lengths {
            let last = self.size().checked_sub(fewest + length).filter(|last| fewest <= *last);
            let Some(last) = last else { break };
            // Of levels of one length, the one with the largest sum explains most. That is found without a division.
            let most = self.explained_by(self.largest_sum(fewest..=last, length), length);
            if best.as_ref().is_none_or(|(_, explained)| most > *explained) {
                let bump = |start: usize| start..start + length;
                let mut starts = fewest..=last;
                let first = starts.find(|start| self.explained(bump(*start)) == most);
                best = first.map(|start| (bump(start), most)).or(best);
            }
        }
        best
    }

    /// Returns the largest sum of the distances from the mean, up or down, of so many values from one of the `starts`
    /// on.
    fn largest_sum(&self, starts: RangeInclusive<usize>, length: usize) -> f64 {
        let ends = &self.sums[starts.start() + length..=starts.end() + length];
        let sums = self.sums[starts].iter().zip(ends).map(|(start, end)| (end - start).abs());
        sums.fold(0.0, |largest, sum| if sum > largest { sum } else { largest })
    }
}

/// Returns the fences of values, `reach` interquartile ranges beyond the quartiles.
pub(super) fn fences(values: &[f64], reach: f64) -> [f64; 2] {
    let [fences] = fences_of_each(values, [reach]);
    fences
}

/// The fences of values for each reach.
pub(super) fn fences_of_each<const N: usize>(values: &[f64], reaches: [f64; N]) -> [[f64; 2]; N] {
    let [first, third] = quartiles(values).unwrap_or_default();
    reaches.map(|reach| {
        let margin = reach * (third - first);
        if margin > 0.0 { [first - margin, third + margin] } else { [f64::MIN, f64::MAX] }
    })
}

/// Returns what [`quantile`](perftest_core::stats::quantile) returns at 1/4 and 3/4, without sorting all values; `None`
/// where they are no sample.
fn quartiles(values: &[f64]) -> Option<[f64; 2]> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut values = values.to_vec();
    let last = (values.len() - 1) as f64;
    let mut ranked = |rank: f64| *values.select_nth_unstable_by(rank as usize, f64::total_cmp).1;
    Some([0.25, 0.75].map(|probability| {
        let place = last * probability;
        let [lower, upper] = [place.floor(), place.ceil()].map(&mut ranked);
        lower + (place - place.floor()) * (upper - lower)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Sample;
    use perftest_core::stats::quantile;

    fn noise(index: usize) -> f64 {
        (index * 7 % 11) as f64
    }

    #[test]
    fn a_step_explains_most_where_it_is() {
        let values: Vec<f64> =
            (0..60).map(|i| noise(i) + f64::from(20 * u8::from(i >= 23))).collect();
        let stretch = StretchSums::of(&values, 1.5);
        let (step, explained) = stretch.best_step(10).unwrap();
        assert_eq!(step, 23);
        assert!(explained > stretch.drift());
        assert!(stretch.support(explained) > 60.0);
    }

    #[test]
    fn a_bump_explains_most_where_it_is() {
        let is_slow = |i: usize| u8::from((40..47).contains(&i));
        let values: Vec<f64> = (0..100).map(|i| noise(i) + f64::from(30 * is_slow(i))).collect();
        let (bump, explained) = StretchSums::of(&values, 1.5).best_bump(5..31, 10).unwrap();
        assert_eq!(bump, 40..47);
        assert!(explained > StretchSums::of(&values, 1.5).best_step(10).unwrap().1);
    }

    #[test]
    fn quartiles_are_the_quantiles_of_a_sample_to_the_last_digit() {
        for size in 1..60_usize {
            let values: Vec<f64> =
                (0..size).map(|index| (index * 7_919 % 31) as f64 / 7.0 - 1.0).collect();
            let sample = Sample::new(values.clone()).unwrap();
            let expected = [0.25, 0.75].map(|probability| quantile(&sample, probability));
            assert_eq!(quartiles(&values), Some(expected), "{size}");
        }
        for values in [&[][..], &[1.0, f64::NAN], &[f64::INFINITY]] {
            assert_eq!(quartiles(values), None);
        }
    }

    #[test]
    fn the_best_bump_is_the_first_of_all_that_explain_most() {
        for (size, levels) in [(26, 11), (40, 2), (90, 3), (200, 1_000)] {
            let value = |index: usize| ((index * 7_919) % 1_009 % levels) as f64;
            let stretch = StretchSums::of(&(0..size).map(value).collect::<Vec<_>>(), 3.0);
            for lengths in [5..31, 5..6, 7..9] {
                let all = lengths.clone().flat_map(|length| {
                    let last = size.saturating_sub(10 + length);
                    (10..=last).map(move |start| start..start + length)
                });
                let all = all.map(|bump| (bump.clone(), stretch.explained(bump)));
                let first = all.reduce(|best, bump| if bump.1 > best.1 { bump } else { best });
                assert_eq!(stretch.best_bump(lengths, 10), first, "{size}");
            }
        }
    }

    #[test]
    fn a_line_explains_a_drift_and_a_few_extreme_values_explain_little() {
        let drift: Vec<f64> = (0..80).map(|i| noise(i) + i as f64).collect();
        let stretch = StretchSums::of(&drift, 1.5);
        assert!(stretch.drift() > stretch.best_step(10).unwrap().1);
        let mut spiked: Vec<f64> = (0..80).map(noise).collect();
        spiked[60..63].fill(1e9);
        let stretch = StretchSums::of(&spiked, 1.5);
        assert!(stretch.support(stretch.best_step(10).unwrap().1) < 10.0);
    }

    #[test]
    fn values_that_agree_or_overflow_support_nothing() {
        for values in [vec![3.0; 40], [vec![f64::MAX; 20], vec![f64::MIN; 20]].concat()] {
            let stretch = StretchSums::of(&values, 1.5);
            let (_, explained) = stretch.best_step(10).unwrap();
            assert_eq!(stretch.support(explained), 0.0);
        }
        assert!(StretchSums::of(&[1.0; 19], 1.5).best_step(10).is_none());
        assert!(StretchSums::of(&[1.0; 24], 1.5).best_bump(5..31, 10).is_none());
    }
}
