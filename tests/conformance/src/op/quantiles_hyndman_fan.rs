//! `quantiles_hyndman_fan`: quantiles from one or two order statistics.

use super::limits::work;
use super::weighted;
use crate::case::{Case, json_numbers};
use crate::stats::HyndmanFan;
use serde_json::{Value, json};

/// Of a `type` from 1 to 9 at `probabilities`, weighted where there are `weights`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let number = case.whole("type")?;
    let kind = number.checked_sub(1).and_then(|index| HyndmanFan::ALL.get(index));
    let kind = kind.ok_or("the parameter type has to be a number from 1 to 9")?;
    let probabilities = case.probabilities("probabilities")?;
    let sample = case.sample("values")?;
    if case.input("weights").is_null() {
        let quantiles = probabilities.into_iter().map(|p| kind.quantile(&sample, p));
        return Ok(json!({ "quantiles": json_numbers(quantiles) }));
    }
    work(sample.size(), probabilities.len())?;
    let weighted = weighted::sample(case)?;
    let quantiles = probabilities.into_iter().map(|p| kind.weighted_quantile(&weighted, p));
    let quantiles: Option<Vec<f64>> = quantiles.collect();
    let quantiles =
        quantiles.ok_or("types 1 to 3 have no weighted form: take a type from 4 to 9")?;
    Ok(json!({ "quantiles": json_numbers(quantiles) }))
}
