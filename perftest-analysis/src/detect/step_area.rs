//! From steps at every point to a range of suspects.
//!
//! Definition: every point with `radius` values on both sides (and itself, for the original kind) is
//! asked for a step. Neighbours of the same status are an area, if points that say otherwise are
//! on both sides of it; a longer one than two radii is cut into pieces of that length. Inside an area
//! the peaks are those points, or runs of equals, where the regression (for Mann-Whitney 1 - p) is
//! larger than at both neighbours; the largest is shown. The suspects reach from the first peak to
//! the last, to the left as long as a point alone differs from the values before the area, to the
//! right as long as the point before it differs from the values behind the area: by the same kind where
//! it can be asked of one value (absolute, const, percent, cohen), otherwise by cohen at 2. A window
//! is not asked where its middle or more than half of one side is missing.
//!
//! Source: Skia Perf, anomaly bounds (state of August 2026), in own words. Behaviour: one answer for one
//! step instead of one for each point near it; a step at the very end is not reported before a quiet point
//! follows. Cost: the series times the radius.

use super::step_fit::relative;
use super::{StepFit, StepKind, StepStatus, trace};
use std::ops::Range;

/// The lowest Cohen's d at which a single value differs, for kinds that need several values. Source: Skia Perf
/// (2026).
const LONE_COHEN: f32 = 2.0;

/// The settings of a search at every point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSearch {
    /// The kind of step.
    pub kind: StepKind,
    /// Values on either side.
    pub radius: usize,
    /// The lowest interesting regression.
    pub threshold: f32,
    /// The smallest deviation that is used as a divisor.
    pub min_deviation: f32,
}

/// A change, and the points that may have caused it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepArea {
    /// Indices of the points that may have caused it.
    pub suspects: Range<usize>,
    /// Index of the clearest point.
    pub peak: usize,
    /// Its fit.
    pub fit: StepFit,
}

impl StepSearch {
    /// The areas of `series`, ascending.
    ///
    /// ```
    /// use perftest_analysis::detect::{StepKind, StepSearch};
    /// let series: Vec<f32> = (0..40).map(|i| (100 + i % 3 + i / 20 * 30) as f32).collect();
    /// let search =
    ///     StepSearch { kind: StepKind::Cohen, radius: 6, threshold: 4.0, min_deviation: 0.001 };
    /// let areas = search.areas(&series);
    /// assert_eq!((areas.len(), areas[0].peak, areas[0].suspects.clone()), (1, 20, 20..21));
    /// ```
    pub fn areas(&self, series: &[f32]) -> Vec<StepArea> {
        let fits = self.fits(series);
        let status = |fit: &StepFit| fit.status;
        let mut begin = 0;
        let mut areas = Vec::new();
        for run in fits.chunk_by(|one, next| status(one) == status(next)) {
            let area = begin..begin + run.len();
            begin = area.end;
            let is_bounded = area.start > 0 && area.end < fits.len();
            if is_bounded && run[0].status != StepStatus::Uninteresting {
                let pieces = area.clone().step_by(2 * self.radius);
                let pieces = pieces.map(|from| from..area.end.min(from + 2 * self.radius));
                areas.extend(pieces.map(|piece| self.area(series, &fits, piece)));
            }
        }
        areas
    }

    /// Returns the fewest values among which a step of this kind can be found at this radius, because an area has a
    /// window on either side of it.
    ///
    /// ```
    /// use perftest_analysis::detect::{StepKind, StepSearch};
    /// assert_eq!(StepSearch::fewest(StepKind::Cohen, 19), 40);
    /// ```
    pub fn fewest(kind: StepKind, radius: usize) -> usize {
        window(kind, radius).saturating_add(2)
    }

    /// Returns the fit in the middle of every window; an uninteresting one for windows without a
    /// fit.
    fn fits(&self, series: &[f32]) -> Vec<StepFit> {
        let window = window(self.kind, self.radius);
        if self.radius == 0 {
            return Vec::new();
        }
        let fit = |values: &[f32]| {
            let fit = self.kind.fit(values, self.threshold, self.min_deviation);
            fit.filter(|_| !is_sparse(values, self.radius)).unwrap_or_default()
        };
        series.windows(window).map(fit).collect()
    }

    fn area(&self, series: &[f32], fits: &[StepFit], piece: Range<usize>) -> StepArea {
        let strengths: Vec<f32> =
            fits[piece.clone()].iter().map(|fit| self.strength(fit)).collect();
        let peaks = peaks(&strengths);
        let highest =
            peaks.iter().rev().max_by(|a, b| strengths[a.start].total_cmp(&strengths[b.start]));
        // Without peaks (values that are no numbers) the whole area counts.
        let highest = highest.cloned().unwrap_or(0..piece.len());
        let first = peaks.first().map_or(0, |peak| peak.start);
        let last = peaks.last().map_or(piece.len(), |peak| peak.end) - 1;
        let value = |place: usize| series[piece.start + place + self.radius];
        let before = &series[piece.start..piece.start + self.radius];
        let behind = piece.end - 1 + self.radius;
        let after = &series[behind..behind + self.radius];
        let left = (0..first).rev().take_while(|place| self.differs(value(*place), before)).count();
        let right = (last + 1..piece.len())
            .take_while(|place| self.differs(value(place - 1), after))
            .count();
        let point = |place: usize| piece.start + place + self.radius;
        let middle = (highest.start + highest.end) / 2;
        StepArea {
            suspects: point(first - left)..point(last + right) + 1,
            peak: point(middle),
            fit: fits[piece.start + middle],
        }
    }

    fn strength(&self, fit: &StepFit) -> f32 {
        let strength = fit.regression.abs();
        if self.kind == StepKind::MannWhitney { 1.0 - strength } else { strength }
    }

    /// Returns whether a single value differs from a baseline with the baseline's scatter.
    fn differs(&self, value: f32, baseline: &[f32]) -> bool {
        let mean = trace::mean(baseline);
        let cohen = || {
            let deviation = trace::deviation_about(baseline, mean) as f32;
            (mean - value) / deviation.max(self.min_deviation)
        };
        let (regression, threshold) = match self.kind {
            StepKind::Absolute => (mean - value, self.threshold),
            StepKind::Const => (value, self.threshold),
            StepKind::Percent => (relative(mean, value), self.threshold),
            StepKind::Cohen => (cohen(), self.threshold),
            _ => (cohen(), LONE_COHEN),
        };
        regression.abs() >= threshold
    }
}

/// Returns the number of values between the two sides of a window.
fn own(kind: StepKind) -> usize {
    usize::from(kind == StepKind::Original)
}

/// Returns the number of values in a window.
fn window(kind: StepKind, radius: usize) -> usize {
    radius.saturating_mul(2).saturating_add(own(kind))
}

/// Returns whether the middle or more than half of a side is missing.
fn is_sparse(values: &[f32], radius: usize) -> bool {
    let missing = |side: &[f32]| side.len() - trace::present(side).count();
    let (left, right) = (&values[..radius], &values[values.len() - radius..]);
    values[radius] == trace::MISSING || 2 * missing(left).max(missing(right)) > radius
}

/// Returns runs of equal values that are larger than both neighbours.
fn peaks(values: &[f32]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let mut peaks = Vec::new();
    for run in values.chunk_by(|one, next| one == next) {
        let run = begin..begin + run.len();
        begin = run.end;
        let height = values[run.start];
        let is_above = |other: Option<&f32>| other.is_none_or(|other| height > *other);
        if is_above(run.start.checked_sub(1).map(|before| &values[before]))
            && is_above(values.get(run.end))
        {
            peaks.push(run);
        }
    }
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_series;

    const COHEN: StepSearch =
        StepSearch { kind: StepKind::Cohen, radius: 6, threshold: 4.0, min_deviation: 0.001 };

    fn noisy(levels: &[(usize, f64)]) -> Vec<f32> {
        test_series::noisy(levels).into_iter().map(|value| value as f32).collect()
    }

    #[test]
    fn every_step_is_one_area_with_its_direction() {
        let areas = COHEN.areas(&noisy(&[(30, 100.0), (30, 110.0), (30, 105.0)]));
        let statuses: Vec<_> = areas.iter().map(|area| (area.peak, area.fit.status)).collect();
        assert_eq!(statuses, [(30, StepStatus::High), (60, StepStatus::Low)]);
    }

    #[test]
    fn a_step_over_several_points_has_them_all_as_suspects() {
        let series = noisy(&[(30, 100.0), (1, 104.0), (1, 107.0), (30, 110.0)]);
        let areas = COHEN.areas(&series);
        assert_eq!(areas.len(), 1);
        assert!(areas[0].suspects.start <= 30 && areas[0].suspects.end >= 32, "{areas:?}");
        assert!(areas[0].suspects.len() <= 4, "{areas:?}");
    }

    #[test]
    fn a_step_at_the_end_waits_for_its_other_side() {
        assert!(COHEN.areas(&noisy(&[(30, 100.0), (6, 110.0)])).is_empty());
        assert_eq!(COHEN.areas(&noisy(&[(30, 100.0), (12, 110.0)])).len(), 1);
    }

    #[test]
    fn noise_and_short_series_have_no_area() {
        for kind in StepKind::ALL {
            for radius in [0, 1, 6, usize::MAX] {
                let search = StepSearch { kind, radius, ..COHEN };
                search.areas(&noisy(&[(40, 100.0)]));
                assert!(search.areas(&[]).is_empty());
                assert!(search.areas(&[f32::NAN; 40]).is_empty(), "{kind:?} {radius}");
            }
        }
        assert!(COHEN.areas(&noisy(&[(200, 100.0)])).is_empty());
    }

    /// The largest radius at which a step of this kind can be found among this many values.
    fn widest(kind: StepKind, count: usize) -> Option<usize> {
        let radius = count.checked_sub(2 + own(kind))? / 2;
        (radius > 0 && window(kind, radius) >= kind.fewest()).then_some(radius)
    }

    /// With one value fewer on a side there is no window beside the one in the middle.
    #[test]
    fn a_step_is_found_at_the_widest_radius_and_at_no_wider_one() {
        for (kind, threshold) in
            [(StepKind::Absolute, 0.99), (StepKind::Cohen, 900.0), (StepKind::Original, 900.0)]
        {
            for count in [6, 7, 12, 13, 40] {
                let radius = widest(kind, count).unwrap();
                let series: Vec<f32> =
                    (0..count).map(|at| if at < count / 2 { 0.0 } else { 1.0 }).collect();
                let found = |radius| {
                    let search = StepSearch { kind, radius, threshold, min_deviation: 0.001 };
                    !search.areas(&series).is_empty()
                };
                assert!(found(radius), "{kind:?} {count}");
                assert!(StepSearch::fewest(kind, radius) <= count, "{kind:?} {count}");
                assert!(StepSearch::fewest(kind, radius + 1) > count, "{kind:?} {count}");
                assert!(!found(radius + 1), "{kind:?} {count}");
            }
        }
        let few = [0, 1, 2, 3, 4, 5].map(|count| widest(StepKind::Percent, count));
        assert_eq!(few, [None, None, None, None, Some(1), Some(1)]);
        assert_eq!(widest(StepKind::Original, 4), None);
        assert_eq!([40, 5].map(|count| widest(StepKind::Cohen, count)), [Some(19), None]);
    }

    #[test]
    fn windows_with_holes_are_not_asked() {
        let mut series = noisy(&[(30, 100.0), (30, 110.0)]);
        series[30..34].fill(trace::MISSING);
        assert!(COHEN.areas(&series).iter().all(|area| area.peak != 30));
    }
}
