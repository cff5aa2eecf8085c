//! `pragmastat_shift`: the median of all differences.

use super::assumption::estimate;
use crate::case::Case;
use pragmastat::estimators::raw;
use serde_json::Value;

/// Of `x` less `y`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    estimate(raw::shift(&case.numbers("x")?, &case.numbers("y")?, false))
}
