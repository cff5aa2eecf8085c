//! The segments between change points.

use std::ops::Range;

/// The segments into which change points cut `size` values; points outside cut nothing.
///
/// ```
/// use perftest_analysis::detect::segments;
/// assert_eq!(segments(&[3, 5], 8), [0..3, 3..5, 5..8]);
/// ```
pub fn segments(points: &[usize], size: usize) -> Vec<Range<usize>> {
    let mut ends = points.to_vec();
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|point| (1..size).contains(point));
    if size > 0 {
        ends.push(size);
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, end)| start..*end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_outside_the_series_cut_nothing() {
        assert_eq!(segments(&[0, 4, 4, 9], 6), [0..4, 4..6]);
        assert_eq!(segments(&[1], 0), []);
        assert_eq!(segments(&[], 3).len(), 1);
    }
}
