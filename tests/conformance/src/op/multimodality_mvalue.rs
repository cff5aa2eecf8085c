//! `multimodality_mvalue`: how far an adaptive histogram of the values goes up and down.

use crate::case::Case;
use crate::stats::m_value;
use serde_json::{Value, json};

/// `values`, in nanoseconds or another unit with values well above 0.0001.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let values = case.sample("values")?;
    let m_value = m_value(&values).ok_or("the values lie too far apart for a histogram")?;
    Ok(json!({ "mvalue": m_value }))
}
