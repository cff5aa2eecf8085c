//! `pragmastat_center`: the median of the means of all pairs.

use super::assumption::estimate;
use crate::case::Case;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::center(&case.numbers("x")?, false))
}
