//! `bencher_limits`: baseline and limits by one of Bencher's seven tests.

use crate::case::{Case, number, numbers, whole};
use crate::case_values::series;
use perftest_analysis::thresholds::{Boundaries, Compat, HistorySummary, Quartiles, ThresholdTest};
use perftest_core::model::{LimitSide, Limits};
use serde_json::{Value, json};

/// `data` in the order of the series, newest first as Bencher feeds it, or figures of a history: `mean`,
/// `sd`, `n`, `quartiles` and `delta_quartiles`. `test`, `lower_boundary`, `upper_boundary`, and a `variant`
/// that begins with `legacy` for the formulas of 0.6.2. With values `new` the answer has which of them are
/// outliers.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let name = case.word("test")?;
    let test = ThresholdTest::from_name(name).ok_or_else(|| format!("there is no test {name}"))?;
    let boundary = |key: &str| match case.param(key) {
        Value::Null => Ok(None),
        _ => case.number(key).and_then(|boundary| accepted(test, boundary).map(Some)),
    };
    let boundaries =
        Boundaries { lower: boundary("lower_boundary")?, upper: boundary("upper_boundary")? };
    let compat = compat(case)?;
    let summary = summary(case, test, compat)?;
    let limits = summary.and_then(|it| test.limits(boundaries, &it, compat)).unwrap_or_default();
    answer_of(case, &limits)
}

fn accepted(test: ThresholdTest, boundary: f64) -> Result<f64, String> {
    match test.objection(boundary) {
        None => Ok(boundary),
        Some(takes) => Err(format!("a boundary of {} is {takes}, not {boundary}", test.name())),
    }
}

fn compat(case: &Case) -> Result<Compat, String> {
    match case.param("variant").as_str() {
        None => Ok(Compat::Present),
        Some(variant) if variant.starts_with("current") => Ok(Compat::Present),
        Some(variant) if variant.starts_with("legacy") => Ok(Compat::Bencher062),
        Some(variant) => Err(format!("the variant {variant} is neither current nor legacy")),
    }
}

/// The figures of a history; `None` where it has no values.
fn summary(
    case: &Case,
    test: ThresholdTest,
    compat: Compat,
) -> Result<Option<HistorySummary>, String> {
    if !case.input("data").is_null() {
        let data = series(case, "data")?;
        return Ok((!data.is_empty()).then(|| test.summary_of(&data, compat)));
    }
    let figure = |key: &str| match case.input(key) {
        Value::Null => Ok(None),
        figure => {
            number(figure).map(Some).ok_or_else(|| format!("the input {key} has to be a number"))
        }
    };
    let size = match case.input("n") {
        Value::Null => None,
        size => Some(whole(size).ok_or("the input n has to be a whole number from 0 up")?),
    };
    Ok(Some(HistorySummary {
        mean: figure("mean")?,
        deviation: figure("sd")?,
        size,
        quartiles: quartiles(case, "quartiles")?,
        change_quartiles: quartiles(case, "delta_quartiles")?,
        log: None,
    }))
}

fn quartiles(case: &Case, key: &str) -> Result<Option<Quartiles>, String> {
    if case.input(key).is_null() {
        return Ok(None);
    }
    match case.numbers(key)?[..] {
        [first, second, third] => Ok(Some(Quartiles { first, second, third })),
        _ => Err(format!("the input {key} has to be three numbers")),
    }
}

fn answer_of(case: &Case, limits: &Limits) -> Result<Value, String> {
    let Limits { baseline, lower, upper } = limits;
    let mut answer = json!({ "baseline": baseline, "lower": lower, "upper": upper });
    if !case.input("new").is_null() {
        let new =
            numbers(case.input("new")).ok_or("the input new has to be an array of numbers")?;
        let judged = |value: f64| json!([value, limits.broken_by(value).map(LimitSide::name)]);
        answer["outlier"] = new.into_iter().map(judged).collect();
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(input: Value, params: Value) -> Result<Value, String> {
        answer(&Case::new(input, params))
    }

    #[test]
    fn a_history_without_values_or_spread_has_no_limits() {
        let none = json!({ "baseline": null, "lower": null, "upper": null });
        let t_test = json!({ "test": "t_test", "upper_boundary": 0.99 });
        for input in [json!({ "data": [] }), json!({ "data": [1.0, 1.0] }), json!({})] {
            assert_eq!(limits(input, t_test.clone()).unwrap(), none);
        }
        let fixed = json!({ "test": "static", "upper_boundary": 1.0 });
        assert_eq!(limits(json!({ "data": [] }), fixed.clone()).unwrap(), none);
        assert_eq!(limits(json!({}), fixed).unwrap()["upper"], 1.0);
        let no_side = json!({ "test": "percentage" });
        assert_eq!(limits(json!({ "mean": 1.0 }), no_side).unwrap(), none);
    }

    #[test]
    fn what_is_not_understood_is_reported() {
        let error = |input, params| limits(input, params).unwrap_err();
        let upper = |test: &str, boundary: f64| json!({ "test": test, "upper_boundary": boundary });
        assert!(error(json!({}), json!({})).contains("test"));
        assert!(error(json!({}), upper("median", 1.0)).contains("median"));
        assert!(error(json!({}), upper("z_score", 1.0)).contains("probability"));
        assert!(error(json!({ "data": "many" }), upper("iqr", 1.0)).contains("data"));
        let odd = error(json!({ "data": [1.0, "NaN"] }), upper("iqr", 1.0));
        assert!(odd.contains("data: value 1 is NaN"), "{odd}");
        assert!(error(json!({ "quartiles": [1.0] }), upper("iqr", 1.0)).contains("three"));
        let variant = json!({ "test": "iqr", "upper_boundary": 1.0, "variant": "newest" });
        assert!(error(json!({}), variant).contains("newest"));
    }
}
