//! `pragmastat_compare2`: shift, ratio and disparity of two samples against thresholds.

use super::projected;
use crate::case::Case;
use crate::stats::project_two;
use serde_json::Value;

/// `x` and `y`; `thresholds` of `metric`, `value` and `misrate`, and a `seed`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let thresholds = projected::thresholds(case)?;
    let (x, y) = (case.numbers("x")?, case.numbers("y")?);
    projected::answer(project_two(&x, &y, &thresholds, projected::seed(case)))
}
