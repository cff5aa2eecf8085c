//! `multimodality_lowland`: the modes of a sample.

use super::limits::most;
use super::weighted;
use crate::case::Case;
use crate::stats::weighted_modes_at;
use perftest_core::stats::{EqualPeaks, Lowland, modes_at};
use serde_json::{Value, json};

/// At a `sensitivity` (0.5) and a `precision` (0.01), which is 1 by the number of bins. Two peaks of
/// exactly the same height are compared, unless `equal_peaks` is `published`. With `weights`, values count
/// by them, and those of weight 0 not at all.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let lowland = lowland(case)?;
    let (values, modes) = match case.input("weights").is_null() {
        true => {
            let sample = case.sample("values")?;
            (sample.sorted().to_vec(), modes_at(&sample, lowland))
        }
        false => {
            let sample = weighted::sample(case)?;
            (sample.sorted().to_vec(), weighted_modes_at(&sample, lowland))
        }
    };
    let upto = |end: f64| values.partition_point(|value| *value <= end);
    let mut counted = 0;
    let rows = modes.iter().map(|mode| {
        let before = std::mem::replace(&mut counted, upto(mode.upper));
        json!({
            "location": mode.location,
            "left": mode.lower,
            "right": mode.upper,
            "count": counted - before,
            "share": mode.share,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_what_is_a_mode() {
        let values: Vec<f64> =
            (0..100_u32).map(|i| f64::from(i / 50) * 100.0 + f64::from(i * 7 % 11)).collect();
        let modality = |weight: f64| {
            let weights: Vec<f64> = (0..100).map(|i| if i < 50 { 1.0 } else { weight }).collect();
            let input = json!({ "values": values, "weights": weights });
            answer(&Case::new(input, json!({}))).unwrap()["modality"].clone()
        };
        assert_eq!((modality(1.0), modality(1e-9)), (json!(2), json!(1)));
        let short = Case::new(json!({ "values": values, "weights": [1.0] }), json!({}));
        assert!(answer(&short).unwrap_err().contains("each value needs one"));
    }
}
