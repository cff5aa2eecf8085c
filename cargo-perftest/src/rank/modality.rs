//! Ranks tests by the number of modes in the runs of one level.

use super::{RankValue, UnrankedReason};
use crate::reading::Stretch;
use crate::report::{Unit, counted};
use crate::stats::{FEW, SampleDescription};
use perftest_core::model::Sample;
use perftest_core::stats::Lowland;
use serde_json::json;

pub(super) fn of(stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
    let level = stretch.values_of(&stretch.newest_level());
    let have = level.as_ref().map_or(0, Sample::size);
    let level = level.filter(|_| have >= FEW);
    let level = level.ok_or(UnrankedReason::TooFew {
        have,
        needed: FEW,
        of: "runs since the last change",
    })?;
    let described = SampleDescription::of(&level, None, Lowland::default());
    let parts = &described.parts;
    let rare = described.rare_modes();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return Err(UnrankedReason::Nothing("one mode"));
    };
    if parts.len() < 2 && rare.is_empty() {
        return Err(UnrankedReason::Nothing("one mode"));
    }
    let farthest = rare.last().map_or(last.mode.location, |rare| rare.values[0]);
    let apart = farthest / first.mode.location;
    let unit = Unit(&stretch.facts.series.metric.unit);
    Ok(RankValue {
        key: ((parts.len() + rare.len()) as f64, if apart.is_finite() { apart } else { 0.0 }),
        effect: None,
        value: value(parts.len(), rare.len()),
        detail: detail(&described, &unit),
        json: json!({
            "modality": parts.len(),
            "modes": described.modes_as_json(),
            "rare_modes": described.rare_modes_as_json(),
            "level_runs": have,
        }),
    })
}

fn value(modes: usize, rare: usize) -> String {
    match rare {
        0 => counted(modes, "mode"),
        rare => format!("{} + {rare} rare", counted(modes, "mode")),
    }
}

fn detail(described: &SampleDescription<'_>, unit: &Unit<'_>) -> String {
    let rare = described.format_rare_modes(unit).into_iter().map(|rare| format!("rare: {rare}"));
    described.format_modes(unit).into_iter().chain(rare).collect::<Vec<_>>().join("; ")
}

/// Counts the modes of a level, including rare ones; for at least [`FEW`] values.
pub(super) fn modes_of_level(level: &Sample) -> usize {
    let described = SampleDescription::of(level, None, Lowland::default());
    described.parts.len() + described.rare_modes().len()
}
