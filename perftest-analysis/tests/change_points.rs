//! The search for change points in long histories.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/growth.rs"]
mod growth;
#[path = "../src/noise.rs"]
mod noise;

use growth::grows_with_what_there_is;
use noise::normal;
use perftest_analysis::detect::{change_points, settled_change_points};
use perftest_core::model::Sample;
use perftest_core::stats::Random;

/// Noise of 1% around 100, and around 110 in every other stretch of this length.
fn history(size: usize, stretch: usize) -> Sample {
    let mut random = Random::new(size as u64);
    let value = |index: usize| {
        let level = if (index / stretch).is_multiple_of(2) { 100.0 } else { 110.0 };
        level * (1.0 + 0.01 * normal(&mut random))
    };
    Sample::new((0..size).map(value).collect()).unwrap()
}

#[test]
fn eight_times_as_many_values_are_searched_in_far_less_than_64_times_as_long() {
    for (name, stretch) in [("flat", usize::MAX), ("stepped", 100)] {
        let both = [2_000, 16_000].map(|size| history(size, stretch));
        grows_with_what_there_is(name, 8, &both, |history: &Sample| {
            let changes = if stretch == 100 { history.size() / stretch - 1 } else { 0 };
            assert_eq!(settled_change_points(history).lasting.len(), changes);
            assert_eq!(change_points(history).lasting.len(), changes);
        });
    }
}
