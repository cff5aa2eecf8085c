//! Pairs the modes of two samples.

use super::sample_description::SampleDescription;
use super::ticks::within_tick;
use crate::report::{Unit, interval_as_json, percent};
use perftest_analysis::stats::ModeValues;
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{RankStep, ratio_bounds};
use serde_json::{Value, json};

/// A mode before and its counterpart after; one of them may be missing.
pub(super) struct ModePair {
    before: Option<ModeOfSample>,
    current: Option<ModeOfSample>,
    /// The ratio of the mode's values; `None` with a missing mode, too few values, or none above 0.
    pub(super) ratio: Option<Interval>,
}

/// A mode of one sample.
struct ModeOfSample {
    location: f64,
    share: f64,
}

impl ModePair {
    /// Pairs the modes of `before` and `current` in ascending order; empty if both have one mode. A
    /// mode without a counterpart is new or gone. Ties are spread over `tick`. Bounds miss on each side
    /// with the probability `tail`.
    pub(super) fn all(
        before: &SampleDescription<'_>,
        current: &SampleDescription<'_>,
        tick: Option<f64>,
        tail: f64,
    ) -> Vec<Self> {
        if before.parts.len() < 2 && current.parts.len() < 2 {
            return Vec::new();
        }
        let counterparts = counterparts(&locations(before), &locations(current));
        let pair = |(one, other): (Option<usize>, Option<usize>)| {
            let parts = (one.map(|it| &before.parts[it]), other.map(|it| &current.parts[it]));
            Self {
                before: parts.0.map(|part| ModeOfSample::of(part, before)),
                current: parts.1.map(|part| ModeOfSample::of(part, current)),
                ratio: parts.0.zip(parts.1).and_then(|it| ratio(it.into(), tick, tail)),
            }
        };
        counterparts.into_iter().map(pair).collect()
    }

    pub(super) fn in_words(&self, unit: &Unit<'_>) -> String {
        let side =
            |it: &ModeOfSample| format!("{} ({})", unit.format(it.location), percent(it.share));
        match (&self.before, &self.current) {
            (Some(before), None) => format!("{} -> gone", side(before)),
            (None, Some(current)) => format!("new: {}", side(current)),
            (None, None) => String::new(),
            (Some(before), Some(current)) => {
                let ratio = self.ratio.map_or_else(
                    || "too few values for bounds".to_owned(),
                    |it| format!("{:.3}x [{:.3}, {:.3}]", it.estimate, it.lower, it.upper),
                );
                format!("{} -> {}: {ratio}", side(before), side(current))
            }
        }
    }

    pub(super) fn as_json(&self) -> Value {
        let side = |it: &ModeOfSample| json!({ "location": it.location, "share": it.share });
        json!({
            "before": self.before.as_ref().map(side),
            "current": self.current.as_ref().map(side),
            "ratio": self.ratio.map(interval_as_json),
        })
    }
}

impl ModeOfSample {
    fn of(part: &ModeValues<'_>, described: &SampleDescription<'_>) -> Self {
        let share = described.count(part) as f64 / described.sample.size() as f64;
        Self { location: part.mode.location, share }
    }
}

fn locations(described: &SampleDescription<'_>) -> Vec<f64> {
    described.parts.iter().map(|part| part.mode.location).collect()
}

fn ratio(parts: [&ModeValues<'_>; 2], tick: Option<f64>, tail: f64) -> Option<Interval> {
    let spread =
        |part: &ModeValues<'_>| Some(within_tick(&Sample::new(part.inside.to_vec()).ok()?, tick));
    let [before, current] = parts.map(spread);
    ratio_bounds(&current?, &before?, tail, RankStep::Conservative)
}

/// Returns the indices of paired positions, in ascending order: as many pairs as possible, and of
/// these the nearest ones.
fn counterparts(before: &[f64], current: &[f64]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    let (mut one, mut other) = (0, 0);
    while one < before.len() || other < current.len() {
        let (left, right) = (before.len() - one, current.len() - other);
        // Whether the next position on the longer side fits worse than the one after it.
        let is_skipped = |longer: &[f64], place: f64| {
            longer.len() > 1 && (longer[1] - place).abs() < (longer[0] - place).abs()
        };
        let skips_before =
            left > right && (right == 0 || is_skipped(&before[one..], current[other]));
        let skips_current =
            right > left && (left == 0 || is_skipped(&current[other..], before[one]));
        pairs.push(((!skips_current).then_some(one), (!skips_before).then_some(other)));
        one += usize::from(!skips_current);
        other += usize::from(!skips_before);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_has_the_counterpart_that_is_nearest_in_their_order() {
        let pairs = |before: &[f64], current: &[f64]| counterparts(before, current);
        assert_eq!(pairs(&[1.0, 2.0], &[1.1, 3.0]), [(Some(0), Some(0)), (Some(1), Some(1))]);
        assert_eq!(pairs(&[1.0], &[1.0, 2.0]), [(Some(0), Some(0)), (None, Some(1))]);
        assert_eq!(pairs(&[2.0], &[1.0, 2.1]), [(None, Some(0)), (Some(0), Some(1))]);
        assert_eq!(pairs(&[1.0, 2.0], &[2.0]), [(Some(0), None), (Some(1), Some(0))]);
    }
}
