//! `pragmastat_pairwise_margin`: how many pairs of two samples their bounds leave out on both sides.

use super::assumption::{is_misrate, violation};
use super::limits::most;
use crate::case::Case;
use perftest_core::stats::pairwise_margin;
use serde_json::{Value, json};

/// Of `n` and `m` values at a `misrate`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let (n, m) = (most("n", case.whole("n")?, 1 << 31)?, most("m", case.whole("m")?, 1 << 31)?);
    if n == 0 {
        return Ok(violation("domain", "x"));
    }
    if m == 0 {
        return Ok(violation("domain", "y"));
    }
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    let margin = pairwise_margin(n, m, misrate / 2.0, step);
    let output = |margin| json!({ "output": 2 * margin });
    Ok(margin.map_or_else(|| violation("domain", "misrate"), output))
}
