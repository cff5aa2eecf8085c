//! `stats summary`: describes a sample.

use super::{StatsOutput, labelled, noted, quantile_rows};
use crate::args::stats::Summary as Args;
use crate::report::{LISTED, Table, Unit, counted, json_number, percent};
use crate::stats::input::Input;
use crate::stats::sample_description::{Outlier, SampleDescription};
use perftest_analysis::stats::{fewest_for_quantile, median_bounds, upper_quantile};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::Lowland;
use serde_json::{Map, Value, json};

/// Upper quantiles that are shown if enough values lie beyond them.
const UPPER: [(f64, &str); 3] = [(0.9, "p90"), (0.95, "p95"), (0.99, "p99")];

pub(crate) fn summary(input: &Input, args: &Args, ascii: bool) -> StatsOutput {
    let (sample, unit) = (&input.sample, Unit(&args.shown.unit));
    let lowland = Lowland { sensitivity: args.sensitivity, ..Lowland::default() };
    let described = SampleDescription::of(sample, args.ticks.resolution, lowland);
    let misrate = args.bounded.misrate;
    let median = median_bounds(sample, misrate / 2.0);
    let mut notes = described.notes(&unit);
    if median.is_none() {
        let needed = (2.0 / misrate).log2().ceil();
        notes.insert(0, format!("too few values for bounds of the median: {needed} are needed"));
    }
    let quantiles = quantile_rows::of_one(sample, &args.probabilities, &unit);
    let mut text = described.picture(&unit, ascii) + &rows(&described, median, args);
    if !args.probabilities.is_empty() {
        text += &format!("\n{}", quantiles.text);
    }
    if args.outliers {
        text += &outliers(&described, &unit);
    }
    let mut json = as_json(input, &described, median, &notes, args);
    json["quantiles"] = quantiles.json;
    StatsOutput { text: text + &noted(&notes), json }
}

fn rows(described: &SampleDescription<'_>, median: Option<Interval>, args: &Args) -> String {
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
    labelled(&rows)
}

/// Returns the quantiles with enough values beyond them.
fn upper_quantiles(sample: &Sample) -> Vec<(&'static str, f64)> {
    let upper = |(p, name)| Some((name, upper_quantile(sample, p)?));
    UPPER.into_iter().filter_map(upper).collect()
}

/// Formats these quantiles, and the number of values that the others need.
fn upper_in_words(sample: &Sample, unit: &Unit<'_>) -> String {
    let shown = upper_quantiles(sample);
    let mut words: Vec<String> =
        shown.iter().map(|(name, value)| format!("{name} {}", unit.format(*value))).collect();
    for (index, (p, name)) in UPPER.into_iter().enumerate().skip(shown.len()) {
        let values = if index == shown.len() { " values" } else { "" };
        words.push(format!("{name} needs {}{values}", fewest_for_quantile(p)));
    }
    words.join(", ")
}

/// Lists a row for each outlier; empty without any.
fn outliers(described: &SampleDescription<'_>, unit: &Unit<'_>) -> String {
    let outliers = described.placed_outliers();
    if outliers.is_empty() {
        return String::new();
    }
    let table = Table::of(outliers.iter().take(LISTED))
        .column(" place", |it| it.place)
        .column(" value", |it| unit.format(it.value))
        .column("side", |it| it.side)
        .whole();
    let mut text = format!("\n{}", table.text());
    if outliers.len() > LISTED {
        text += &format!("and {} more: --json lists all\n", outliers.len() - LISTED);
    }
    text
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
    let upper_quantiles: Map<String, Value> = upper_quantiles(sample)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json_number(value)))
        .collect();
    let outlier = |outlier: &Outlier| json!({ "place": outlier.place, "value": outlier.value, "side": outlier.side });
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
        "outliers": described.placed_outliers().iter().map(outlier).collect::<Vec<_>>(),
        "upper_quantiles": upper_quantiles,
        "resolution": described.resolution,
        "notes": notes,
    })
}
