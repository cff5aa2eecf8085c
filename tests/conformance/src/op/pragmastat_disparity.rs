//! `pragmastat_disparity`: the shift in units of the spread.

use super::assumption::estimate;
use crate::case::Case;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x` from `y`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::disparity(&case.numbers("x")?, &case.numbers("y")?, false))
}
