//! Two or three values that all others agree with, made humps.
//!
//! Definition: where a sample has two or three distinct values, half of all values at least are ties and the nearest two
//! differ by a tenth of the smaller one, the ties of each are spread about it as a triangle, a twentieth of
//! the smallest distance to each side. Any other sample stays as it is.
//!
//! Source: our own; a density of equal mass has no bin where values agree, and so no peak. Behaviour: with it
//! [`modes`](perftest_core::stats::modes) sees 20 times 100 and 20 times 200 as two modes. Values nearer to each other may
//! be neighbouring ticks of a clock, which [`jittered`](super::jittered) is for.

use perftest_core::model::Sample;

/// More distinct values are no levels.
const MOST_LEVELS: usize = 3;
/// Levels that differ by a smaller share of the smaller one may be ticks.
const APART: f64 = 0.1;
/// How far ties are spread to each side, as a share of the smallest distance of two levels.
const REACH: f64 = 0.05;

/// The values of `sample` in ascending order, with the ties of a few far levels spread.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::modes;
/// use perftest_analysis::stats::levels_spread;
/// let levels = Sample::new([[100.0; 20], [200.0; 20]].concat()).unwrap();
/// assert_eq!(modes(&levels_spread(&levels)).len(), 2);
/// ```
pub fn levels_spread(sample: &Sample) -> Sample {
    let groups: Vec<&[f64]> = sample.sorted().chunk_by(|a, b| a == b).collect();
    let gaps = groups.windows(2).map(|pair| (pair[1][0] - pair[0][0], pair[0][0].abs()));
    let smallest = gaps.min_by(|a, b| a.0.total_cmp(&b.0));
    let are_levels = |(gap, level): &(f64, f64)| {
        *gap >= APART * level && groups.len() <= MOST_LEVELS && 2 * groups.len() <= sample.size()
    };
    let Some((gap, _)) = smallest.filter(are_levels) else {
        return sample.clone();
    };
    let spread = groups.into_iter().flat_map(|group| {
        let size = group.len() as f64;
        let place = move |rank: usize| (rank as f64 + 0.5) / size;
        group
            .iter()
            .enumerate()
            .map(move |(rank, value)| value + REACH * gap * triangle(place(rank)))
    });
    Sample::new(spread.collect()).unwrap_or_else(|_| sample.clone())
}

/// The quantile of a triangle from -1 to 1.
fn triangle(probability: f64) -> f64 {
    if probability < 0.5 {
        (2.0 * probability).sqrt() - 1.0
    } else {
        1.0 - (2.0 * (1.0 - probability)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::modes;

    fn spread(levels: &[(f64, usize)]) -> Sample {
        let values = levels.iter().flat_map(|(level, count)| vec![*level; *count]);
        levels_spread(&Sample::new(values.collect()).unwrap())
    }

    #[test]
    fn levels_are_modes_however_far_apart() {
        for high in [120.0, 200.0, 1e6] {
            for counts in [(20, 20), (30, 15), (50, 50)] {
                let found = modes(&spread(&[(100.0, counts.0), (high, counts.1)]));
                assert_eq!(found.len(), 2, "{high} {counts:?}");
            }
        }
        assert_eq!(modes(&spread(&[(100.0, 30), (200.0, 30), (300.0, 30)])).len(), 3);
    }

    #[test]
    fn neighbouring_ticks_and_single_values_are_left_as_they_are() {
        for levels in [vec![(41.0, 20), (42.0, 20)], vec![(1.0, 1), (2.0, 1)], vec![(3.0, 9)]] {
            let values = levels.iter().flat_map(|(level, count)| vec![*level; *count]);
            let sample = Sample::new(values.collect()).unwrap();
            assert_eq!(spread(&levels), sample);
        }
    }
}
