//! Perfherder's t over a series of revisions.
//!
//! Definition: a revision has one value or several. Before each revision lies a back window of
//! whole revisions: as long as it has fewer than `max_back` values, and reaches back at most as many
//! revisions as were seen since the last large t, at least `min_back` and at most `max_back` of them. The fore
//! window begins with the revision and takes whole ones until it has `fore` values. In both the weight
//! falls linearly with the distance, n / n to 1 / n for n revisions; the variance (divisor: one
//! less than the values) is about the weighted mean, unweighted. t = |difference of the means| /
//! sqrt(variance / count + variance / count), infinite where nothing scatters, 0 where the means agree.
//! A revision changes where t is above the threshold, no neighbour has a larger one, and the
//! windows have at least `min_back` and `fore` values.
//!
//! Source: Mozilla Treeherder, `perfalert` (state of August 2026), in own words. Behaviour: a threshold
//! of 7 is strict (for 12 against 12 normal values p is about 10^-6) because every revision is
//! asked; two changes closer than the windows blur each other; a trend that is steep enough is one change
//! after the other. Cost: the series times the windows.

/// Windows and threshold; the defaults are Perfherder's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perfherder {
    /// Least values before a revision: 12.
    pub min_back: usize,
    /// Most values before a revision: 24.
    pub max_back: usize,
    /// Values from the revision on: 12.
    pub fore: usize,
    /// The t above which a revision changes: 7.
    pub t_threshold: f64,
}

/// How the revisions of a window count, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowWeights {
    /// All alike.
    Uniform,
    /// Less and less with the distance.
    Linear,
}

/// The result of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowSummary {
    /// The weighted mean; 0 of nothing.
    pub mean: f64,
    /// Number of values.
    pub count: usize,
    /// Variance about the weighted mean; 0 below two values.
    pub variance: f64,
}

/// A revision with which a change began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerfherderChange {
    /// Index of the revision.
    pub index: usize,
    /// Its t.
    pub t: f64,
    /// The plain mean before it.
    pub before: f64,
    /// The plain mean from it on.
    pub after: f64,
}

impl Default for Perfherder {
    fn default() -> Self {
        Self { min_back: 12, max_back: 24, fore: 12, t_threshold: 7.0 }
    }
}

impl WindowWeights {
    fn of(self, place: usize, revisions: usize) -> f64 {
        match self {
            Self::Uniform => 1.0,
            Self::Linear => (revisions - place) as f64 / revisions as f64,
        }
    }
}

impl WindowSummary {
    /// Of revisions, the nearest first.
    ///
    /// ```
    /// use perftest_conformance::detect::{WindowWeights, WindowSummary};
    /// let window = [[1.0], [2.0], [3.0], [4.0]];
    /// let summary = WindowSummary::of(&window, WindowWeights::Linear);
    /// assert_eq!((summary.mean, summary.count, summary.variance), (2.0, 4, 2.0));
    /// ```
    pub fn of(window: &[impl AsRef<[f64]>], weights: WindowWeights) -> Self {
        let (mut sum, mut total, mut count) = (0.0, 0.0, 0);
        for (place, revision) in window.iter().enumerate() {
            let (values, weight) = (revision.as_ref(), weights.of(place, window.len()));
            sum += values.iter().map(|value| value * weight).sum::<f64>();
            total += weight * values.len() as f64;
            count += values.len();
        }
        let mean = if count == 0 { 0.0 } else { sum / total };
        let values = window.iter().flat_map(|revision| revision.as_ref());
        let error: f64 = values.map(|value| (value - mean) * (value - mean)).sum();
        let variance = if count > 1 { error / (count - 1) as f64 } else { 0.0 };
        Self { mean, count, variance }
    }

    /// t of this window against a later one, with the sign of the difference.
    ///
    /// ```
    /// use perftest_conformance::detect::{WindowWeights, WindowSummary};
    /// let of = |values: [f64; 2]| WindowSummary::of(&[values], WindowWeights::Uniform);
    /// assert_eq!(of([0.0, 0.0]).t(&of([1.0, 2.0])), 3.0);
    /// assert_eq!(of([0.0, 0.0]).t(&of([1.0, 1.0])), f64::INFINITY);
    /// ```
    pub fn t(&self, later: &Self) -> f64 {
        let difference = later.mean - self.mean;
        if self.count == 0 || later.count == 0 || difference == 0.0 {
            return 0.0;
        }
        if self.variance == 0.0 && later.variance == 0.0 {
            return f64::INFINITY;
        }
        let part = |window: &Self| window.variance / window.count as f64;
        difference / (part(self) + part(later)).sqrt()
    }
}

impl PerfherderChange {
    /// The change in percent of what was before, without sign; 0 where that was 0.
    pub fn percent(&self) -> f64 {
        let percent = 100.0 * (self.after - self.before).abs() / self.before.abs();
        if self.before == 0.0 { 0.0 } else { percent }
    }
}

impl Perfherder {
    /// The revisions with which a change began, ascending.
    ///
    /// ```
    /// use perftest_conformance::detect::{Perfherder, WindowWeights};
    /// let series: Vec<[f64; 1]> = (0..60_i32).map(|i| [f64::from(i % 3 + i / 30 * 9)]).collect();
    /// let changes = Perfherder::default().changes(&series, WindowWeights::Linear);
    /// assert_eq!(changes.iter().map(|change| change.index).collect::<Vec<_>>(), [30]);
    /// ```
    pub fn changes<R: AsRef<[f64]>>(
        &self,
        revisions: &[R],
        weights: WindowWeights,
    ) -> Vec<PerfherderChange> {
        let looks = self.looks(revisions, weights);
        let t = |index: usize| looks.get(index).map_or(0.0, |look| look.change.t);
        let is_peak =
            |index: usize| index > 0 && t(index - 1) <= t(index) && t(index + 1) <= t(index);
        let changes = looks.iter().filter(|look| {
            look.has_windows && look.change.t > self.t_threshold && is_peak(look.change.index)
        });
        changes.map(|look| look.change).collect()
    }

    fn looks<R: AsRef<[f64]>>(
        &self,
        revisions: &[R],
        weights: WindowWeights,
    ) -> Vec<RevisionScore> {
        let mut since_large_t = 0;
        (0..revisions.len())
            .map(|index| {
                let look = self.look(revisions, index, since_large_t, weights);
                let is_quiet = index > 0 && look.change.t <= self.t_threshold;
                since_large_t = if is_quiet { since_large_t + 1 } else { 0 };
                look
            })
            .collect()
    }

    fn look<R: AsRef<[f64]>>(
        &self,
        revisions: &[R],
        index: usize,
        since_large_t: usize,
        weights: WindowWeights,
    ) -> RevisionScore {
        let reach = since_large_t.max(self.min_back).min(self.max_back);
        let back = whole(revisions[..index].iter().rev().take(reach), self.max_back);
        let ahead = whole(revisions[index..].iter(), self.fore);
        let (before, after) =
            (WindowSummary::of(&back, weights), WindowSummary::of(&ahead, weights));
        let mean = |window: &[&R]| WindowSummary::of(window, WindowWeights::Uniform).mean;
        let t = before.t(&after).abs();
        RevisionScore {
            change: PerfherderChange { index, t, before: mean(&back), after: mean(&ahead) },
            has_windows: before.count >= self.min_back && after.count >= self.fore,
        }
    }
}

/// A revision that was looked at, whether or not it changed anything.
struct RevisionScore {
    change: PerfherderChange,
    has_windows: bool,
}

/// Whole revisions, until they have `enough` values.
fn whole<'a, R: AsRef<[f64]> + 'a>(
    revisions: impl Iterator<Item = &'a R>,
    enough: usize,
) -> Vec<&'a R> {
    let mut count = 0;
    let still_few = |revision: &&R| {
        let is_needed = count < enough;
        count += revision.as_ref().len();
        is_needed
    };
    revisions.take_while(still_few).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::test_series;

    fn noisy(levels: &[(usize, f64)]) -> Vec<[f64; 1]> {
        test_series::noisy(levels).into_iter().map(|value| [value]).collect()
    }

    fn indices(revisions: &[impl AsRef<[f64]>]) -> Vec<usize> {
        let changes = Perfherder::default().changes(revisions, WindowWeights::Linear);
        changes.iter().map(|change| change.index).collect()
    }

    #[test]
    fn steps_are_reported_where_they_are_and_noise_is_not() {
        assert_eq!(indices(&noisy(&[(40, 100.0), (40, 103.0), (30, 90.0)])), [40, 80]);
        assert!(indices(&noisy(&[(300, 100.0)])).is_empty());
    }

    #[test]
    fn a_change_needs_both_windows_full() {
        assert!(indices(&noisy(&[(11, 100.0), (40, 110.0)])).is_empty());
        assert!(indices(&noisy(&[(40, 100.0), (11, 110.0)])).is_empty());
        assert_eq!(indices(&noisy(&[(12, 100.0), (12, 110.0)])), [12]);
    }

    #[test]
    fn revisions_with_several_values_are_never_cut() {
        let many = |level: f64| (0..7).map(|i| level + f64::from(i) / 10.0).collect::<Vec<_>>();
        let revisions: Vec<Vec<f64>> = [100.0; 6].into_iter().chain([110.0; 6]).map(many).collect();
        let changes = Perfherder::default().changes(&revisions, WindowWeights::Uniform);
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].index, 6);
        assert!((changes[0].percent() - 9.97).abs() < 0.01, "{}", changes[0].percent());
    }

    #[test]
    fn nothing_and_revisions_without_values_have_no_change() {
        assert!(indices(&Vec::<[f64; 1]>::new()).is_empty());
        assert!(indices(&vec![Vec::<f64>::new(); 50]).is_empty());
        let nothing = WindowSummary::of(&Vec::<[f64; 1]>::new(), WindowWeights::Linear);
        assert_eq!(nothing, WindowSummary { mean: 0.0, count: 0, variance: 0.0 });
    }

    #[test]
    fn windows_of_no_length_neither_panic_nor_alarm() {
        let none = Perfherder { min_back: 0, max_back: 0, fore: 0, t_threshold: 0.0 };
        assert!(none.changes(&noisy(&[(20, 1.0), (20, 9.0)]), WindowWeights::Linear).is_empty());
    }
}
