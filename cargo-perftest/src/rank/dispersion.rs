//! Ranks tests by how much the runs of one level differ.

use super::modality::modes_of_level;
use super::{RankValue, UnrankedReason};
use crate::reading::Stretch;
use crate::report::{Unit, json_number, percent};
use crate::stats::FEW;
use perftest_analysis::stats::relative_spread;
use serde_json::json;

/// Fewest runs that show how much runs differ.
const FEWEST: usize = 10;

pub(super) fn of(stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
    let level = stretch.values_of(&stretch.newest_level());
    let have = level.as_ref().map_or(0, |level| level.size());
    let level = level.filter(|_| have >= FEWEST);
    let level = level.ok_or(UnrankedReason::TooFew { have, needed: FEWEST, of: "runs" })?;
    let dispersion = relative_spread(&level);
    let dispersion = dispersion.ok_or(UnrankedReason::Nothing("values not above 0"))?;
    let modes = if have >= FEW { modes_of_level(&level) } else { 1 };
    let unit = Unit(&stretch.facts.series.metric.unit);
    let mut detail = format!("around {}, {have} runs", unit.format(level.median()));
    if modes > 1 {
        detail.push_str(&format!(", in {modes} modes: see --by modality"));
    }
    Ok(RankValue {
        key: (dispersion, 0.0),
        effect: None,
        value: percent(dispersion),
        detail,
        json: json!({
            "dispersion": json_number(dispersion),
            "median": json_number(level.median()),
            "level_runs": have,
            "modes": (have >= FEW).then_some(modes),
        }),
    })
}
