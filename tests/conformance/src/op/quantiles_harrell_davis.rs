//! `quantiles_harrell_davis`: Harrell-Davis quantiles, trimmed ones, and what they are made of.

use super::limits::work;
use super::weighted;
use crate::case::{Case, json_number, json_numbers};
use crate::stats::{harrell_davis_error, harrell_davis_interval, weighted_harrell_davis};
use perftest_analysis::stats::{highest_density_interval, weighted_trimmed_harrell_davis};
use perftest_core::stats::WeightedSample;
use serde_json::{Value, json};

/// By `estimator`: quantiles (`hd`, `thd-sqrt`), one with its interval (`hd-maritz-jarrett`), or the
/// densest part of a beta distribution (`beta-hdi`).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    match case.word("estimator")? {
        "hd" => quantiles(case, weighted_harrell_davis),
        "thd-sqrt" => quantiles(case, weighted_trimmed_harrell_davis),
        "hd-maritz-jarrett" => interval(case),
        "beta-hdi" => highest_density(case),
        other => Err(format!(
            "there is no estimator {other}: take hd, thd-sqrt, hd-maritz-jarrett or beta-hdi"
        )),
    }
}

fn quantiles(case: &Case, quantile: fn(&WeightedSample, f64) -> f64) -> Result<Value, String> {
    let sample = weighted::sample(case)?;
    let probabilities = case.probabilities("probabilities")?;
    work(sample.sorted().len(), probabilities.len())?;
    let quantiles = probabilities.into_iter().map(|p| quantile(&sample, p));
    let mut answer = json!({ "quantiles": json_numbers(quantiles) });
    if !case.input("weights").is_null() {
        answer["kish_ess"] = json_number(sample.effective_size());
    }
    Ok(answer)
}

fn interval(case: &Case) -> Result<Value, String> {
    let sample = weighted::sample(case)?;
    let (p, level) = (case.probability("probability")?, case.probability("confidence_level")?);
    let interval = harrell_davis_interval(&sample, p, level)
        .ok_or("an effective size of 1 or less has no interval: give more values")?;
    Ok(json!({
        "estimate": json_number(interval.estimate),
        "standard_error": json_number(harrell_davis_error(&sample, p)),
        "lower": json_number(interval.lower),
        "upper": json_number(interval.upper),
    }))
}

fn highest_density(case: &Case) -> Result<Value, String> {
    let (a, b) = (case.number("a")?, case.number("b")?);
    if !(a >= 0.0 && b >= 0.0 && a.is_finite() && b.is_finite()) {
        return Err("the parameters a and b have to be finite numbers from 0 up".into());
    }
    let (left, right) = highest_density_interval(a, b, case.probability("width")?);
    Ok(json!({ "left": json_number(left), "right": json_number(right) }))
}
