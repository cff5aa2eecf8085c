//! `mad_scale`: the family of the median absolute deviation.

use crate::case::{Case, told};
use crate::stats::quantile_absolute_deviation;
use perftest_core::stats::MedianAbsoluteDeviation;
use serde_json::{Value, json};

/// Without a factor, with the one for interpolated medians and its sides, and with Harrell-Davis
/// medians.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let sample = case.sample("values")?;
    let simple = MedianAbsoluteDeviation::INTERPOLATED;
    Ok(json!({
        "mad_invariant": told(quantile_absolute_deviation(&sample, 0.5, 0.5)),
        "mad_simple": told(simple.of(&sample)),
        "lower_mad_simple": told(simple.below(&sample)),
        "upper_mad_simple": told(simple.above(&sample)),
        "mad_hd": told(MedianAbsoluteDeviation::HARRELL_DAVIS.of(&sample)),
    }))
}
