//! `modality_summary_text`: the shape of a sample in one line.

use super::limits::most;
use super::multimodality_lowland::equal_peaks;
use crate::case::Case;
use crate::stats::published_mode_values;
use perftest_analysis::stats::mode_values;
use perftest_analysis::words::{ShapeDetail, shape_of};
use perftest_core::stats::{Lowland, modes_at};
use serde_json::{Value, json};

/// In a `style`, with so many `decimals`. Two peaks of exactly the same height are compared, unless
/// `equal_peaks` is `published`. Outliers are the published ones, unless `outliers` is `guarded`: then a mode
/// of which half of the values agree has none.
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
    let outliers_of = match case.param("outliers") {
        Value::Null => published_mode_values,
        outliers if outliers == "published" => published_mode_values,
        outliers if outliers == "guarded" => mode_values,
        _ => return Err("the parameter outliers has to be published or guarded".into()),
    };
    let sample = case.sample("values")?;
    let modes =
        modes_at(&sample, Lowland { equal_peaks: equal_peaks(case)?, ..Lowland::default() });
    let parts = outliers_of(&sample, &modes);
    let text = shape_of(&parts, detail, |value| format!("{value:.decimals$}"));
    Ok(json!({ "text": text, "modality": modes.len() }))
}

#[cfg(test)]
mod tests {
    use super::super::asked::{ask, assert_refused};
    use super::*;
    use perftest_core::stats::EqualPeaks;

    #[test]
    fn where_we_differ_a_parameter_chooses() {
        let text = |values: Value, more: Value| {
            let mut params = json!({ "style": "default", "decimals": 0 });
            params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ask(answer, json!({ "values": values }), params).unwrap()["text"].clone()
        };
        let ticks = json!([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(text(ticks.clone(), json!({})), "[0 | 0 | 0]_9 + {1}");
        assert_eq!(text(ticks, json!({ "outliers": "guarded" })), "[0 | 0 | 1]_10");
        let published = json!({ "equal_peaks": "published" });
        let asked = equal_peaks(&Case::new(json!({}), published));
        assert_eq!(asked, Ok(EqualPeaks::Published));
        let values = json!({ "values": [1, 2] });
        let wrong = |key: &str| json!({ "style": "full", "decimals": 0, key: "none" });
        assert_refused(
            answer,
            [
                (values.clone(), wrong("outliers"), "guarded"),
                (values, wrong("equal_peaks"), "compared"),
            ],
        );
    }
}
