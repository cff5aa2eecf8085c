//! By how far runs of one level lie apart.

use super::modality::modes_of_level;
use super::{Measured, Unranked};
use crate::reading::Stretch;
use crate::stats::{FEW, Unit, percent, told};
use perftest_analysis::stats::relative_spread;
use serde_json::json;

/// Fewer runs do not tell how far they scatter.
const FEWEST: usize = 10;

pub(super) fn of(stretch: &Stretch) -> Result<Measured, Unranked> {
    let level = stretch.values_of(&stretch.newest_level());
    let have = level.as_ref().map_or(0, |level| level.size());
    let level = level.filter(|_| have >= FEWEST);
    let level = level.ok_or(Unranked::TooFew { have, needed: FEWEST, of: "runs" })?;
    let dispersion = relative_spread(&level);
    let dispersion = dispersion.ok_or(Unranked::Undefined("values not above 0"))?;
    let modes = if have >= FEW { modes_of_level(&level) } else { 1 };
    let unit = Unit(&stretch.series.metric.unit);
    let mut detail = format!("around {}, {have} runs", unit.told(level.median()));
    if modes > 1 {
        detail.push_str(&format!(", in {modes} modes: see --by modality"));
    }
    Ok(Measured {
        key: (dispersion, 0.0),
        effect: None,
        value: percent(dispersion),
        detail,
        json: json!({
            "dispersion": told(dispersion),
            "median": told(level.median()),
            "level_runs": have,
            "modes": (have >= FEW).then_some(modes),
        }),
    })
}
