//! `jitter_ties`: ties of a coarse clock, pulled apart.

use crate::case::Case;
use perftest_analysis::stats::jittered;
use serde_json::{Value, json};

/// The values in ascending order, spread over the `resolution`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let resolution = case.number("resolution")?;
    if !resolution.is_finite() || resolution < 0.0 {
        return Err("the parameter resolution has to be a finite number from 0 up".into());
    }
    let spread = jittered(&case.sample("values")?, resolution);
    Ok(json!({ "sorted_values": spread.sorted() }))
}
