//! `rustc_perf`: whether a change is relevant by the rule of the Rust compiler's performance suite.

use crate::case::{Case, number};
use crate::case_values::{count_or, series};
use crate::thresholds::RustcPerf;
use serde_json::{Value, json};

/// `history` oldest first, `old` and `new`; `metric` (noisy but for `instructions:u`) and
/// `history_needed`, 30 where it is not given.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let history = series(case, "history")?;
    let value = |key: &str| {
        number(case.input(key)).ok_or_else(|| format!("the input {key} has to be a number"))
    };
    let rule = RustcPerf::of_metric(case.word("metric")?);
    let enough = count_or(case, "history_needed", 0, rule.enough)?;
    let judged = RustcPerf { enough, ..rule }.judge(&history, value("old")?, value("new")?);
    let answer =
        judged.ok_or("history, old and new have to be from 0 up, finite, and old not 0")?;
    Ok(json!({
        "q1": answer.first_quartile,
        "q3": answer.third_quartile,
        "history_threshold": answer.history_threshold,
        "threshold_used": answer.threshold,
        "relative_change": answer.change,
        "significant": answer.is_significant,
        "magnitude": answer.magnitude.name(),
        "relevant": answer.is_relevant,
    }))
}
