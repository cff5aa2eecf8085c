//! `exponential_decay_weights`: one weight at an index, or the weights of a whole history.

use super::limits::most;
use crate::case::{Case, json_number};
use perftest_core::stats::{exponential_decay, exponential_decay_weights};
use serde_json::{Value, json};

/// `half_life` with `index` (one weight) or with `count` (all, and Kish's effective size).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let half_life = case.number("half_life")?;
    if half_life.is_nan() || half_life <= 0.0 {
        return Err("the parameter half_life has to be above 0".into());
    }
    if case.param("count").is_null() {
        return Ok(
            json!({ "weight": json_number(exponential_decay(case.number("index")?, half_life)) }),
        );
    }
    let count = most("count", case.whole("count")?, 10_000_000)?;
    if count == 0 {
        return Err(
            "the parameter count has to be at least 1: no values have no effective size".into()
        );
    }
    let weights = exponential_decay_weights(count, half_life);
    let total: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    Ok(json!({ "weights_oldest_first": weights, "kish_ess": json_number(total * total / squares) }))
}

#[cfg(test)]
mod tests {
    use super::super::asked::assert_refused;
    use super::*;

    #[test]
    fn no_values_have_no_weights() {
        let params = |half_life: Value, count| json!({ "half_life": half_life, "count": count });
        assert_refused(
            answer,
            [
                (json!({}), params(json!(10), 0), "count"),
                (json!({}), params(json!("NaN"), 3), "half_life"),
            ],
        );
    }
}
