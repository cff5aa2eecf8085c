//! `stats summary`: what numbers look like.

use super::{StatsOutput, labelled, noted};
use crate::args::stats::Summary as Args;
use crate::stats::case::json_number;
use crate::stats::input::Input;
use crate::stats::sample_description::SampleDescription;
use crate::stats::unit::{Unit, counted, percent};
use perftest_analysis::stats::{fewest_for_upper_quantile, median_bounds, upper_quantile};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::Lowland;
use serde_json::{Map, Value, json};

/// Upper quantiles that are told, where enough values lie beyond them.
const UPPER: [(f64, &str); 3] = [(0.9, "p90"), (0.95, "p95"), (0.99, "p99")];

pub(crate) fn summary(input: &Input, args: &Args, ascii: bool) -> StatsOutput {
    let (sample, unit) = (&input.sample, Unit(&args.shown.unit));
    let described = SampleDescription::of(sample, args.ticks.resolution, Lowland::default());
    let misrate = args.bounded.misrate;
    let median = median_bounds(sample, misrate / 2.0);
    let mut notes = described.notes(&unit);
    if median.is_none() {
        let needed = (2.0 / misrate).log2().ceil();
        notes.insert(0, format!("too few values for bounds of the median: {needed} are needed"));
    }
    StatsOutput {
        text: text(&described, median, &notes, args, ascii),
        json: as_json(input, &described, median, &notes, args),
    }
}

fn text(
    described: &SampleDescription<'_>,
    median: Option<Interval>,
    notes: &[String],
    args: &Args,
    ascii: bool,
) -> String {
    let (sample, unit) = (described.sample, Unit(&args.shown.unit));
    let (lower, upper) = described.bulk();
    let inside = described.bulk_count();
    let bulk = format!(
        "{}, {} of {}",
        unit.ends(lower, upper),
        percent(inside as f64 / sample.size() as f64),
        counted(sample.size(), "value")
    );
    let median = match median {
        Some(bounds) => format!(
            "{}, wrong at most once in {:.0}",
            unit.range(bounds),
            1.0 / args.bounded.misrate
        ),
        None => unit.format(sample.median()),
    };
    let modes = if described.parts.len() == 1 { "mode" } else { "modes" };
    let mut rows = vec![
        ("bulk", vec![bulk]),
        ("median", vec![median]),
        (modes, described.format_modes(&unit)),
        ("rare mode", described.format_rare_modes(&unit)),
        ("outliers", vec![described.format_outliers(&unit)]),
    ];
    rows.retain(|(_, lines)| !lines.is_empty());
    rows.push(("upper", vec![upper_in_words(sample, &unit)]));
    described.picture(&unit, ascii) + &labelled(&rows) + &noted(notes)
}

/// Those that have enough values beyond them.
fn upper_quantiles(sample: &Sample) -> Vec<(&'static str, f64)> {
    let quantile = |(p, name)| Some((name, upper_quantile(sample, p)?));
    UPPER.into_iter().filter_map(quantile).collect()
}

/// Those that are told, and how many values the others need.
fn upper_in_words(sample: &Sample, unit: &Unit<'_>) -> String {
    let known = upper_quantiles(sample);
    let mut words: Vec<String> =
        known.iter().map(|(name, value)| format!("{name} {}", unit.format(*value))).collect();
    for (index, (p, name)) in UPPER.into_iter().enumerate().skip(known.len()) {
        let values = if index == known.len() { " values" } else { "" };
        words.push(format!("{name} needs {}{values}", fewest_for_upper_quantile(p)));
    }
    words.join(", ")
}

fn as_json(
    input: &Input,
    described: &SampleDescription<'_>,
    median: Option<Interval>,
    notes: &[String],
    args: &Args,
) -> Value {
    let sample = &input.sample;
    let (lower, upper) = described.bulk();
    let sorted = sample.sorted();
    let quantiles = upper_quantiles(sample).into_iter();
    let quantiles: Map<String, Value> =
        quantiles.map(|(name, value)| (name.to_owned(), json_number(value))).collect();
    json!({
        "event": "summary",
        "v": 1,
        "source": input.name,
        "unit": args.shown.unit,
        "count": sample.size(),
        "least": sorted[0],
        "largest": sorted[sorted.len() - 1],
        "bulk": { "lower": lower, "upper": upper, "count": described.bulk_count() },
        "median": {
            "estimate": sample.median(),
            "lower": median.map(|it| it.lower),
            "upper": median.map(|it| it.upper),
            "misrate": args.bounded.misrate,
        },
        "modality": described.parts.len(),
        "modes": described.modes_as_json(),
        "rare_modes": described.rare_modes_as_json(),
        "outliers": described.outliers(),
        "quantiles": quantiles,
        "resolution": described.resolution,
        "notes": notes,
    })
}
