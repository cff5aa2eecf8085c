//! `exponential_decay_weights`: one weight at an index, or the weights of a whole history.

use super::super::case::Case;
use perftest_core::stats::{exponential_decay, exponential_decay_weights};
use serde_json::{Value, json};

/// `half_life` with `index` (one weight) or with `count` (all, and Kish's effective size).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let half_life = case.number("half_life")?;
    if half_life.is_nan() || half_life <= 0.0 {
        return Err("the parameter half_life has to be above 0".into());
    }
    let Some(count) = case.param("count").as_u64() else {
        return Ok(json!({ "weight": exponential_decay(case.number("index")?, half_life) }));
    };
    let count = usize::try_from(count).map_err(|error| error.to_string())?;
    let weights = exponential_decay_weights(count, half_life);
    let total: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    Ok(json!({ "weights_oldest_first": weights, "kish_ess": total * total / squares }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_reference_case_is_answered() {
        let file = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../perftest-core/tests/reference/exponential_decay_weights.json"
        ));
        super::super::reference::assert_all("exponential_decay_weights", file, 7);
    }
}
