//! `changepoint_datasets`: the change points of both PELT detectors.

use super::changepoint_documented::indexes;
use crate::case::Case;
use crate::settings::{by_pelt, min_distance};
use perftest_analysis::detect::{ed_pelt, rqq_pelt};
use serde_json::{Value, json};

/// `values` and `min_distance`. The answer has the index of the last value before each change.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let series = case.sample("values")?;
    let min_distance = min_distance(case)?;
    Ok(json!({
        "rqq_pelt": { "indexes": indexes(&by_pelt(rqq_pelt, &series, min_distance)?) },
        "ed_pelt": { "indexes": indexes(&by_pelt(ed_pelt, &series, min_distance)?) },
    }))
}
