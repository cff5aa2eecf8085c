//! `gamma_effect_size`: the effect size at each probability, of quantiles of type 7, and the deviations it is made of.

use super::limits::work;
use crate::case::{Case, json_number, json_numbers};
use perftest_analysis::stats::{gamma_effect_size, pooled_absolute_deviation};
use perftest_core::stats::{MedianAbsoluteDeviation, quantile};
use serde_json::{Value, json};

/// From `a`, before, to `b`, current, at `probabilities`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (before, current) = (case.sample("a")?, case.sample("b")?);
    let probabilities = case.probabilities("probabilities")?;
    work(before.size() + current.size(), probabilities.len())?;
    let deviation = pooled_absolute_deviation(&before, &current);
    let shift = |p: f64| quantile(&current, p) - quantile(&before, p);
    let gamma = probabilities.into_iter().map(|p| gamma_effect_size(shift(p), deviation));
    Ok(json!({
        "gamma": json_numbers(gamma),
        "pooled_mad": json_number(deviation),
        "mad_a": json_number(MedianAbsoluteDeviation::INTERPOLATED.of(&before)),
        "mad_b": json_number(MedianAbsoluteDeviation::INTERPOLATED.of(&current)),
    }))
}
