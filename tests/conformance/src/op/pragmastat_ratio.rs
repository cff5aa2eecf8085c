//! `pragmastat_ratio`: the median of all ratios.

use super::assumption::estimate;
use crate::case::Case;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x` by `y`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::ratio(&case.numbers("x")?, &case.numbers("y")?, false))
}
