//! `stats modes`: where numbers gather.

use super::{StatsOutput, noted};
use crate::args::stats::Modes as Args;
use crate::report::Table;
use crate::stats::input::Input;
use crate::stats::sample_description::SampleDescription;
use crate::stats::unit::{Unit, percent};
use perftest_core::stats::Lowland;
use serde_json::json;

pub(crate) fn modes(input: &Input, args: &Args, ascii: bool) -> StatsOutput {
    let (sample, unit) = (&input.sample, Unit(&args.shown.unit));
    let lowland = Lowland {
        bins: (1.0 / args.precision).round() as usize,
        sensitivity: args.sensitivity,
        equal_peaks: args.equal_peaks.into(),
    };
    let described = SampleDescription::of(sample, args.ticks.resolution, lowland);
    let notes = described.notes(&unit);
    let mut table = Table::new(&[" mode", " from", " to", " values", " share", "outliers"]);
    for part in &described.parts {
        let outliers = [part.below, part.above].concat();
        let count = outliers.len() + part.inside.len();
        let ends = (part.inside[0], part.inside[part.inside.len() - 1]);
        table.push([
            unit.format(part.mode.location),
            unit.format(ends.0),
            unit.format(ends.1),
            count.to_string(),
            percent(count as f64 / sample.size() as f64),
            if outliers.is_empty() { "none".into() } else { outliers.len().to_string() },
        ]);
    }
    StatsOutput {
        text: described.picture(&unit, ascii) + &table.text() + &noted(&notes),
        json: json!({
            "event": "modes",
            "v": 1,
            "source": input.name,
            "unit": args.shown.unit,
            "count": sample.size(),
            "modality": described.parts.len(),
            "modes": described.modes_as_json(),
            "rare_modes": described.rare_modes_as_json(),
            "outliers": described.outliers(),
            "resolution": described.resolution,
            "notes": notes,
        }),
    }
}
