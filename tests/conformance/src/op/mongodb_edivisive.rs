//! `mongodb_edivisive`: energy statistics of two samples, and E-divisive as MongoDB runs it.

use crate::case::Case;
use crate::case_values::{finite, series};
use crate::detect::EnergyStatistics;
use crate::settings::e_divisive;
use serde_json::{Value, json};

/// The most values a range may stand for.
const MOST_VALUES: f64 = 1e6;

/// `x` and `y` (or `x_rule` and `y_rule`, ranges): how far they are apart. A `series` with `pvalue`,
/// `permutations` and `seed`: its change points.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    if case.input("series").is_null() {
        return energy(case);
    }
    let (rule, mut random) = e_divisive(case)?;
    let changes = rule.change_points(&series(case, "series")?, &mut random);
    changes.map(Value::from).map_err(|error| error.to_string())
}

fn energy(case: &Case) -> Result<Value, String> {
    let (x, y) = (sample(case, "x", "x_rule")?, sample(case, "y", "y_rule")?);
    let EnergyStatistics { e, t, h } =
        EnergyStatistics::of(&x, &y).ok_or("x and y have to have at least one value each")?;
    let in_full = json!({ "e": e, "t": t, "h": h });
    Ok(json!({ "e": cut(e), "t": cut(t), "h": cut(h), "in_full": in_full }))
}

/// With three decimals, the rest cut off but for rounding, as the reference has them.
fn cut(number: f64) -> f64 {
    (number * 1e3 * (1.0 + 1e-12)).trunc() / 1e3
}

fn sample(case: &Case, key: &str, rule_key: &str) -> Result<Vec<f64>, String> {
    match case.input(rule_key).as_str() {
        Some(rule) => range(rule).and_then(|all| finite(all, rule_key).ok()).ok_or_else(|| {
            format!(
                "the input {rule_key} has to be range(from, below) or range(from, below, step) of at \
                 most {MOST_VALUES} values, and is {rule}"
            )
        }),
        None => series(case, key),
    }
}

/// The numbers of `range(from, below)` and `range(from, below, step)`.
fn range(rule: &str) -> Option<Vec<f64>> {
    let parts = rule.trim().strip_prefix("range(")?.strip_suffix(')')?;
    let parts: Vec<f64> =
        parts.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let (from, below, step) = match parts.as_slice() {
        [below] => (0.0, *below, 1.0),
        [from, below] => (*from, *below, 1.0),
        [from, below, step] => (*from, *below, *step),
        _ => return None,
    };
    let count = ((below - from) / step).ceil();
    let is_possible = (1.0..=MOST_VALUES).contains(&count);
    is_possible.then(|| (0..count as usize).map(|i| from + i as f64 * step).collect())
}

#[cfg(test)]
mod tests {
    use super::super::asked::{assert_finds_nothing_in_nothing, assert_refused};
    use super::*;

    #[test]
    fn what_cannot_be_answered_is_reported_in_words() {
        let cases = [
            (json!({ "x": [1], "y": [] }), json!({}), "at least one value"),
            (json!({ "x": [1], "y": ["inf"] }), json!({}), "value 0 is inf"),
            (json!({ "x": [1], "y_rule": "range(0, 1e30)" }), json!({}), "y_rule"),
            (json!({ "x": [1], "y_rule": "linspace(0, 1)" }), json!({}), "y_rule"),
            (json!({ "x": [1] }), json!({}), "the input y"),
            (json!({ "series": [1, null] }), json!({}), "series"),
            (json!({ "series": [1] }), json!({ "pvalue": 2 }), "pvalue"),
            (json!({ "series": [1] }), json!({ "permutations": 0 }), "permutations"),
            (json!({ "series": vec![1; 100_000] }), json!({}), "at most 20000 points"),
        ];
        assert_refused(answer, cases);
    }

    #[test]
    fn short_and_constant_series_have_no_change() {
        assert_finds_nothing_in_nothing(answer);
    }

    #[test]
    fn a_range_has_its_bounds() {
        assert_eq!(range("range(1, 4)"), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!(range("range(10,13,2)"), Some(vec![10.0, 12.0]));
        assert_eq!(range("range(3,0,-1)"), Some(vec![3.0, 2.0, 1.0]));
        assert_eq!(range("range(1,4,0)"), None);
    }
}
