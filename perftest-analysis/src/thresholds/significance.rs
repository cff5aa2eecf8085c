//! Two-sample tests as rules: whether new values differ from earlier ones by more than chance.
//!
//! Each is two-sided at `alpha`. [`stats`](perftest_core::stats) has their definitions and limits.
//! Values of one process are not independent: use one value a run.

use crate::stats::{RankSumTest, TTest, median_distances, upper_median};
use perftest_core::model::{LimitSide, Sample};
use perftest_core::named;
use std::cell::RefCell;
use std::collections::HashMap;

/// Largest number of values in both samples for random labels: the cost is quadratic. A convention.
const MOST_FOR_LABELS: usize = 2_000;

thread_local! {
    /// By test, and the sizes of both samples.
    static LEAST_PROBABILITIES: RefCell<HashMap<(SignificanceTest, usize, usize), f64>> =
        RefCell::default();
}

named! {
    /// A two-sample test.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum SignificanceTest {
        /// A test of ranks (Mann, Whitney and Wilcoxon).
        MannWhitney = "mann_whitney",
        /// A test of means, each sample with its own variance.
        Welch = "welch",
        /// A test of means, with one variance for both.
        Student = "student",
        /// A test of medians, against random labels.
        Randomization = "randomization",
    }
}

impl SignificanceTest {
    /// Returns the side of the new values relative to the earlier ones; `None` if chance explains
    /// them.
    ///
    /// # Errors
    ///
    /// In words: the samples are too small, too large or too similar for the test.
    ///
    /// ```
    /// use perftest_core::model::{Sample, LimitSide};
    /// use perftest_analysis::thresholds::SignificanceTest;
    /// let runs = |level: f64| Sample::new((0..8).map(|i| level + f64::from(i % 3)).collect()).unwrap();
    /// for test in [SignificanceTest::MannWhitney, SignificanceTest::Welch] {
    ///     assert_eq!(test.side(&runs(100.0), &runs(110.0), 0.01), Ok(Some(LimitSide::Upper)));
    ///     assert_eq!(test.side(&runs(100.0), &runs(100.0), 0.01), Ok(None));
    /// }
    /// ```
    pub fn side(
        self,
        before: &Sample,
        now: &Sample,
        alpha: f64,
    ) -> Result<Option<LimitSide>, &'static str> {
        let can_decide = match self {
            Self::MannWhitney | Self::Randomization => {
                self.least_probability(before.size(), now.size())? <= alpha
            }
            Self::Welch | Self::Student => true,
        };
        if !can_decide {
            return Err("samples this small never reach its level; run the same code again");
        }
        let (probability, difference) = self.compare(before, now)?;
        let side = if difference > 0.0 { LimitSide::Upper } else { LimitSide::Lower };
        Ok((probability <= alpha && difference != 0.0).then_some(side))
    }

    /// Returns the probability of a difference as large by chance, and a number with the sign of the difference.
    fn compare(self, before: &Sample, now: &Sample) -> Result<(f64, f64), &'static str> {
        Ok(match self {
            Self::MannWhitney => {
                let test = RankSumTest::of(now, before).ok_or("all values are equal")?;
                (test.two_sided, test.u - now.size() as f64 * before.size() as f64 / 2.0)
            }
            Self::Welch => t(TTest::welch(now, before))?,
            Self::Student => t(TTest::pooled(now, before))?,
            Self::Randomization => randomization(before, now)?,
        })
    }

    /// Returns the probability that samples of these sizes reach on both sides, where no value of one is among those of
    /// the other. Each is computed once: a check asks for the same few sizes with every run.
    fn least_probability(self, before: usize, now: usize) -> Result<f64, &'static str> {
        let key = (self, before, now);
        if let Some(known) = LEAST_PROBABILITIES.with_borrow(|known| known.get(&key).copied()) {
            return Ok(known);
        }
        let spaced = |size: usize, from: f64, step: f64| {
            Sample::new((0..size).map(|rank| from + step * rank as f64).collect())
                .map_err(|_| "a sample is empty")
        };
        // Farther apart than the values of either sample, so that chance seldom makes as large a difference. Other steps
        // than between those of the other sample: among equal ones it makes ties that larger samples need not have.
        let far = 2.0 * (before + now) as f64;
        let middle = spaced(before, 0.0, 1.0 / (before + 1) as f64)?;
        let (slower, _) = self.compare(&middle, &spaced(now, far, 1.0)?)?;
        let (faster, _) = self.compare(&middle, &spaced(now, -far, 1.0)?)?;
        let least = slower.max(faster);
        LEAST_PROBABILITIES.with_borrow_mut(|known| known.insert(key, least));
        Ok(least)
    }
}

fn t(test: Option<TTest>) -> Result<(f64, f64), &'static str> {
    let test = test.ok_or("the values have no spread, or there are fewer than two")?;
    Ok((test.two_sided(), test.t))
}

fn randomization(before: &Sample, now: &Sample) -> Result<(f64, f64), &'static str> {
    if before.size() + now.size() > MOST_FOR_LABELS {
        return Err("there are too many values to count their labels");
    }
    let difference = upper_median(now) - upper_median(before);
    let distances = median_distances(before, now);
    let as_far = distances.iter().filter(|(distance, _)| *distance >= difference.abs());
    Ok((as_far.map(|(_, share)| share).sum(), difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn random_labels_are_exceeded_by_a_shift_beyond_the_noise_only() {
        let runs = |level: u32| sample(&(level..level + 8).map(f64::from).collect::<Vec<f64>>());
        let side = |level| SignificanceTest::Randomization.side(&runs(100), &runs(level), 0.01);
        assert_eq!(side(90), Ok(Some(LimitSide::Lower)));
        assert_eq!(side(102), Ok(None));
    }

    #[test]
    fn one_value_is_out_of_line_with_none_before_by_ranks_or_labels() {
        let before = sample(&[100.0, 101.0, 102.0, 103.0, 104.0]);
        for test in [SignificanceTest::MannWhitney, SignificanceTest::Randomization] {
            assert!(test.side(&before, &sample(&[200.0]), 0.01).is_err(), "{test:?}");
        }
    }

    #[test]
    fn samples_of_sizes_that_reach_the_level_on_one_side_at_most_are_not_judged() {
        let level = |size: u32, from: f64| {
            sample(&(0..size).map(|i| from + f64::from(i)).collect::<Vec<f64>>())
        };
        for test in [SignificanceTest::MannWhitney, SignificanceTest::Randomization] {
            for (before, now) in (3..70).flat_map(|before| (1..5).map(move |now| (before, now))) {
                let side = |from| test.side(&level(before, 0.0), &level(now, from), 0.01);
                let sides = [side(1e6), side(-1e6)];
                let alarms = [Ok(Some(LimitSide::Upper)), Ok(Some(LimitSide::Lower))];
                let are_refused = sides.iter().all(Result::is_err);
                assert!(are_refused || sides == alarms, "{test:?} {before} {now}: {sides:?}");
            }
        }
        // By ranks of more than fifty values the normal distribution decides, and not the exact one, 0.001.
        let now = level(2, 1e6);
        assert!(SignificanceTest::MannWhitney.side(&level(60, 0.0), &now, 0.01).is_err());
        assert!(SignificanceTest::Randomization.side(&level(30, 0.0), &now, 0.01).is_err());
    }

    #[test]
    fn equal_steps_in_both_samples_are_no_reason_to_refuse_their_sizes() {
        // Steps as wide as those before it make ties of mirrored labels: 10 of 210, and else 6.
        let test = SignificanceTest::Randomization;
        let before = sample(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        let slower = sample(&[100.0, 101.0, 102.0, 103.0]);
        assert_eq!(test.side(&before, &slower, 0.03), Ok(Some(LimitSide::Upper)));
        assert!(test.side(&before, &slower, 0.02).is_err());
    }

    #[test]
    fn samples_that_say_nothing_are_named() {
        let flat = sample(&[1.0; 5]);
        for test in [SignificanceTest::MannWhitney, SignificanceTest::Welch] {
            assert!(test.side(&flat, &flat, 0.05).is_err(), "{test:?}");
        }
        let many = sample(&[1.0; 2_000]);
        assert!(SignificanceTest::Randomization.side(&many, &flat, 0.05).is_err());
    }

    #[test]
    fn every_test_has_a_name_that_finds_it() {
        for test in SignificanceTest::ALL {
            assert_eq!(SignificanceTest::from_name(test.name()), Some(test));
        }
    }
}
