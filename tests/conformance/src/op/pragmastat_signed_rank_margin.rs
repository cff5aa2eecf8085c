//! `pragmastat_signed_rank_margin`: how many pairs of one sample its bounds leave out on both sides.

use super::assumption::{is_misrate, violation};
use super::limits::most;
use crate::case::Case;
use perftest_core::stats::signed_rank_margin;
use serde_json::{Value, json};

/// Of `n` values at a `misrate`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let size = most("n", case.whole("n")?, 1 << 31)?;
    if size == 0 {
        return Ok(violation("domain", "x"));
    }
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    let margin = signed_rank_margin(size, misrate / 2.0, step);
    let output = |margin| json!({ "output": 2 * margin });
    Ok(margin.map_or_else(|| violation("domain", "misrate"), output))
}
