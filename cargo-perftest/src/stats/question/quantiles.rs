//! `stats quantiles`: the numbers below which given shares of them lie.

use super::{StatsOutput, noted};
use crate::args::stats::{QuantileEstimator, Quantiles as Args};
use crate::exit::CommandError;
use crate::report::Table;
use crate::stats::case::json_number;
use crate::stats::input::{Input, WeightedInput};
use crate::stats::unit::Unit;
use perftest_analysis::stats::weighted_trimmed_harrell_davis;
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{
    HyndmanFan, WeightedSample, exponential_decay_weights, harrell_davis_interval,
    weighted_harrell_davis,
};
use serde_json::{Value, json};

/// Values on either side of a quantile that it needs.
const BESIDE: f64 = 5.0;

/// One quantile.
struct Row {
    probability: f64,
    value: f64,
    interval: Option<Interval>,
    /// Whether enough values lie on both of its sides.
    has_bounds: bool,
}

pub(crate) fn quantiles(given: &WeightedInput, args: &Args) -> Result<StatsOutput, CommandError> {
    let WeightedInput { input, weights } = given;
    let size = input.sample.size();
    let faded = || args.half_life.map(|half_life| exponential_decay_weights(size, half_life));
    let weighted = match weights.clone().or_else(faded) {
        Some(weights) => WeightedSample::new(&input.sample, &weights)
            .map_err(|error| CommandError::Usage(format!("{}: {error}", input.name)))?,
        None => WeightedSample::from(&input.sample),
    };
    let size = weighted.effective_size();
    let row = |probability: f64| {
        let estimate = estimate(args, &input.sample, &weighted, probability)?;
        let is_hd = args.estimator == QuantileEstimator::Hd;
        Ok(Row {
            probability,
            value: estimate,
            interval: is_hd
                .then(|| harrell_davis_interval(&weighted, probability, args.level))
                .flatten(),
            has_bounds: size * probability.min(1.0 - probability) >= BESIDE - 1e-9,
        })
    };
    let rows: Result<Vec<Row>, CommandError> =
        args.probabilities.iter().copied().map(row).collect();
    let rows = rows?;
    let mut notes = Vec::new();
    if rows.iter().any(|row| !row.has_bounds) {
        notes.push(format!(
            "* has fewer than {BESIDE} of {size:.0} values on one side: another run may differ much"
        ));
    }
    Ok(StatsOutput {
        text: text(&rows, args) + &noted(&notes),
        json: as_json(input, &rows, size, args),
    })
}

fn estimate(
    args: &Args,
    sample: &Sample,
    weighted: &WeightedSample,
    probability: f64,
) -> Result<f64, CommandError> {
    let kind = match args.estimator {
        QuantileEstimator::ThdSqrt => {
            return Ok(weighted_trimmed_harrell_davis(weighted, probability));
        }
        QuantileEstimator::Hd => return Ok(weighted_harrell_davis(weighted, probability)),
        QuantileEstimator::Hf1 => HyndmanFan::Type1,
        QuantileEstimator::Hf2 => HyndmanFan::Type2,
        QuantileEstimator::Hf3 => HyndmanFan::Type3,
        QuantileEstimator::Hf4 => HyndmanFan::Type4,
        QuantileEstimator::Hf5 => HyndmanFan::Type5,
        QuantileEstimator::Hf6 => HyndmanFan::Type6,
        QuantileEstimator::Hf7 => HyndmanFan::Type7,
        QuantileEstimator::Hf8 => HyndmanFan::Type8,
        QuantileEstimator::Hf9 => HyndmanFan::Type9,
    };
    if args.half_life.is_none() && args.weights.is_none() {
        return Ok(kind.quantile(sample, probability));
    }
    kind.weighted_quantile(weighted, probability).ok_or_else(|| {
        CommandError::Usage(
            "hf1 to hf3 have no weighted form: leave out --half-life and --weights, or take hf7"
                .into(),
        )
    })
}

fn text(rows: &[Row], args: &Args) -> String {
    let unit = Unit(&args.shown.unit);
    let has_intervals = rows.iter().any(|row| row.interval.is_some());
    let mut table = match has_intervals {
        true => Table::new(&[" quantile", " value", "", "interval"]),
        false => Table::new(&[" quantile", " value", "", ""]),
    };
    for row in rows {
        table.push([
            row.probability.to_string(),
            unit.format(row.value),
            if row.has_bounds { String::new() } else { "*".into() },
            row.interval.map(|it| unit.ends(it.lower, it.upper)).unwrap_or_default(),
        ]);
    }
    table.text()
}

fn as_json(input: &Input, rows: &[Row], size: f64, args: &Args) -> Value {
    let quantile = |row: &Row| {
        json!({
            "probability": row.probability,
            "value": json_number(row.value),
            "lower": row.interval.map(|it| json_number(it.lower)),
            "upper": row.interval.map(|it| json_number(it.upper)),
            "told": row.has_bounds,
        })
    };
    json!({
        "event": "quantiles",
        "v": 1,
        "source": input.name,
        "unit": args.shown.unit,
        "count": input.sample.size(),
        "effective_size": size,
        "level": args.level,
        "quantiles": rows.iter().map(quantile).collect::<Vec<_>>(),
    })
}
