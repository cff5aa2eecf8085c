//! `pragmastat_spread_bounds`: bounds of the median distance of two values.

use super::assumption::{bounds, estimate, is_misrate, published, seed, violation};
use crate::case::Case;
use perftest_analysis::stats::spread_bounds;
use perftest_core::model::Sample;
use perftest_core::stats::RankStep;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x` at a `misrate`; the published ones are drawn by lot from a `seed`, ours always the same.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (values, misrate) = (case.numbers("x")?, case.number("misrate")?);
    if case.step()? == RankStep::Published {
        return published(raw::spread_bounds_with_seed(&values, misrate, seed(case), false));
    }
    let spread = raw::spread(&values, false);
    let Ok(x) = Sample::new(values) else { return Ok(violation("validity", "x")) };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    match spread {
        Ok(_) => {
            let interval = spread_bounds(&x, misrate / 2.0);
            Ok(interval.map_or_else(|| violation("domain", "misrate"), bounds))
        }
        without => estimate(without),
    }
}
