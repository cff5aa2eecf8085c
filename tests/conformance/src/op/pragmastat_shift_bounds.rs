//! `pragmastat_shift_bounds`: bounds of the median of all differences.

use super::assumption::pairwise;
use crate::case::Case;
use perftest_core::stats::shift_bounds;
use serde_json::Value;

/// Of `x` less `y` at a `misrate`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    pairwise(case, shift_bounds)
}
