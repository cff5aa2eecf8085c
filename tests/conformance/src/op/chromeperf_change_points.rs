//! `chromeperf_change_points`: the step of Chromium's dashboard, and its parts.

use crate::case::Case;
use crate::case_values::{index, json_number_inf, series};
use crate::detect::{Chromeperf, ChromeperfStep};
use crate::settings::chromeperf;
use serde_json::{Value, json};

/// Nothing is asked for: the thresholds of a part that is looked at alone.
const NOTHING: Chromeperf = Chromeperf {
    max_window: usize::MAX,
    min_segment: 0,
    min_absolute_change: 0.0,
    min_relative_change: 0.0,
    min_steppiness: 0.0,
    multiple_of_std_dev: 0.0,
};

/// A `series`: where it has a step. `values` with a `split`: whether that is one, by the thresholds that
/// are given. `values` alone: what the name of the case begins with, `split` or `zero_median`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    if !case.input("series").is_null() {
        let rule = chromeperf(case, Chromeperf::default())?;
        let series = series(case, "series")?;
        let step = rule.find(&series).map_err(|error| error.to_string())?;
        return Ok(step.map_or(json!([]), |step| found(&step, series.len())));
    }
    let values = series(case, "values")?;
    if !case.input("split").is_null() {
        return Ok(chromeperf(case, NOTHING)?.passes(&values, index(case, "split")?).into());
    }
    match case.kind() {
        "split" => {
            let split = Chromeperf::split(&values).map_err(|error| error.to_string())?;
            Ok(split.into())
        }
        "zero_median" => Ok(Chromeperf::zero_median(&values).into()),
        other => Err(format!(
            "the name of a case with values alone begins with split or zero_median, not {other:?}"
        )),
    }
}

/// The index alone where the whole series was looked at; all of the step where it was only the newest
/// points, since the rest depends on which.
fn found(step: &ChromeperfStep, points: usize) -> Value {
    if step.window_start == 0 && step.window_end + 1 == points {
        return json!([step.index]);
    }
    json!({
        "index": step.index,
        "median_before": step.median_before,
        "median_after": step.median_after,
        "window_start": step.window_start,
        "window_end": step.window_end,
        "size_before": step.size_before,
        "size_after": step.size_after,
        "relative_change": json_number_inf(step.relative_change),
        "std_dev_before": step.std_dev_before,
        "t": json_number_inf(step.t),
        "dof": step.freedom,
        "p": level(step.p),
    })
}

/// A level; of the least of them only that the probability is not above it.
fn level(p: f64) -> Value {
    match p > ChromeperfStep::LEAST_P {
        true => json!(p),
        false => json!(format!("<={p}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_answered_is_reported_in_words() {
        for (name, input, params, word) in [
            ("find", json!({ "series": [1, "NaN"] }), json!({}), "value 1 is NaN"),
            (
                "find",
                json!({ "series": vec![1; 20_000] }),
                json!({ "max_window": 20_000 }),
                "10000",
            ),
            ("find", json!({ "series": [] }), json!({ "max_window": -1 }), "max_window"),
            ("split", json!({ "values": vec![1; 20_000] }), json!({}), "10000"),
            ("mode", json!({ "values": [1] }), json!({}), "zero_median"),
            ("passes", json!({ "values": [1], "split": 0.5 }), json!({}), "split"),
            ("find", json!({}), json!({}), "values"),
        ] {
            let error = answer(&Case::new(input, params).named(name)).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn the_least_level_is_a_bound() {
        assert_eq!([level(0.001), level(0.002)], [json!("<=0.001"), json!(0.002)]);
    }

    #[test]
    fn nothing_and_a_million_points_have_an_answer() {
        let ask = |name: &str, input| answer(&Case::new(input, json!({})).named(name));
        assert_eq!(ask("find", json!({ "series": vec![3; 1_000_000] })), Ok(json!([])));
        assert_eq!(ask("split", json!({ "values": [] })), Ok(json!(null)));
        assert_eq!(ask("zero_median", json!({ "values": [] })), Ok(json!([])));
        assert_eq!(ask("passes", json!({ "values": [], "split": 7 })), Ok(json!(false)));
    }
}
