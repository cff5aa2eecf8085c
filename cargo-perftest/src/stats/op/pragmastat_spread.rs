//! `pragmastat_spread`: the median distance of two values.

use super::super::case::Case;
use super::assumption::estimate;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::spread(&case.numbers("x")?, false))
}
