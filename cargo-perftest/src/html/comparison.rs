//! The last comparison of a history: two distributions, and the measurements beside the curve.

use super::{LastBaseline, column, digits};
use perftest_core::judge::curve_course;
use perftest_core::model::{Run, Sample};
use perftest_core::stats::{bounded_margin, density, harrell_davis_quantiles};
use serde_json::{Value, json};

/// Bins of a density.
const BINS: usize = 60;
/// Steps of the shift and ratio functions.
const STEPS: usize = 100;
/// Measurements beside the curve, at most.
const MEASUREMENTS: usize = 300;
/// Of a value.
const DIGITS: usize = 5;

/// What the page draws of the comparison; `null` where the run has no measurement. Values are as measured,
/// before the judge normalises them.
pub(super) fn comparison_as_json(last: &LastBaseline, run: &Run) -> Value {
    let before: Vec<f64> =
        last.baseline.values().into_iter().flatten().map(|observation| observation.value).collect();
    let now: Vec<f64> = run.clean().iter().map(|observation| observation.value).collect();
    let (Ok(before), Ok(now)) = (Sample::new(before), Sample::new(now)) else {
        return Value::Null;
    };
    json!({
        "is_exact": last.is_exact,
        "runs_before": last.baseline.centers.len(),
        "before": density_as_json(&before),
        "now": density_as_json(&now),
        "functions": functions(&before, &now),
        "curve": curve(last, run),
    })
}

fn density_as_json(sample: &Sample) -> Value {
    let bins = density(sample, BINS);
    json!({
        "values": sample.size(),
        "median": digits(sample.median(), DIGITS),
        "lower": bins.iter().map(|bin| digits(bin.lower, DIGITS)).collect::<Vec<_>>(),
        "upper": bins.iter().map(|bin| digits(bin.upper, DIGITS)).collect::<Vec<_>>(),
        "height": bins.iter().map(|bin| digits(bin.height, 4)).collect::<Vec<_>>(),
    })
}

/// Shift and ratio of the quantiles, as far as both samples have enough values.
fn functions(before: &Sample, now: &Sample) -> Value {
    let margin = bounded_margin(before.size(), now.size());
    let is_bounded = |step: &usize| {
        let probability = *step as f64 / STEPS as f64;
        probability >= margin - 1e-9 && probability <= 1.0 - margin + 1e-9
    };
    let steps: Vec<usize> = (0..=STEPS).filter(is_bounded).collect();
    let [before, now] = [before, now].map(|sample| harrell_davis_quantiles(sample, STEPS));
    let ratio = |step: &usize| match (before[*step], now[*step]) {
        (before, now) if before > 0.0 && now > 0.0 => digits(now / before, DIGITS),
        _ => Value::Null,
    };
    json!({
        "probability": steps.iter().map(|it| digits(*it as f64 / STEPS as f64, 3)).collect::<Vec<_>>(),
        "shift": steps.iter().map(|it| digits(now[*it] - before[*it], DIGITS)).collect::<Vec<_>>(),
        "ratio": steps.iter().map(ratio).collect::<Vec<_>>(),
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
    fn the_functions_say_where_and_by_how_much_the_quantiles_moved() {
        let before = sample((1..=200).map(f64::from));
        let now = sample((1..=200).map(|value| 2.0 * f64::from(value)));
        let functions = functions(&before, &now);
        let ratios = functions["ratio"].as_array().unwrap();
        assert!(ratios.iter().all(|it| (it.as_f64().unwrap() - 2.0).abs() < 1e-3), "{functions}");
        let probabilities = functions["probability"].as_array().unwrap();
        assert!(probabilities.len() > 80 && probabilities.len() < STEPS, "{functions}");
    }

    #[test]
    fn few_values_have_a_median_and_no_more() {
        let few = sample([1.0, 2.0, 4.0].into_iter());
        let functions = functions(&few, &few);
        assert_eq!(functions, json!({ "probability": [0.5], "shift": [0], "ratio": [1] }));
    }

    #[test]
    fn what_is_0_has_no_ratio() {
        let zeros = sample(std::iter::repeat_n(0.0, 9));
        assert_eq!(functions(&zeros, &zeros)["ratio"], json!([null]));
    }
}
