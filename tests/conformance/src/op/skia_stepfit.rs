//! `skia_stepfit`: steps in a trace, in all windows of a series, by a compound rule, as Jetpack fits them.

use crate::case::{Case, number};
use crate::case_values::{count_or, json_number_f32, json_number_inf, number_or, series, trace};
use crate::detect::{RuleAnswer, StepRule};
use perftest_analysis::detect::check_step_work;
use perftest_analysis::detect::{Jetpack, StepArea, StepFit, StepKind, StepSearch, StepStatus};
use serde_json::{Value, json};

/// What the usual instance is configured with.
const MIN_STDDEV: f64 = 0.001;

/// By what the input holds: `before` and `after` (Jetpack); a `trace` with a `rule` or a `step`; a
/// `series` with a `window` (the fit in each) or with a `radius` (the areas of suspects).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let is_given = |key| !case.input(key).is_null();
    let is_asked = |key| !case.param(key).is_null();
    if is_given("before") || is_given("after") {
        jetpack(case)
    } else if is_given("trace") && is_asked("rule") {
        compound(case)
    } else if is_given("trace") {
        let fit = kind(case)?.fit(&trace(case, "trace")?, threshold(case)?, min_deviation(case)?);
        Ok(fit_json(&fit.unwrap_or_default()))
    } else if is_asked("radius") {
        areas(case)
    } else {
        sliding(case)
    }
}

fn kind(case: &Case) -> Result<StepKind, String> {
    named(case.word("step")?)
}

fn named(name: &str) -> Result<StepKind, String> {
    StepKind::from_name(name).ok_or_else(|| {
        format!(
            "there is no step {name}; there are {}",
            StepKind::ALL.map(StepKind::name).join(", ")
        )
    })
}

fn threshold(case: &Case) -> Result<f32, String> {
    Ok(case.number("threshold")? as f32)
}

fn min_deviation(case: &Case) -> Result<f32, String> {
    Ok(number_or(case, "min_stddev", MIN_STDDEV)? as f32)
}

fn fit_json(fit: &StepFit) -> Value {
    json!({
        "turning_point": fit.turning_point,
        "step_size": json_number_f32(fit.step_size),
        "status": status_name(fit.status),
        "regression": json_number_f32(fit.regression),
    })
}

fn status_name(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Low => "Low",
        StepStatus::High => "High",
        StepStatus::Uninteresting => "Uninteresting",
    }
}

fn jetpack(case: &Case) -> Result<Value, String> {
    let threshold = number_or(case, "threshold", Jetpack::default().threshold)?;
    let fit = Jetpack::fit(&series(case, "before")?, &series(case, "after")?);
    Ok(
        json!({ "fit": json_number_inf(fit), "regression": fit < -threshold, "improvement": fit > threshold }),
    )
}

fn compound(case: &Case) -> Result<Value, String> {
    let rule = rule(case.param("rule"))?;
    let answer = rule.judge(&trace(case, "trace")?, min_deviation(case)?);
    let RuleAnswer { triggered, value, parts } = answer;
    let value = value.map(json_number_f32);
    Ok(match rule {
        StepRule::Kind(..) => json!({ "triggered": triggered, "value": value }),
        _ => json!({ "triggered": triggered, "value": value, "sub": parts }),
    })
}

/// `[step, threshold]`, the same as `simple`, or `op` (AND, OR) over `rules`.
fn rule(given: &Value) -> Result<StepRule, String> {
    const SHAPE: &str = "the parameter rule has to be {simple: [step, threshold]} or \
                         {op: AND or OR, rules: [..]}";
    if let Some(parts) = given.as_array() {
        let [step, threshold] = parts.as_slice() else {
            return Err(SHAPE.into());
        };
        let (step, threshold) = step.as_str().zip(number(threshold)).ok_or(SHAPE)?;
        return Ok(StepRule::Kind(named(step)?, threshold as f32));
    }
    if !given["simple"].is_null() {
        return rule(&given["simple"]);
    }
    let rules = given["rules"].as_array().filter(|rules| !rules.is_empty()).ok_or(SHAPE)?;
    let rules = rules.iter().map(rule).collect::<Result<Vec<_>, _>>()?;
    match given["op"].as_str() {
        Some("AND") => Ok(StepRule::All(rules)),
        Some("OR") => Ok(StepRule::Any(rules)),
        _ => Err(SHAPE.into()),
    }
}

/// The fit in every window, and where the largest begins.
fn sliding(case: &Case) -> Result<Value, String> {
    let (kind, values) = (kind(case)?, trace(case, "series")?);
    let (threshold, min_deviation) = (threshold(case)?, min_deviation(case)?);
    let window = count_or(case, "window", 1, 0)?;
    check_step_work(kind, values.len().saturating_sub(window), window)?;
    let fit = |trace| kind.fit(trace, threshold, min_deviation).unwrap_or_default();
    let fits: Vec<StepFit> = values.windows(window).map(fit).collect();
    let strength = |fit: &StepFit| fit.regression.abs();
    let largest = fits.iter().enumerate().rev();
    let largest = largest.max_by(|a, b| strength(a.1).total_cmp(&strength(b.1)));
    let (start, turn) = largest.map(|(start, fit)| (start, start + fit.turning_point)).unzip();
    Ok(json!({
        "regressions": fits.iter().map(|fit| json_number_f32(fit.regression)).collect::<Vec<_>>(),
        "argmax_start": start,
        "argmax_value_at_turning_point": turn.map(|turn| json_number_f32(values[turn])),
    }))
}

/// The suspects of every step: the indices from `start` to `end`, and the clearest one.
fn areas(case: &Case) -> Result<Value, String> {
    let (kind, values) = (kind(case)?, trace(case, "series")?);
    let radius = count_or(case, "radius", 1, 0)?;
    check_step_work(kind, values.len(), radius.saturating_mul(2).min(values.len()))?;
    let (threshold, min_deviation) = (threshold(case)?, min_deviation(case)?);
    let areas = StepSearch { kind, radius, threshold, min_deviation }.areas(&values);
    let area = |area: &StepArea| {
        json!({
            "start": area.suspects.start,
            "end": area.suspects.end - 1,
            "peak": area.peak,
            "status": status_name(area.fit.status),
            "regression": json_number_f32(area.fit.regression),
        })
    };
    Ok(areas.iter().map(area).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(input: Value, params: Value) -> Result<Value, String> {
        answer(&Case::new(input, params))
    }

    #[test]
    fn the_suspects_of_a_step_are_reported() {
        let series: Vec<i32> = (0..40).map(|i| 100 + i % 3 + i / 20 * 30).collect();
        let params = json!({ "step": "cohen", "threshold": 4, "radius": 6 });
        let areas = answered(json!({ "series": series }), params).unwrap();
        assert_eq!(areas.as_array().unwrap().len(), 1);
        assert_eq!((&areas[0]["start"], &areas[0]["end"]), (&json!(20), &json!(20)));
    }

    #[test]
    fn what_is_no_step_is_reported_in_words() {
        let trace = || json!({ "trace": [1, null, "NaN", 4] });
        for (input, params, word) in [
            (json!({}), json!({}), "step"),
            (trace(), json!({ "step": "cohen" }), "threshold"),
            (trace(), json!({ "step": "steep", "threshold": 1 }), "percent_median"),
            (json!({ "trace": 3 }), json!({ "step": "cohen", "threshold": 1 }), "array"),
            (trace(), json!({ "rule": { "op": "XOR", "rules": [["cohen", 1]] } }), "AND"),
            (trace(), json!({ "rule": { "op": "OR", "rules": [] } }), "rules"),
            (json!({ "series": [1, 2] }), json!({ "step": "cohen", "threshold": 1 }), "window"),
            (json!({ "before": [1], "after": ["inf"] }), json!({}), "inf"),
        ] {
            let error = answered(input, params).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
        let params = json!({ "step": "absolute", "threshold": 1 });
        assert_eq!(answered(trace(), params).unwrap()["regression"], "NaN");
    }

    #[test]
    fn a_million_values_neither_hang_nor_panic() {
        let series: Vec<i32> = (0..1_000_000).map(|i| i % 7).collect();
        let asked = |params| answered(json!({ "series": series.clone() }), params);
        let wide = json!({ "step": "percent", "threshold": 1, "window": 500_000 });
        assert!(asked(wide).unwrap_err().contains("too long"));
        let ranks = json!({ "step": "mannwhitneyu", "threshold": 1, "window": 40 });
        assert!(asked(ranks).unwrap_err().contains("too long"));
        let step = json!({ "step": "stepiness", "threshold": 1 });
        assert!(answered(json!({ "trace": series }), step).is_ok());
    }
}
