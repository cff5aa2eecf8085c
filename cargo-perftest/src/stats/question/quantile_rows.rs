//! Rows of quantiles. Each is a measured value, with the number of values that it needs.

use super::StatsOutput;
use crate::report::{Table, Unit, counted, json_number};
use perftest_analysis::stats::{
    fewest_for_quantile, gamma_effect_size, measured_quantile, pooled_absolute_deviation,
};
use perftest_core::model::Sample;
use serde_json::json;

/// Lists quantiles of one sample; the JSON is an array.
pub(super) fn of_one(sample: &Sample, probabilities: &[f64], unit: &Unit<'_>) -> StatsOutput {
    let rows = probabilities.iter().map(|it| (*it, measured_quantile(sample, *it)));
    let rows: Vec<(f64, f64)> = rows.collect();
    let table = Table::of(&rows)
        .column(" quantile", |(probability, _)| *probability)
        .column(" value", |(_, value)| unit.format(*value))
        .column("", |(probability, _)| caution(*probability, sample.size()))
        .whole();
    let json = rows.iter().map(|(probability, value)| {
        json!({
            "probability": probability,
            "value": json_number(*value),
            "values_needed": values_needed(*probability),
        })
    });
    StatsOutput { text: table.text(), json: json.collect() }
}

/// A quantile before and now.
struct QuantilePair {
    probability: f64,
    then: f64,
    now: f64,
}

impl QuantilePair {
    fn shift(&self) -> f64 {
        self.now - self.then
    }

    fn ratio(&self) -> Option<f64> {
        (self.then > 0.0 && self.now > 0.0).then(|| self.now / self.then)
    }
}

/// Lists quantiles of two samples with shift, ratio and effect size; the JSON is an array.
pub(super) fn of_two(
    before: &Sample,
    current: &Sample,
    probabilities: &[f64],
    unit: &Unit<'_>,
) -> StatsOutput {
    let rows = probabilities.iter().map(|it| QuantilePair {
        probability: *it,
        then: measured_quantile(before, *it),
        now: measured_quantile(current, *it),
    });
    let rows: Vec<QuantilePair> = rows.collect();
    let deviation = pooled_absolute_deviation(before, current);
    let size = before.size().min(current.size());
    let signed = |it: f64| format!("{}{}", if it > 0.0 { "+" } else { "" }, unit.format(it));
    let table = Table::of(&rows)
        .column(" quantile", |it| it.probability)
        .column(" before", |it| unit.format(it.then))
        .column(" current", |it| unit.format(it.now))
        .column(" shift", |it| signed(it.shift()))
        .optional(" ratio", |it| Some(format!("{:.3}x", it.ratio()?)))
        .column(" effect size", |it| format!("{:.2}", gamma_effect_size(it.shift(), deviation)))
        .column("", |it| caution(it.probability, size))
        .narrowed(&[], &["effect size", "shift"]);
    let json = rows.iter().map(|it| {
        json!({
            "probability": it.probability,
            "before": json_number(it.then),
            "current": json_number(it.now),
            "shift": json_number(it.shift()),
            "ratio": it.ratio().map(json_number),
            "effect_size": json_number(gamma_effect_size(it.shift(), deviation)),
            "values_needed": values_needed(it.probability),
        })
    });
    StatsOutput { text: table.text(), json: json.collect() }
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
