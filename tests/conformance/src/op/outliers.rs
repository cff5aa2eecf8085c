//! `outliers`: the values outside of fences.

use crate::case::{Case, json_number, json_numbers};
use crate::stats::Fences;
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile, harrell_davis, quantile};
use serde_json::{Value, json};

/// By a `detector` with a `quantile_estimator`, `k` distances away; the outliers in the order of the
/// values.
///
/// As published, every value that lies strictly outside is an outlier, even where half of the values
/// agree and the fences stand on them; the tool's own summaries judge nothing there.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let values = case.numbers("values")?;
    let detector = case.word("detector")?;
    if values.is_empty() {
        return Ok(match detector {
            "tukey" => json!({ "outliers": [] }),
            _ => json!({ "error": "empty sample" }),
        });
    }
    let sample = Sample::new(values).map_err(|error| format!("the input values: {error}"))?;
    let (quantiles, deviation): (Quantile, _) = match case.word("quantile_estimator")? {
        "hf7" => (quantile, MedianAbsoluteDeviation::INTERPOLATED),
        "hd" => (harrell_davis, MedianAbsoluteDeviation::HARRELL_DAVIS),
        other => return Err(format!("there is no quantile_estimator {other}: take hf7 or hd")),
    };
    let fences = match detector {
        "tukey" => Fences::tukey(&sample, quantiles),
        "mad" => Fences::mad(&sample, deviation),
        "double_mad" => Fences::double_mad(&sample, deviation),
        other => return Err(format!("there is no detector {other}: tukey, mad or double_mad")),
    };
    let fences = match case.param("k") {
        Value::Null => fences,
        _ => fences.at(case.number("k")?),
    };
    Ok(json!({
        "outliers": json_numbers(fences.outliers(sample.values())),
        "lower_fence": json_number(fences.lower),
        "upper_fence": json_number(fences.upper),
    }))
}
