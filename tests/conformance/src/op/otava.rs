//! `otava`: change points as Apache Otava finds them, and the parts of its search.

use crate::case::{Case, number};
use crate::case_values::{count_or, index, number_or, probability_or, series};
use crate::detect::{LevelSummary, Otava, Split};
use crate::settings::otava;
use perftest_core::stats::Random;
use serde_json::{Value, json};

const PERMUTATIONS: usize = 100;

/// By what the input holds: `values` (missing ones are filled), a `series` with `tau` and `kappa` or
/// with an `alpha` (the divergence), with a `split` (its significance), with an `index` (the stable
/// range around it), and otherwise its change points: by shuffling where there is no window or the
/// `algorithm` demands it.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let is_given = |key| !case.input(key).is_null();
    if is_given("values") {
        filled(case)
    } else if is_given("tau") || is_given("kappa") {
        let (tau, kappa) = (index(case, "tau")?, index(case, "kappa")?);
        let split = Split::at(&series(case, "series")?, tau, kappa, alpha(case)?);
        let split = split.map_err(|error| error.to_string())?;
        let split =
            split.ok_or("tau has to be from 1 up, and kappa above it and inside the series")?;
        Ok(split.qhat.into())
    } else if !case.param("alpha").is_null() {
        let best = Split::best(&series(case, "series")?, alpha(case)?);
        let best = best.map_err(|error| error.to_string())?;
        let Split { tau, kappa, qhat } = best.ok_or("the series has to have two values")?;
        Ok(json!({ "qhat": qhat, "tau": tau, "kappa": kappa }))
    } else if is_given("split") {
        significance(case)
    } else if is_given("index") {
        let series = series(case, "series")?;
        let range = Otava::stable_range(&changes(case)?, index(case, "index")?, series.len());
        Ok(json!([range.start, range.end]))
    } else {
        Ok(changes(case)?.into())
    }
}

fn alpha(case: &Case) -> Result<f64, String> {
    let alpha = number_or(case, "alpha", 1.0)?;
    let is_exponent = alpha > 0.0 && alpha <= 2.0;
    is_exponent
        .then_some(alpha)
        .ok_or_else(|| "the parameter alpha has to be from above 0 to 2".into())
}

/// An array in which null stands for what is missing.
fn filled(case: &Case) -> Result<Value, String> {
    let value = |value: &Value| match value {
        Value::Null => Some(None),
        known => number(known).map(Some),
    };
    let values = case.input("values").as_array();
    let values: Option<Vec<Option<f64>>> =
        values.and_then(|values| values.iter().map(value).collect());
    let values = values.ok_or("the input values has to be an array of numbers and nulls")?;
    Ok(json!(Otava::filled(&values)))
}

fn significance(case: &Case) -> Result<Value, String> {
    let (series, split) = (series(case, "series")?, index(case, "split")?);
    if split == 0 || split >= series.len() {
        return Err("the input split has to leave values on both sides".into());
    }
    let (left, right) = series.split_at(split);
    let p = LevelSummary::of(left).pooled_t_pvalue(&LevelSummary::of(right));
    let limit = probability_or(case, "max_pvalue", Otava::default().max_pvalue)?;
    Ok(json!({ "significant": p <= limit, "p": p }))
}

fn changes(case: &Case) -> Result<Vec<usize>, String> {
    let series = series(case, "series")?;
    let rule = otava(case)?;
    let algorithm = case.param("algorithm").as_str().unwrap_or_default();
    if algorithm.contains("permutation") {
        let permutations = count_or(case, "permutations", 1, PERMUTATIONS)?;
        let mut random = Random::new(count_or(case, "seed", 0, 0)? as u64);
        let changes = Otava::shuffled_changes(&series, rule.max_pvalue, permutations, &mut random);
        return changes.map_err(|error| error.to_string());
    }
    let changes = rule.changes(&series).map_err(|error| error.to_string())?;
    Ok(changes.iter().map(|change| change.index).collect())
}

#[cfg(test)]
mod tests {
    use super::super::asked::{assert_finds_nothing_in_nothing, assert_refused};
    use super::*;

    #[test]
    fn what_cannot_be_answered_is_reported_in_words() {
        let two = || json!([1, 2]);
        let cases = [
            (json!({}), json!({}), "series"),
            (json!({ "series": [1, "NaN"] }), json!({}), "value 1 is NaN"),
            (json!({ "values": [1, "x"] }), json!({}), "nulls"),
            (json!({ "series": two(), "split": 2 }), json!({}), "both sides"),
            (json!({ "series": two(), "tau": 1, "kappa": 3 }), json!({}), "kappa"),
            (json!({ "series": two(), "tau": 1 }), json!({}), "kappa"),
            (json!({ "series": [1] }), json!({ "alpha": 1 }), "two values"),
            (json!({ "series": two() }), json!({ "alpha": 3 }), "alpha"),
            (json!({ "series": two() }), json!({ "window_len": 1 }), "window_len"),
            (json!({ "series": two() }), json!({ "max_pvalue": -1 }), "max_pvalue"),
            (json!({ "series": vec![1; 110_000] }), json!({}), "at most 100000 points"),
            (json!({ "series": vec![1; 6_000] }), json!({ "alpha": 1 }), "at most 5000 points"),
        ];
        assert_refused(answer, cases);
    }

    #[test]
    fn short_and_constant_series_have_no_change() {
        assert_finds_nothing_in_nothing(answer);
    }
}
