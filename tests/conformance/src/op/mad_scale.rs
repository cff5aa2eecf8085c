//! `mad_scale`: the family of the median absolute deviation.

use crate::case::{Case, json_number};
use crate::stats::quantile_absolute_deviation;
use perftest_core::stats::MedianAbsoluteDeviation;
use serde_json::{Value, json};

/// Without a factor, with the one for interpolated medians and its sides, and with Harrell-Davis
/// medians.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let sample = case.sample("values")?;
    let simple = MedianAbsoluteDeviation::INTERPOLATED;
    Ok(json!({
        "mad_invariant": json_number(quantile_absolute_deviation(&sample, 0.5, 0.5)),
        "mad_simple": json_number(simple.of(&sample)),
        "lower_mad_simple": json_number(simple.below(&sample)),
        "upper_mad_simple": json_number(simple.above(&sample)),
        "mad_hd": json_number(MedianAbsoluteDeviation::HARRELL_DAVIS.of(&sample)),
    }))
}
