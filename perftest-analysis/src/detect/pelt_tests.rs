//! The published search of PELT, and series on which ours is compared with it.

use super::pelt::SegmentCost;
use perftest_core::model::Sample;
use perftest_core::stats::Random;

/// The published search, to compare with.
pub(super) fn published_changes<C: SegmentCost>(
    size: usize,
    min_distance: usize,
    penalty: f64,
    cost: &mut C,
) -> Vec<usize> {
    let mut best = vec![-penalty; size + 1];
    let mut previous = vec![0; size + 1];
    for (end, best) in best.iter_mut().enumerate().take(2 * min_distance).skip(min_distance) {
        *best = cost.cost(0, 0, end);
    }
    let mut starts = vec![0, min_distance];
    for end in 2 * min_distance..=size {
        let total =
            |start: &usize| best[*start] + cost.cost(previous[*start], *start, end) + penalty;
        let totals: Vec<f64> = starts.iter().map(total).collect();
        let first = (0..starts.len()).min_by(|a, b| totals[*a].total_cmp(&totals[*b])).unwrap();
        best[end] = totals[first];
        previous[end] = starts[first];
        let mut kept = totals.iter().map(|total| *total <= best[end] + penalty);
        starts.retain(|_| kept.next().unwrap());
        starts.push(end + 1 - min_distance);
    }
    let path = std::iter::successors(Some(size), |end| Some(previous[*end]));
    let mut changes: Vec<usize> = path.skip(1).take_while(|start| *start > 0).collect();
    changes.reverse();
    changes
}

/// Series of every kind: steady, stepped, drifting, tied, heavy-tailed.
pub(super) fn series_of_every_kind(size: usize, seed: u64) -> Vec<(String, Sample)> {
    let mut random = Random::new(seed);
    let mut kinds = Vec::new();
    for kind in 0..16 {
        let mut walk = 0.0;
        let mut value = |index: usize| {
            let noise: f64 = (0..6).map(|_| random.between(-1.0, 1.0)).sum();
            walk += noise;
            let step = |length: usize| (index / length % 2) as f64;
            match kind {
                0 => noise,
                1 => noise + 3.0 * step(size / 2 + 1),
                2 => noise + 4.0 * step(100),
                3 => noise * (1.0 + 3.0 * step(80)),
                4 => noise + index as f64 / 50.0,
                5 => noise.round(),
                6 => (noise + 2.0 * step(60)).round(),
                7 => 1.0 / (noise.abs() + 1e-3),
                8 => walk,
                9 => f64::from(u8::from(noise > 2.0)),
                10 => step(40),
                11 => (100.0 + 2.0 * noise).round(),
                12 => (noise / 2.0).round().clamp(-1.0, 1.0),
                13 => (index % 2) as f64,
                14 => (3.0 * noise * (1.0 + step(70))).round() / 2.0,
                _ => 1e-6 * noise,
            }
        };
        let values = (0..size).map(&mut value).collect();
        kinds.push((format!("kind {kind}, {size} values"), Sample::new(values).unwrap()));
    }
    kinds
}
