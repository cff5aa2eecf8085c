//! `multimodality_lowland`: the modes of a sample.

use super::limits::most;
use crate::case::Case;
use perftest_core::stats::{EqualPeaks, Lowland, modes_at};
use serde_json::{Value, json};

/// At a `sensitivity` (0.5) and a `precision` (0.01), which is 1 by the number of bins. Two peaks of
/// exactly the same height are compared, unless `equal_peaks` is `published`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let sample = case.sample("values")?;
    let modes = modes_at(&sample, lowland(case)?);
    // As many as are in the mode, without counting again.
    let count = |share: f64| (share * sample.size() as f64).round() as u64;
    let rows = modes.iter().map(|mode| {
        json!({
            "location": mode.location,
            "left": mode.lower,
            "right": mode.upper,
            "count": count(mode.share),
        })
    });
    Ok(json!({ "modality": modes.len(), "modes": rows.collect::<Vec<_>>() }))
}

fn lowland(case: &Case) -> Result<Lowland, String> {
    let mut lowland = Lowland::default();
    if !case.param("sensitivity").is_null() {
        lowland.sensitivity = case.number("sensitivity")?;
    }
    if !case.param("precision").is_null() {
        let precision = case.number("precision")?;
        if !(precision > 0.0 && precision <= 1.0) {
            return Err("the parameter precision has to be above 0 and at most 1".into());
        }
        lowland.bins = most("1 by the precision", (1.0 / precision).round() as usize, 100_000)?;
    }
    lowland.equal_peaks = equal_peaks(case)?;
    if lowland.sensitivity.is_nan() {
        return Err("the parameter sensitivity has to be a number".into());
    }
    Ok(lowland)
}

/// What two peaks of the same height are.
pub(super) fn equal_peaks(case: &Case) -> Result<EqualPeaks, String> {
    match case.param("equal_peaks") {
        Value::Null => Ok(EqualPeaks::Compared),
        peaks if peaks == "compared" => Ok(EqualPeaks::Compared),
        peaks if peaks == "published" => Ok(EqualPeaks::Published),
        _ => Err("the parameter equal_peaks has to be compared or published".into()),
    }
}
