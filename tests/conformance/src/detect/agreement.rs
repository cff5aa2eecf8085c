//! How well change points that were found agree with those that people see.
//!
//! Definition, with change points as indices of the first value of a new segment:
//!
//! * F1 with a margin: one found point confirms one true point at most, the nearest one that is at most
//!   the margin away; true points are asked in ascending order, of equally near found points the
//!   first is taken. Precision is the share of found points that confirm one of any annotator's,
//!   recall the mean over the annotators of the share of theirs that is confirmed; F1 is their
//!   harmonic mean. Index 0 counts as found and as seen by everyone.
//! * Covering: for each segment of an annotator the largest overlap (intersection over union) with a
//!   segment found, weighted by its length; the mean over the annotators.
//!
//! Source: van den Burg and Williams, "An evaluation of change point detection algorithms" (2020),
//! and TCPDBench.
//!
//! Behaviour: both are 1 for a perfect answer. Finding nothing is not worth 0: it agrees with index 0
//! and with those who see nothing.

use perftest_analysis::detect::segments;
use std::ops::Range;

/// The true points that found ones confirm, ascending.
///
/// ```
/// use perftest_conformance::detect::true_positives;
/// assert_eq!(true_positives(&[1, 10, 20, 23], &[3, 8, 20], 5), [1, 10, 20]);
/// ```
pub fn true_positives(truth: &[usize], found: &[usize], margin: usize) -> Vec<usize> {
    let mut unused = ascending(found);
    let mut is_confirmed = |point: &usize| {
        let near = unused.iter().enumerate().min_by_key(|(_, other)| other.abs_diff(*point));
        let near = near.filter(|(_, other)| other.abs_diff(*point) <= margin);
        near.map(|(index, _)| index).map(|index| unused.remove(index)).is_some()
    };
    let mut truth = ascending(truth);
    truth.retain(&mut is_confirmed);
    truth
}

/// F1 of found points against one list a person; `None` without a person.
///
/// ```
/// use perftest_conformance::detect::f1;
/// let seen = [vec![], vec![10], vec![50]];
/// assert!((f1(&seen, &[10], 5).unwrap() - 10.0 / 11.0).abs() < 1e-12);
/// ```
pub fn f1(annotations: &[Vec<usize>], found: &[usize], margin: usize) -> Option<f64> {
    let with_start = |points: &[usize]| ascending(&[&[0], points].concat());
    let seen: Vec<Vec<usize>> = annotations.iter().map(|points| with_start(points)).collect();
    let found = with_start(found);
    let confirmed = |truth: &[usize]| true_positives(truth, &found, margin).len() as f64;
    let precision = confirmed(&seen.concat()) / found.len() as f64;
    let recall = mean(seen.iter().map(|truth| confirmed(truth) / truth.len() as f64))?;
    Some(2.0 * precision * recall / (precision + recall))
}

/// How well the found segments of `size` values cover those of each person; `None` without a person
/// or a value.
///
/// ```
/// use perftest_conformance::detect::covering;
/// assert_eq!(covering(&[vec![5]], &[], 10), Some(0.5));
/// assert_eq!(covering(&[vec![5]], &[5], 10), Some(1.0));
/// ```
pub fn covering(annotations: &[Vec<usize>], found: &[usize], size: usize) -> Option<f64> {
    let found = segments(found, size);
    let overlap = |a: &Range<usize>, b: &Range<usize>| {
        let common = a.end.min(b.end).saturating_sub(a.start.max(b.start));
        common as f64 / (a.len() + b.len() - common) as f64
    };
    let covered = |truth: &Range<usize>| {
        let best = found.iter().map(|found| overlap(truth, found)).fold(0.0, f64::max);
        best * truth.len() as f64
    };
    let of_one =
        |points: &Vec<usize>| segments(points, size).iter().map(covered).sum::<f64>() / size as f64;
    mean(annotations.iter().map(of_one)).filter(|_| size > 0)
}

fn ascending(points: &[usize]) -> Vec<usize> {
    let mut points = points.to_vec();
    points.sort_unstable();
    points.dedup();
    points
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_found_point_confirms_one_true_point() {
        assert_eq!(true_positives(&[10, 12], &[11], 5), [10]);
        assert_eq!(true_positives(&[10, 12], &[11, 11, 14], 5), [10, 12]);
        assert_eq!(true_positives(&[10], &[16], 5), [0_usize; 0]);
    }

    #[test]
    fn finding_exactly_what_all_see_is_perfect() {
        let seen = [vec![3, 20], vec![20, 3]];
        assert_eq!(f1(&seen, &[20, 3], 0), Some(1.0));
        assert_eq!(covering(&seen, &[20, 3], 40), Some(1.0));
    }

    #[test]
    fn no_detector_and_no_series_have_no_figure() {
        assert_eq!(f1(&[], &[3], 5), None);
        assert_eq!(covering(&[], &[3], 5), None);
        assert_eq!(covering(&[vec![]], &[3], 0), None);
    }
}
