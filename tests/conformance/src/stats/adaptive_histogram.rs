//! Counts of values in bins that are laid where the values are dense.
//!
//! Definition: the range, half a bin wider at both ends, is cut from left to right. A piece that is
//! longer than 1.2 bins (or 2% of its middle) is cut around the stretch of one bin that holds most
//! values, before it where there is room and else behind it; a piece without values after one bin.
//! Empty bins at the ends go away, and bins that are too narrow join the narrower neighbour. Widths and
//! cuts are multiples of 1e-4.
//!
//! Source: the adaptive histogram of BenchmarkDotNet and Perfolizer. Behaviour: meant for nanoseconds; its
//! steps are absolute, so values in seconds fall together. Only [`m_value`](super::m_value) needs it.

const RESOLUTION: f64 = 1e-4;
/// How far below a cut a value still belongs above it.
const NEXT_TO: f64 = 1e-9;
const MARGIN: f64 = 0.1;
/// A bin may be as wide as this share of its place.
const ADAPTIVE_SHARE: f64 = 0.02;
/// Cuts for each value before the values are given up.
const MOST_CUTS: usize = 10;

/// One bin.
#[derive(Debug, Clone, Copy)]
struct HistogramBin {
    lower: f64,
    upper: f64,
    count: usize,
}

/// How many of the `sorted` values, at least one, lie in each bin of about `width`, from left to right;
/// `None` where the values are too far apart, or too large, for bins of that width.
pub(super) fn adaptive_counts(sorted: &[f64], width: f64) -> Option<Vec<usize>> {
    let width = nice_ceiling(width.max(RESOLUTION));
    let range = sorted.last()? - sorted.first()?;
    if !(width.is_finite() && range.is_finite()) {
        return None;
    }
    if range < width {
        return Some(vec![sorted.len()]);
    }
    let bins = joined(filled(sorted, &RangeCutter::new(sorted, width).cuts()?), sorted, width);
    Some(bins.into_iter().map(|bin| bin.count).collect())
}

/// The cutting of the range, from left to right.
struct RangeCutter<'a> {
    sorted: &'a [f64],
    width: f64,
    /// Cuts that stand, ascending.
    done: Vec<f64>,
    /// Cuts still ahead, descending.
    ahead: Vec<f64>,
    /// Pieces that are cut no more, however long.
    settled: usize,
}

impl<'a> RangeCutter<'a> {
    fn new(sorted: &'a [f64], width: f64) -> Self {
        let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
        Self {
            sorted,
            width,
            done: vec![nice_floor(least - width / 2.0)],
            ahead: vec![nice_ceiling(most + width / 2.0)],
            settled: 0,
        }
    }

    fn cuts(mut self) -> Option<Vec<f64>> {
        while let (Some(&lower), Some(&upper)) = (self.done.last(), self.ahead.last()) {
            if self.done.len() + self.ahead.len() > MOST_CUTS * self.sorted.len().max(1) {
                return None;
            }
            let longest = (1.0 + 2.0 * MARGIN) * self.width;
            let longest = longest.max((lower + upper) / 2.0 * ADAPTIVE_SHARE);
            let is_settled = self.settled >= self.done.len();
            if is_settled || upper - lower <= longest {
                self.done.push(upper);
                self.ahead.pop();
            } else {
                self.cut(lower, upper);
            }
        }
        Some(self.done)
    }

    /// Cuts a piece once more, or settles it.
    fn cut(&mut self, lower: f64, upper: f64) {
        let Some((first, last)) = self.densest(lower, upper) else {
            self.ahead.push(nice_floor(lower + self.width));
            self.settled += 1;
            return;
        };
        let center = f64::midpoint(first, last);
        let half = self.width.max(center * ADAPTIVE_SHARE) / 2.0;
        let left = nice_floor(center - half);
        let right = nice_floor((center + half).min(upper));
        let margin = self.width * MARGIN;
        if left > lower + margin {
            self.ahead.push(left);
        } else if right < upper - margin && right > lower + margin {
            self.ahead.push(right);
            self.settled += 1;
        } else {
            self.settled = self.done.len();
        }
    }

    /// The first and last value of the stretch of one bin with most values, the shortest of several.
    fn densest(&self, lower: f64, upper: f64) -> Option<(f64, f64)> {
        let from = self.sorted.partition_point(|value| *value <= lower - NEXT_TO);
        let upto = self.sorted.partition_point(|value| *value < upper - NEXT_TO);
        let inside = self.sorted.get(from..upto)?;
        let mut end = 0;
        let mut best: Option<(usize, f64, f64)> = None;
        for (start, first) in inside.iter().enumerate() {
            end = end.max(start + 1);
            end += inside[end..].iter().take_while(|value| **value - first < self.width).count();
            let (count, last) = (end - start, inside[end - 1]);
            let is_better = best.is_none_or(|(most, low, high)| {
                count > most || (count == most && last - first < high - low)
            });
            if is_better {
                best = Some((count, *first, last));
            }
        }
        best.map(|(_, first, last)| (first, last))
    }
}

/// The bins between the cuts, without empty ones at the ends.
fn filled(sorted: &[f64], cuts: &[f64]) -> Vec<HistogramBin> {
    let upto = |cut: f64| sorted.partition_point(|value| *value < cut);
    let bins = cuts.windows(2).map(|ends| {
        let count = upto(ends[1]).saturating_sub(upto(ends[0]));
        HistogramBin { lower: ends[0], upper: ends[1], count }
    });
    let mut bins: Vec<HistogramBin> = bins.skip_while(|bin| bin.count == 0).collect();
    let last = bins.iter().rposition(|bin| bin.count > 0).map_or(0, |last| last + 1);
    bins.truncate(last);
    bins
}

/// Joins bins that are too narrow with their narrower neighbours.
fn joined(mut bins: Vec<HistogramBin>, sorted: &[f64], width: f64) -> Vec<HistogramBin> {
    let gap = |bin: &HistogramBin| bin.upper - bin.lower;
    let mut at = 0;
    let mut last: f64 = 0.0;
    while at < bins.len() {
        let counted: usize = bins[..=at].iter().map(|bin| bin.count).sum();
        if bins[at].count > 0 {
            last = last.max(sorted[counted - 1]);
        }
        if gap(&bins[at]) >= (width / 3.0).max(last * ADAPTIVE_SHARE) {
            at += 1;
            continue;
        }
        let left = if at > 0 { gap(&bins[at - 1]) } else { f64::MAX };
        let right = bins.get(at + 1).map_or(f64::MAX, gap);
        if left < right && at > 0 {
            join(&mut bins, at - 1);
        } else if at + 1 < bins.len() {
            join(&mut bins, at);
        } else {
            at += 1;
        }
    }
    bins
}

fn join(bins: &mut Vec<HistogramBin>, at: usize) {
    let right = bins.remove(at + 1);
    bins[at].upper = right.upper;
    bins[at].count += right.count;
}

fn nice_floor(value: f64) -> f64 {
    (value / RESOLUTION).floor() * RESOLUTION
}

fn nice_ceiling(value: f64) -> f64 {
    (value / RESOLUTION).ceil() * RESOLUTION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_agree_share_one_bin() {
        assert_eq!(adaptive_counts(&[1.0; 6], 1.0), Some(vec![6]));
    }

    #[test]
    fn two_heaps_have_a_gap_between_them() {
        let counts = adaptive_counts(&[1.0, 1.0, 1.1, 9.0, 9.1, 9.1], 1.0).unwrap();
        assert_eq!((counts.first(), counts.last()), (Some(&3), Some(&3)));
        assert!(counts.len() > 2 && counts[1..counts.len() - 1].iter().all(|count| *count == 0));
    }

    #[test]
    fn values_beyond_any_bin_of_the_width_are_given_up() {
        assert_eq!(adaptive_counts(&[-f64::MAX, f64::MAX], 1.0), None);
    }

    #[test]
    fn values_whose_steps_are_wider_than_the_bins_come_to_an_end() {
        let coarse: Vec<f64> = (-50..50).map(|i| f64::from(i) * 1e16).collect();
        assert!(adaptive_counts(&coarse, 1.0).is_none_or(|counts| counts.len() <= 1_000));
    }
}
