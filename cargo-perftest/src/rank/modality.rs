//! By how many modes the runs of one level have.

use super::{Measured, Unranked};
use crate::reading::Stretch;
use crate::stats::{Described, FEW, Unit};
use perftest_core::model::Sample;
use perftest_core::stats::Lowland;
use serde_json::json;

pub(super) fn of(stretch: &Stretch) -> Result<Measured, Unranked> {
    let level = stretch.values_of(&stretch.newest_level());
    let have = level.as_ref().map_or(0, Sample::size);
    let level = level.filter(|_| have >= FEW);
    let level =
        level.ok_or(Unranked::TooFew { have, needed: FEW, of: "runs since the last change" })?;
    let described = Described::of(&level, None, Lowland::default());
    let parts = &described.parts;
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return Err(Unranked::Nothing("one mode"));
    };
    if parts.len() < 2 {
        return Err(Unranked::Nothing("one mode"));
    }
    let apart = last.mode.location / first.mode.location;
    let unit = Unit(&stretch.series.metric.unit);
    Ok(Measured {
        key: (parts.len() as f64, if apart.is_finite() { apart } else { 0.0 }),
        effect: None,
        value: format!("{} modes", parts.len()),
        detail: described.modes_told(&unit).join("; "),
        json: json!({
            "modality": parts.len(),
            "modes": described.modes_as_json(),
            "level_runs": have,
        }),
    })
}

/// How many modes a level has; told from [`FEW`] values on.
pub(super) fn modes_of_level(level: &Sample) -> usize {
    Described::of(level, None, Lowland::default()).parts.len()
}
