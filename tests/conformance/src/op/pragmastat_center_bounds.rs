//! `pragmastat_center_bounds`: bounds of the median of the means of all pairs.

use super::assumption::{bounds, is_misrate, violation};
use crate::case::Case;
use perftest_core::model::Sample;
use perftest_core::stats::center_bounds;
use serde_json::Value;

/// Of `x` at a `misrate`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let Ok(x) = Sample::new(case.numbers("x")?) else { return Ok(violation("validity", "x")) };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    if x.size() < 2 {
        return Ok(violation("domain", "x"));
    }
    let interval = center_bounds(&x, misrate / 2.0, step);
    Ok(interval.map_or_else(|| violation("domain", "misrate"), bounds))
}
