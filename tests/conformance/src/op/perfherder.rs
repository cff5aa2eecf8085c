//! `perfherder`: Perfherder's t over a series of revisions, and its parts.

use crate::case::{Case, numbers};
use crate::case_values::{finite, json_number_inf, number_or, series};
use crate::detect::{PerfherderChange, WindowSummary, WindowWeights};
use crate::settings::perfherder;
use serde_json::{Value, json};

/// `before` and `after`: t. `revisions` without windows: what they say as one. `revisions`, or a
/// `series` of one value each, with windows (`min_back`, `max_back`, `fore`, `t_threshold`): where they
/// change, by at least `alert_threshold_pct`; with `times`, those as well.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    if !case.input("before").is_null() || !case.input("after").is_null() {
        let weights = weights(case, WindowWeights::Uniform)?;
        let window = |key| Ok::<_, String>(WindowSummary::of(&revisions(case, key)?, weights));
        return Ok(json_number_inf(window("before")?.t(&window("after")?)));
    }
    let windows = ["min_back", "max_back", "fore", "t_threshold"];
    let is_search = windows.iter().any(|key| !case.param(key).is_null());
    if case.input("series").is_null() && !is_search {
        let weights = weights(case, WindowWeights::Uniform)?;
        let all = WindowSummary::of(&revisions(case, "revisions")?, weights);
        return Ok(
            json!({ "avg": all.mean, "n": all.count, "variance": json_number_inf(all.variance) }),
        );
    }
    let (revisions, times) = in_order(case)?;
    let indices = changes(case, &revisions)?;
    match times {
        None => Ok(indices.into()),
        Some(times) => {
            let times: Vec<f64> = indices.iter().map(|index| times[*index]).collect();
            Ok(json!({ "timestamps": whole(&times), "indices": indices }))
        }
    }
}

fn weights(case: &Case, default: WindowWeights) -> Result<WindowWeights, String> {
    match case.param("weights") {
        Value::Null => Ok(default),
        weights if weights == "uniform" => Ok(WindowWeights::Uniform),
        weights if weights == "linear" => Ok(WindowWeights::Linear),
        _ => Err("the parameter weights has to be uniform or linear".into()),
    }
}

/// An array of revisions, each an array of at least one number.
fn revisions(case: &Case, key: &str) -> Result<Vec<Vec<f64>>, String> {
    let values = |revision: &Value| numbers(revision).filter(|values| !values.is_empty());
    let all = case.input(key).as_array();
    let all: Option<Vec<Vec<f64>>> = all.and_then(|all| all.iter().map(values).collect());
    let all = all.ok_or_else(|| {
        format!("the input {key} has to be an array of arrays of at least one number")
    })?;
    all.into_iter().map(|values| finite(values, key)).collect()
}

/// The revisions, oldest first, and their times where they are given.
type InOrder = (Vec<Vec<f64>>, Option<Vec<f64>>);

fn in_order(case: &Case) -> Result<InOrder, String> {
    let mut all = match case.input("series") {
        Value::Null => revisions(case, "revisions")?,
        _ => series(case, "series")?.into_iter().map(|value| vec![value]).collect(),
    };
    if case.input("times").is_null() {
        return Ok((all, None));
    }
    let mut times = series(case, "times")?;
    if times.len() != all.len() {
        return Err(format!("there are {} times for {} revisions", times.len(), all.len()));
    }
    if !times.is_sorted() {
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
        times = order.iter().map(|index| times[*index]).collect();
        all = order.iter().map(|index| std::mem::take(&mut all[*index])).collect();
    }
    Ok((all, Some(times)))
}

fn changes(case: &Case, revisions: &[Vec<f64>]) -> Result<Vec<usize>, String> {
    let rule = perfherder(case, revisions.len())?;
    let least = number_or(case, "alert_threshold_pct", 0.0)?;
    let weights = weights(case, WindowWeights::Linear)?;
    let from = |start: usize| {
        let changes = rule.changes(&revisions[start..], weights).into_iter();
        let large = changes.filter(|change: &PerfherderChange| change.percent() >= least);
        large.map(|change| start + change.index).collect::<Vec<_>>()
    };
    let mut found = from(0);
    if case.param("rescan_after_last_alert") == true {
        let mut start = 0;
        while let Some(last) = found.last().copied().filter(|last| *last > start) {
            start = last;
            found.extend(from(start));
        }
    }
    Ok(found)
}

/// The numbers, as JSON writes whole ones.
fn whole(numbers: &[f64]) -> Vec<Value> {
    let whole = |number: f64| number.fract() == 0.0 && number.abs() < 2_f64.powi(53);
    let shortest = |number: f64| if whole(number) { json!(number as i64) } else { json!(number) };
    numbers.iter().map(|number| shortest(*number)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::asked::{ask, assert_refused};
    use super::*;

    #[test]
    fn times_out_of_order_are_put_in_order() {
        let level = |i: i32| 100 + i / 20 * 50 + i % 3;
        let order: Vec<i32> = (0..40).map(|i| i * 7 % 40).collect();
        let series: Vec<i32> = order.iter().map(|i| level(*i)).collect();
        let found = ask(answer, json!({ "series": series, "times": order }), json!({ "fore": 12 }));
        assert_eq!(found, Ok(json!({ "timestamps": [20], "indices": [20] })));
    }

    #[test]
    fn what_cannot_be_answered_is_reported_in_words() {
        let cases = [
            (json!({}), json!({}), "revisions"),
            (json!({ "revisions": [[1], []] }), json!({}), "at least one number"),
            (json!({ "revisions": [["NaN"]] }), json!({}), "value 0 is NaN"),
            (json!({ "revisions": [[1]] }), json!({ "weights": "square" }), "linear"),
            (json!({ "before": [[1]] }), json!({}), "the input after"),
            (json!({ "revisions": [[1]], "times": [] }), json!({ "fore": 1 }), "0 times for 1"),
            (json!({ "revisions": [[1]] }), json!({ "fore": 0 }), "fore"),
            (json!({ "series": vec![1; 100_000] }), json!({ "fore": 100_000 }), "too long"),
        ];
        assert_refused(answer, cases);
    }

    #[test]
    fn a_small_change_is_no_alert() {
        let series: Vec<f64> =
            (0..60).map(|i| 100.0 + f64::from(i / 30) + f64::from(i % 2) / 9.0).collect();
        let of = |percent| {
            ask(answer, json!({ "series": series }), json!({ "alert_threshold_pct": percent }))
        };
        assert_eq!(of(0.5), Ok(json!([30])));
        assert_eq!(of(2.0), Ok(json!([])));
    }
}
