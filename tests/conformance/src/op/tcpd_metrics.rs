//! `tcpd_metrics`: how well change points agree with annotations.

use crate::case::{Case, whole};
use crate::case_values::count_or;
use crate::detect::{covering, f1, true_positives};
use perftest_analysis::detect::segments;
use serde_json::{Value, json};

/// By its inputs: `truth` and `predicted` (which true points are confirmed), `annotations` and
/// `predicted` (F1, or covering where there is `n_obs`), or `change_points` and `n_obs` (the segments).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    if !case.input("change_points").is_null() {
        let segments = segments(&points(case, "change_points")?, size(case)?);
        return Ok(segments.iter().map(|segment| json!([segment.start, segment.end])).collect());
    }
    let found = points(case, "predicted")?;
    if !case.input("truth").is_null() {
        return Ok(json!(true_positives(&points(case, "truth")?, &found, margin(case)?)));
    }
    let annotations = annotations(case.input("annotations"))?;
    let figure = match case.input("n_obs") {
        Value::Null => f1(&annotations, &found, margin(case)?),
        _ => covering(&annotations, &found, size(case)?),
    };
    figure.map(Value::from).ok_or_else(|| {
        "without a value or without anyone's annotation there is nothing to agree with".into()
    })
}

fn margin(case: &Case) -> Result<usize, String> {
    count_or(case, "margin", 0, 5)
}

fn size(case: &Case) -> Result<usize, String> {
    whole(case.input("n_obs")).ok_or_else(|| "the input n_obs has to be a whole number".into())
}

fn points(case: &Case, key: &str) -> Result<Vec<usize>, String> {
    list(case.input(key)).ok_or_else(|| format!("the input {key} has to be an array of indices"))
}

/// One list a person, in an array or by their names.
fn annotations(value: &Value) -> Result<Vec<Vec<usize>>, String> {
    let lists: Option<Vec<Vec<usize>>> = match value {
        Value::Array(lists) => lists.iter().map(list).collect(),
        Value::Object(lists) => lists.values().map(list).collect(),
        _ => None,
    };
    lists.ok_or_else(|| "the input annotations has to hold an array of indices a person".into())
}

fn list(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Case;
    use serde_json::json;

    #[test]
    fn what_has_no_answer_is_a_sentence() {
        for (input, params) in [
            (json!({}), json!({})),
            (json!({ "change_points": [1] }), json!({})),
            (json!({ "change_points": [-1], "n_obs": 3 }), json!({})),
            (json!({ "predicted": [1] }), json!({})),
            (json!({ "predicted": [1], "truth": [1.5] }), json!({})),
            (json!({ "predicted": [1], "truth": [1] }), json!({ "margin": -1 })),
            (json!({ "predicted": [1], "annotations": [] }), json!({})),
            (json!({ "predicted": [1], "annotations": [1] }), json!({})),
            (json!({ "predicted": [1], "annotations": [[1]], "n_obs": 0 }), json!({})),
        ] {
            assert!(super::answer(&Case::new(input.clone(), params)).is_err(), "{input}");
        }
    }
}
