//! Compares the shares of values in the modes of two samples.

use super::sample_description::SampleDescription;
use perftest_analysis::stats::hypergeometric_at_least;
use perftest_core::model::Sample;

/// Returns whether more or fewer values of the second sample are above a gap between modes, by Fisher's exact test.
/// `allowed` returns the lowest and the highest place to which a value may have moved; so small a move changes no share.
/// Says so of equal distributions with the probability `misrate` at most.
///
/// The gaps of both samples count. Their modes are not paired: by chance a mode has none, or two, in one of them.
pub(super) fn shares_differ(
    described: &[SampleDescription<'_>; 2],
    allowed: impl Fn(f64) -> [f64; 2],
    misrate: f64,
) -> bool {
    let [before, current] = described.each_ref().map(|it| it.sample);
    let gaps: Vec<f64> = described.iter().flat_map(SampleDescription::gaps).collect();
    let tail = misrate / (2 * gaps.len()) as f64;
    gaps.into_iter().any(|gap| {
        let [lower, upper] = allowed(gap);
        chance_of_more_above([(current, upper), (before, gap)]) <= tail
            || chance_of_more_above([(before, gap), (current, lower)]) <= tail
    })
}

/// Returns the probability that chance puts as many values of the first sample, or more, above its place.
fn chance_of_more_above(samples: [(&Sample, f64); 2]) -> f64 {
    let [one, other] = samples.map(|(sample, place)| {
        sample.size() - sample.sorted().partition_point(|value| *value <= place)
    });
    let [drawn, rest] = samples.map(|(sample, _)| sample.size());
    hypergeometric_at_least(one, drawn, one + other, drawn + rest)
}
