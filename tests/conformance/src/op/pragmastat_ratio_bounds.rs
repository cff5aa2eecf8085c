//! `pragmastat_ratio_bounds`: bounds of the median of all ratios.

use super::assumption::pairwise;
use crate::case::Case;
use perftest_core::stats::ratio_bounds;
use serde_json::Value;

/// Of `x` by `y` at a `misrate`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    pairwise(case, ratio_bounds)
}
