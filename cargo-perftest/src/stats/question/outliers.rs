//! `stats outliers`: which numbers lie outside of fences.

use super::{StatsOutput, labelled, noted};
use crate::args::stats::{Detector, FenceEstimator, Outliers as Args};
use crate::report::Table;
use crate::stats::case::json_number;
use crate::stats::input::Input;
use crate::stats::ticks;
use crate::stats::unit::{Unit, counted, percent};
use perftest_analysis::stats::{Fences, by_mode};
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile, harrell_davis, modes, quantile};
use serde_json::{Value, json};

/// Rows of the table.
const LISTED: usize = 20;

/// Fences, and the largest value that they are for.
struct FencedPart {
    largest: f64,
    fences: Fences,
}

/// A value that lies outside, and its place from 1.
struct Outlier {
    place: usize,
    value: f64,
    is_above: bool,
}

impl FencedPart {
    fn is_finite(&self) -> bool {
        self.fences.lower.is_finite() && self.fences.upper.is_finite()
    }

    fn format(&self, unit: &Unit<'_>) -> String {
        match self.is_finite() {
            true => unit.ends(self.fences.lower, self.fences.upper),
            false => "none".into(),
        }
    }
}

pub(crate) fn outliers(input: &Input, args: &Args) -> StatsOutput {
    let (sample, unit) = (&input.sample, Unit(&args.shown.unit));
    let parted = modes(&ticks::spread(sample, None).0);
    let all = if args.per_mode { per_mode(sample, args) } else { vec![fenced(sample, args)] };
    let found: Vec<Outlier> =
        (1..).zip(sample.values()).filter_map(|it| outlier(&all, it)).collect();
    let mut notes = Vec::new();
    if parted.len() > 1 && !args.per_mode {
        notes.push(format!(
            "there are {}: --per-mode looks inside each",
            counted(parted.len(), "mode")
        ));
    }
    if !all.iter().all(FencedPart::is_finite) {
        notes.push(
            "the distances of these values are beyond the range of numbers: divide all of them by \
             a power of ten first"
                .into(),
        );
    } else if all.iter().any(|part| !part.fences.judges()) {
        notes.push("where half of the values agree there is no distance to judge others by".into());
    }
    StatsOutput {
        text: text(sample, &all, &found, &unit) + &noted(&notes),
        json: as_json(input, args, &all, &found, &notes),
    }
}

fn fenced(sample: &Sample, args: &Args) -> FencedPart {
    let (quantiles, deviation): (Quantile, _) = match args.estimator {
        FenceEstimator::Hf7 => (quantile, MedianAbsoluteDeviation::INTERPOLATED),
        FenceEstimator::Hd => (harrell_davis, MedianAbsoluteDeviation::HARRELL_DAVIS),
    };
    let fences = match args.detector {
        Detector::Tukey => Fences::tukey(sample, quantiles),
        Detector::Mad => Fences::mad(sample, deviation),
        Detector::DoubleMad => Fences::double_mad(sample, deviation),
    };
    let fences = args.k.map_or(fences, |k| fences.at(k));
    FencedPart { largest: sample.sorted()[sample.size() - 1], fences }
}

fn per_mode(sample: &Sample, args: &Args) -> Vec<FencedPart> {
    let modes = modes(&ticks::spread(sample, None).0);
    let parts = by_mode(sample, &modes).into_iter();
    let parts = parts.filter_map(|(_, values)| Sample::new(values.to_vec()).ok());
    parts.map(|part| fenced(&part, args)).collect()
}

fn outlier(all: &[FencedPart], (place, value): (usize, &f64)) -> Option<Outlier> {
    let part = all.iter().find(|part| *value <= part.largest)?;
    let is_above = part.fences.is_above(*value);
    let is_outside = is_above || part.fences.is_below(*value);
    is_outside.then_some(Outlier { place, value: *value, is_above })
}

fn text(sample: &Sample, all: &[FencedPart], found: &[Outlier], unit: &Unit<'_>) -> String {
    let fences = all.iter().map(|part| part.format(unit));
    let share = percent(found.len() as f64 / sample.size() as f64);
    let count = format!("{} of {}, {share}", found.len(), counted(sample.size(), "value"));
    let fences = ("fences", fences.collect());
    let mut text = labelled(&[fences, ("outliers", vec![count])]);
    if found.is_empty() {
        return text;
    }
    let mut table = Table::new(&[" place", " value", "side"]);
    for outlier in found.iter().take(LISTED) {
        let side = if outlier.is_above { "above" } else { "below" };
        table.push([outlier.place.to_string(), unit.format(outlier.value), side.into()]);
    }
    text += "\n";
    text += &table.text();
    if found.len() > LISTED {
        text += &format!("and {} more: --json lists all\n", found.len() - LISTED);
    }
    text
}

fn as_json(
    input: &Input,
    args: &Args,
    all: &[FencedPart],
    found: &[Outlier],
    notes: &[String],
) -> Value {
    let fences = all
        .iter()
        .map(|part| json!({ "lower": json_number(part.fences.lower), "upper": json_number(part.fences.upper) }));
    let outliers = found.iter().map(|it| {
        let side = if it.is_above { "above" } else { "below" };
        json!({ "place": it.place, "value": it.value, "side": side })
    });
    json!({
        "event": "outliers",
        "v": 1,
        "source": input.name,
        "unit": args.shown.unit,
        "count": input.sample.size(),
        "fences": fences.collect::<Vec<_>>(),
        "outliers": outliers.collect::<Vec<_>>(),
        "notes": notes,
    })
}
