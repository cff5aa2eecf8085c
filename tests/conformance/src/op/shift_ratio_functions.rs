//! `shift_ratio_functions`: how far apart two samples are, quantile by quantile.

use super::limits::work;
use crate::case::{Case, json_number, json_numbers};
use perftest_analysis::stats::{shift_range, trimmed_harrell_davis};
use perftest_core::stats::{
    Quantile, bounded_margin, bounded_probabilities, harrell_davis, quantile,
};
use serde_json::{Value, json};

/// From `a`, before, to `b`, current, by an `estimator`.
///
/// As published, negative quantiles are divided too; the tool's own answers have no ratio there.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (before, current) = (case.sample("a")?, case.sample("b")?);
    let estimator: Quantile = match case.param("estimator").as_str() {
        None | Some("hd") => harrell_davis,
        Some("thd-sqrt") => trimmed_harrell_davis,
        Some("hf7") => quantile,
        Some(other) => return Err(format!("there is no estimator {other}: hd, thd-sqrt or hf7")),
    };
    let probabilities = bounded_probabilities(before.size(), current.size());
    work(before.size() + current.size(), probabilities.len())?;
    let ratio = |p| estimator(&current, p) / estimator(&before, p);
    let deciles = || (0..=10).map(|decile| f64::from(decile) / 10.0);
    let shift = |p| estimator(&current, p) - estimator(&before, p);
    let shifts = shift_range(&before, &current, estimator);
    let ratios = probabilities.iter().map(|p| ratio(*p));
    Ok(json!({
        "shift_range": json_numbers([*shifts.start(), *shifts.end()]),
        "ratio_range": range(ratios),
        "margin": json_number(bounded_margin(before.size(), current.size())),
        "quantization_count": probabilities.len(),
        "shift_deciles": json_numbers(deciles().map(shift)),
        "ratio_deciles": json_numbers(deciles().map(ratio)),
    }))
}

fn range(numbers: impl Iterator<Item = f64>) -> Value {
    let widest = (f64::INFINITY, f64::NEG_INFINITY);
    // Where one is no number, the range is none.
    let (least, most) = numbers.fold(widest, |(least, most), number| match number.is_nan() {
        true => (number, number),
        false if least.is_nan() => (least, most),
        false => (least.min(number), most.max(number)),
    });
    json_numbers([least, most])
}
