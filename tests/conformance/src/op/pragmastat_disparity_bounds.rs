//! `pragmastat_disparity_bounds`: bounds of the shift in units of the spread.

use super::assumption::{bounds, estimate, is_misrate, published, seed, two_samples, violation};
use crate::case::Case;
use perftest_analysis::stats::disparity_bounds;
use perftest_core::stats::RankStep;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x` from `y` at a `misrate`; the published ones are drawn by lot from a `seed`, ours always
/// the same.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let misrate = case.number("misrate")?;
    if case.step()? == RankStep::Published {
        let (x, y) = (case.numbers("x")?, case.numbers("y")?);
        return published(raw::disparity_bounds_with_seed(&x, &y, misrate, seed(case), false));
    }
    let (x, y) = match two_samples(case)? {
        Ok(samples) => samples,
        Err(violation) => return Ok(violation),
    };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    match raw::disparity(x.sorted(), y.sorted(), true) {
        Ok(_) => {
            let interval = disparity_bounds(&x, &y, misrate / 2.0);
            Ok(interval.map_or_else(|| violation("domain", "misrate"), bounds))
        }
        without => estimate(without),
    }
}
