//! `pragmastat_compare1`: center and spread of one sample against thresholds.

use super::projected;
use crate::case::Case;
use crate::stats::project_one;
use serde_json::Value;

/// `x`; `thresholds` of `metric`, `value` and `misrate`, and a `seed`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let thresholds = projected::thresholds(case)?;
    projected::answer(project_one(&case.numbers("x")?, &thresholds, projected::seed(case)))
}
