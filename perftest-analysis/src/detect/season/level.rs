//! The level of values, without what repeats within a window of time.
//!
//! Definition: the mean of the middle half of the values in a window, at knots an eighth of the window
//! apart, with straight lines between them. At its ends a part has whole windows too. The window is two
//! periods long, so that each window has a pattern equally often. Where values are rare, it is as long as
//! twelve of them take.
//!
//! Source: our own; the mean of the middle half is Tukey's midmean. It neither follows a quarter of far
//! values, as a mean would, nor jumps between the halves of a pattern, as a median would.

/// Knots in a window.
const KNOTS: f64 = 8.0;
const PERIODS: f64 = 2.0;
const FEWEST: f64 = 12.0;

/// The length of a window in which values, `spacing` apart on average, show no pattern of this period.
pub(super) fn window(period: f64, spacing: f64) -> f64 {
    (PERIODS * period).max(FEWEST * spacing)
}

/// The level at each time. No window crosses the `ends` of the parts of the values, which ascend from 0 to
/// their number; the times ascend too.
pub(super) fn levels(times: &[f64], values: &[f64], ends: &[usize], window: f64) -> Vec<f64> {
    let of_part = |ends: &[usize]| {
        let part = ends[0]..ends[1];
        level(&times[part.clone()], &values[part], window)
    };
    ends.windows(2).flat_map(of_part).collect()
}

fn level(times: &[f64], values: &[f64], window: f64) -> Vec<f64> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Vec::new();
    };
    let mut knots: Vec<(f64, f64)> = Vec::new();
    let mut next = f64::NEG_INFINITY;
    for (place, time) in times.iter().enumerate() {
        if *time >= next || place == times.len() - 1 {
            let within = if time + window / 2.0 > *last {
                times.partition_point(|other| *other <= last - window)..times.len()
            } else {
                let start = (time - window / 2.0).max(*first);
                let before = |end: f64| times.partition_point(|other| *other < end);
                before(start)..before(start + window)
            };
            knots.push((*time, midmean(&values[within])));
            next = time + window / KNOTS;
        }
    }
    let mut at = 0;
    let mut between = |time: &f64| {
        while at + 2 < knots.len() && knots[at + 1].0 < *time {
            at += 1;
        }
        let ((start, before), (end, after)) = (knots[at], knots[(at + 1).min(knots.len() - 1)]);
        let share =
            if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) } else { 0.0 };
        before + share * (after - before)
    };
    times.iter().map(&mut between).collect()
}

/// The mean of the middle half.
fn midmean(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let (cut, size) = (values.len() / 4, values.len());
    if cut > 0 {
        values.select_nth_unstable_by(cut, f64::total_cmp);
        values[cut..].select_nth_unstable_by(size - 2 * cut - 1, f64::total_cmp);
    }
    let middle = &values[cut..size - cut];
    middle.iter().sum::<f64>() / middle.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(count: usize) -> Vec<f64> {
        (0..count).map(|hour| hour as f64).collect()
    }

    #[test]
    fn a_pattern_leaves_the_level_even_and_a_drift_does_not() {
        let times = hours(240);
        let load: Vec<f64> = (0..240).map(|hour| f64::from(u8::from(hour % 24 < 10))).collect();
        let even = levels(&times, &load, &[0, 240], 48.0);
        assert!(even.iter().all(|level| (level - even[0]).abs() < 1e-12), "{even:?}");
        let drift: Vec<f64> = times.iter().map(|time| 0.1 * time).collect();
        let level = levels(&times, &drift, &[0, 240], 48.0);
        assert!((24..216).all(|hour| (level[hour] - drift[hour]).abs() < 0.1), "{level:?}");
    }

    #[test]
    fn no_window_reaches_over_a_change() {
        let step: Vec<f64> = (0..100).map(|hour| f64::from(u8::from(hour >= 60))).collect();
        assert_eq!(levels(&hours(100), &step, &[0, 60, 100], 48.0), step);
        let blurred = levels(&hours(100), &step, &[0, 100], 48.0);
        assert!(blurred != step && blurred[10] == 0.0 && blurred[99] == 1.0);
    }

    #[test]
    fn far_values_do_not_move_it() {
        let values: Vec<f64> = (0..96).map(|hour| if hour % 9 == 0 { 1e6 } else { 5.0 }).collect();
        assert!(levels(&hours(96), &values, &[0, 96], 48.0).iter().all(|level| *level == 5.0));
    }

    #[test]
    fn the_middle_half_counts() {
        assert_eq!(midmean(&[9.0, 1.0, 3.0, 5.0, 100.0, 7.0, -50.0, 4.0]), 4.75);
        assert_eq!(
            [midmean(&[3.0]), midmean(&[3.0, 4.0]), midmean(&[1.0, 2.0, 6.0])],
            [3.0, 3.5, 3.0]
        );
        assert_eq!(midmean(&[8.0, 1.0, 2.0, 4.0]), 3.0);
    }

    #[test]
    fn one_time_one_value_and_long_gaps_have_a_level() {
        assert_eq!(levels(&[3.0], &[7.0], &[0, 1], 48.0), [7.0]);
        assert_eq!(levels(&[3.0; 4], &[7.0; 4], &[0, 1, 4], 48.0), [7.0; 4]);
        assert_eq!(levels(&[0.0, 1e12], &[7.0, 9.0], &[0, 2], 48.0), [7.0, 9.0]);
    }
}
