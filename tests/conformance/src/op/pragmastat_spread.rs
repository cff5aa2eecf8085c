//! `pragmastat_spread`: the median distance of two values.

use super::assumption::estimate;
use crate::case::Case;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::spread(&case.numbers("x")?, false))
}
