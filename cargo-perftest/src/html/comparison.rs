//! The last comparison of a history: two distributions, and the measurements beside the curve.

use super::{LastBaseline, QuantileGrids, column, digits};
use perftest_core::judge::curve_course;
use perftest_core::model::{Run, Sample};
use perftest_core::stats::{bounded_margin, density_on_grid};
use serde_json::{Value, json};

/// Number of bins of a density.
const BINS: usize = 40;
/// Number of steps of the shift and ratio functions.
const STEPS: usize = 100;
/// Largest number of measurements beside the curve.
const MEASUREMENTS: usize = 300;
/// Significant digits of a value.
const DIGITS: usize = 6;

/// The comparison as the page draws it; `null` where the run has no measurement. Values are not normalised.
pub(super) fn comparison_as_json(last: &LastBaseline, run: &Run, grids: &QuantileGrids) -> Value {
    let before: Vec<f64> =
        last.baseline.values().into_iter().flatten().map(|observation| observation.value).collect();
    let now: Vec<f64> = run.clean().iter().map(|observation| observation.value).collect();
    let (Ok(before), Ok(now)) = (Sample::new(before), Sample::new(now)) else {
        return Value::Null;
    };
    json!({
        "is_exact": last.is_exact,
        "runs_before": last.baseline.centers.len(),
        "before": density_as_json(&before, grids),
        "now": density_as_json(&now, grids),
        "quantiles": quantiles(&before, &now, grids),
        "curve": curve(last, run),
    })
}

fn density_as_json(sample: &Sample, grids: &QuantileGrids) -> Value {
    let bins = density_on_grid(sample, &grids.of(sample.size(), BINS));
    let ends =
        bins.first().map(|bin| bin.lower).into_iter().chain(bins.iter().map(|bin| bin.upper));
    json!({
        "values": sample.size(),
        "median": digits(sample.median(), DIGITS),
        // All bins have the same mass, so their heights follow from their ends.
        "ends": ends.map(|end| digits(end, DIGITS)).collect::<Vec<_>>(),
    })
}

/// The quantiles at evenly spaced probabilities, as far as both samples have enough values.
fn quantiles(before: &Sample, now: &Sample, grids: &QuantileGrids) -> Value {
    let margin = bounded_margin(before.size(), now.size());
    let is_bounded = |step: &usize| {
        let probability = *step as f64 / STEPS as f64;
        probability >= margin - 1e-9 && probability <= 1.0 - margin + 1e-9
    };
    let steps: Vec<usize> = (0..=STEPS).filter(is_bounded).collect();
    let [before, now] =
        [before, now].map(|sample| grids.of(sample.size(), STEPS).quantiles(sample));
    let at = |all: &[f64]| steps.iter().map(|it| digits(all[*it], DIGITS)).collect::<Vec<_>>();
    json!({
        "first": digits(steps[0] as f64 / STEPS as f64, 3),
        "step": 1.0 / STEPS as f64,
        "before": at(&before),
        "now": at(&now),
    })
}

fn curve(last: &LastBaseline, run: &Run) -> Value {
    let Some(course) = curve_course(run, &last.baseline, MEASUREMENTS) else {
        return Value::Null;
    };
    let degradation =
        course.iter().map(|it| it.degradation.map_or(Value::Null, |it| digits(it, DIGITS)));
    json!({
        "measurements": course.len(),
        "degradation": column(degradation),
        // Infinite is null: no degradation suffices there.
        "needed": column(course.iter().map(|it| digits(it.needed, DIGITS))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: impl Iterator<Item = f64>) -> Sample {
        Sample::new(values.collect()).unwrap()
    }

    #[test]
    fn the_quantiles_show_where_and_by_how_much_the_values_moved() {
        let before = sample((1..=200).map(f64::from));
        let now = sample((1..=200).map(|value| 2.0 * f64::from(value)));
        let quantiles = quantiles(&before, &now, &QuantileGrids::default());
        let [before, now] = ["before", "now"].map(|name| quantiles[name].as_array().unwrap());
        assert!(before.len() > 80 && before.len() < STEPS, "{quantiles}");
        for (before, now) in before.iter().zip(now) {
            let ratio = now.as_f64().unwrap() / before.as_f64().unwrap();
            assert!((ratio - 2.0).abs() < 1e-4, "{quantiles}");
        }
    }

    #[test]
    fn few_values_have_a_median_and_no_more() {
        let few = sample([1.0, 2.0, 4.0].into_iter());
        let median = json!({ "first": 0.5, "step": 0.01, "before": [2.25926], "now": [2.25926] });
        assert_eq!(quantiles(&few, &few, &QuantileGrids::default()), median);
    }

    #[test]
    fn values_that_agree_have_no_density() {
        let grids = QuantileGrids::default();
        let same = density_as_json(&sample(std::iter::repeat_n(7.0, 9)), &grids);
        assert_eq!(same, json!({ "values": 9, "median": 7, "ends": [] }));
        let ends = density_as_json(&sample((0..50).map(f64::from)), &grids);
        assert_eq!(ends["ends"].as_array().unwrap().len(), BINS + 1);
    }
}
