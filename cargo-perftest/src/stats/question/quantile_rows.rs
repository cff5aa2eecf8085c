//! Rows of quantiles. Each is a measured value, with the number of values that it needs.

use super::StatsOutput;
use crate::report::{Table, Unit, counted, json_number};
use perftest_analysis::stats::{fewest_for_quantile, gamma_effect_size, measured_quantile};
use perftest_core::model::Sample;
use serde_json::json;

/// Lists quantiles of one sample; the JSON is an array.
pub(super) fn of_one(sample: &Sample, probabilities: &[f64], unit: &Unit<'_>) -> StatsOutput {
    let mut table = Table::new(&[" quantile", " value", ""]);
    let mut rows = Vec::new();
    for probability in probabilities {
        let value = measured_quantile(sample, *probability);
        table.push([
            probability.to_string(),
            unit.format(value),
            caution(*probability, sample.size()),
        ]);
        rows.push(json!({
            "probability": probability,
            "value": json_number(value),
            "values_needed": values_needed(*probability),
        }));
    }
    StatsOutput { text: table.text(), json: rows.into() }
}

/// Lists quantiles of two samples with shift, ratio and effect size; the JSON is an array.
pub(super) fn of_two(
    before: &Sample,
    current: &Sample,
    probabilities: &[f64],
    unit: &Unit<'_>,
) -> StatsOutput {
    let headings = [" quantile", " before", " current", " shift", " ratio", " effect size", ""];
    let mut table = Table::new(&headings).narrowed(&[], &["effect size", "shift"]);
    let mut rows = Vec::new();
    for probability in probabilities {
        let [then, now] = [before, current].map(|it| measured_quantile(it, *probability));
        let shift = now - then;
        let ratio = (then > 0.0 && now > 0.0).then(|| now / then);
        let effect = gamma_effect_size(before, current, *probability);
        table.push([
            probability.to_string(),
            unit.format(then),
            unit.format(now),
            format!("{}{}", if shift > 0.0 { "+" } else { "" }, unit.format(shift)),
            ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}x")),
            format!("{effect:.2}"),
            caution(*probability, before.size().min(current.size())),
        ]);
        rows.push(json!({
            "probability": probability,
            "before": json_number(then),
            "current": json_number(now),
            "shift": json_number(shift),
            "ratio": ratio.map(json_number),
            "effect_size": json_number(effect),
            "values_needed": values_needed(*probability),
        }));
    }
    StatsOutput { text: table.text(), json: rows.into() }
}

/// Warns if the sample has fewer values than the quantile needs.
fn caution(probability: f64, size: usize) -> String {
    match values_needed(probability) {
        Some(needed) if needed <= size => String::new(),
        Some(needed) => format!("needs {}", counted(needed, "value")),
        None => "another run may differ much".into(),
    }
}

/// `None` for the smallest and the largest value: no number of values is enough.
fn values_needed(probability: f64) -> Option<usize> {
    Some(fewest_for_quantile(probability)).filter(|needed| *needed < usize::MAX)
}
