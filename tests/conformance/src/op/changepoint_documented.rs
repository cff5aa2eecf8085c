//! `changepoint_documented`: the change points of one of both PELT detectors.

use crate::case::Case;
use crate::settings::{by_pelt, min_distance};
use perftest_analysis::detect::{ed_pelt, rqq_pelt};
use perftest_core::model::Sample;
use serde_json::{Value, json};

/// `values`, or `range` for all whole numbers from the first to the last; `algorithm` and
/// `min_distance`. The answer has the index of the last value before each change.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let search = match case.word("algorithm")? {
        "ed_pelt" => ed_pelt,
        "rqq_pelt" => rqq_pelt,
        other => return Err(format!("the algorithm is ed_pelt or rqq_pelt, not {other}")),
    };
    let min_distance = min_distance(case)?;
    let series = if case.input("range").is_null() { case.sample("values")? } else { range(case)? };
    Ok(json!({ "indexes": indexes(&by_pelt(search, &series, min_distance)?) }))
}

/// The last values before the changes, from the first ones after them.
pub(super) fn indexes(changes: &[usize]) -> Vec<usize> {
    changes.iter().map(|change| change - 1).collect()
}

fn range(case: &Case) -> Result<Sample, String> {
    const MOST: i64 = 1_000_000;
    let ends = case.input("range");
    let (Some(first), Some(last), None) = (ends[0].as_i64(), ends[1].as_i64(), ends.get(2)) else {
        return Err("the input range has to be [first, last] in whole numbers".into());
    };
    if last.saturating_sub(first) >= MOST {
        return Err(format!("the input range has more than {MOST} values"));
    }
    let values = (first..=last).map(|value| value as f64).collect();
    Sample::new(values).map_err(|error| format!("the input range: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::Case;
    use serde_json::json;

    #[test]
    fn what_has_no_answer_is_a_sentence() {
        let series = json!({ "values": [1, 2, 3] });
        for (input, params) in [
            (series.clone(), json!({})),
            (series.clone(), json!({ "algorithm": "pelt" })),
            (series.clone(), json!({ "algorithm": "ed_pelt", "min_distance": 0 })),
            (series, json!({ "algorithm": "ed_pelt", "min_distance": 1.5 })),
            (json!({ "values": [] }), json!({ "algorithm": "ed_pelt" })),
            (json!({ "values": [1, "NaN"] }), json!({ "algorithm": "rqq_pelt" })),
            (json!({ "range": [1] }), json!({ "algorithm": "rqq_pelt" })),
            (json!({ "range": [2, 1] }), json!({ "algorithm": "rqq_pelt" })),
            (json!({ "range": [i64::MIN, i64::MAX] }), json!({ "algorithm": "rqq_pelt" })),
        ] {
            assert!(super::answer(&Case::new(input.clone(), params)).is_err(), "{input}");
        }
    }

    #[test]
    fn short_and_constant_series_have_no_change() {
        for algorithm in ["ed_pelt", "rqq_pelt"] {
            for values in [vec![1.0], vec![1.0, 9.0], vec![3.0; 100], vec![1.0, 2.0, 3.0]] {
                for min_distance in [1, 20, u64::MAX] {
                    let params = json!({ "algorithm": algorithm, "min_distance": min_distance });
                    let case = Case::new(json!({ "values": values }), params);
                    let answer = super::answer(&case).unwrap();
                    assert!(answer["indexes"].as_array().unwrap().len() < 3, "{values:?}");
                }
            }
        }
    }
}
