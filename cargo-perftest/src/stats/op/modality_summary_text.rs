//! `modality_summary_text`: the shape of a sample in one line.

use super::super::case::Case;
use super::limits::most;
use perftest_analysis::words::{ShapeDetail, shape};
use perftest_core::stats::modes;
use serde_json::{Value, json};

/// In a `style`, with so many `decimals`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let detail = match case.word("style")? {
        "default" => ShapeDetail::OuterModes,
        "auto" => ShapeDetail::Fitting,
        "compact" => ShapeDetail::Ranges,
        "full" => ShapeDetail::AllModes,
        other => {
            return Err(format!("there is no style {other}: take default, auto, compact or full"));
        }
    };
    let decimals = most("decimals", case.whole("decimals")?, 300)?;
    let sample = case.sample("values")?;
    let text = shape(&sample, detail, |value| format!("{value:.decimals$}"));
    Ok(json!({ "text": text, "modality": modes(&sample).len() }))
}
