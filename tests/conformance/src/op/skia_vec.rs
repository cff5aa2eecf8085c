//! `skia_vec`: the vector functions behind Skia's steps. The name of a case begins with the function's.

use crate::case::Case;
use crate::case_values::{json_number_f32, json_number_inf, number_or, trace as values};
use crate::detect::vec32::{self, TwoSided};
use perftest_analysis::detect::trace;
use serde_json::{Map, Value};

/// `values` with what the function takes: `min_stddev`, `base` or `cap`. Null where the function has
/// no answer.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let values = values(case, "values")?;
    let function = case.kind();
    Ok(match function {
        "norm" => all(&trace::normalised(&values, number_or(case, "min_stddev", 0.0)? as f32)),
        "stddev" => {
            json_number_inf(trace::deviation_about(&values, number_or(case, "base", 0.0)? as f32))
        }
        "two_sided_stddev" => {
            vec32::two_sided_deviation(&values).map_or(Value::Null, |about| sides(&about).into())
        }
        "stddev_ratio" => {
            let cap = number_or(case, "cap", 1000.0)? as f32;
            vec32::last_in_deviations(&values, cap).map_or(Value::Null, |(ratio, about)| {
                let mut answer = sides(&about);
                answer.insert("ratio".into(), json_number_f32(ratio));
                answer.into()
            })
        }
        "median" => json_number_f32(trace::median(&values)),
        "mean" => json_number_f32(trace::mean(&values)),
        "sse" => {
            let base = number_or(case, "base", 0.0)? as f32;
            json_number_f32(trace::squared_error(&values, base))
        }
        "step_ratio" => json_number_f32(vec32::step_ratio(&values)),
        "iqr" | "iqrr" | "iqr_rule" => all(&vec32::without_outliers(&values)),
        "fill" => all(&vec32::filled(&values)),
        other => {
            return Err(format!(
                "the name of a case begins with the function, and there is none called {other:?}; \
                 there are norm, stddev, two_sided_stddev, stddev_ratio, median, mean, sse, \
                 step_ratio, iqr and fill"
            ));
        }
    })
}

fn all(trace: &[f32]) -> Value {
    trace.iter().map(|value| json_number_f32(*value)).collect()
}

fn sides(about: &TwoSided) -> Map<String, Value> {
    let TwoSided { median, lower, upper } = *about;
    let sides = [("median", median), ("lower", lower), ("upper", upper)];
    sides.into_iter().map(|(key, value)| (key.to_owned(), json_number_f32(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_function_answers_nothing_and_holes() {
        for values in [json!([]), json!([null, 1e32]), json!([1, "NaN", "inf", 3, 4, 5])] {
            for function in
                "norm stddev two_sided_stddev stddev_ratio median mean sse step_ratio iqr fill"
                    .split(' ')
            {
                let case = Case::new(json!({ "values": values }), json!({})).named(function);
                assert!(answer(&case).is_ok(), "{function} {values}");
            }
        }
    }

    #[test]
    fn a_function_that_is_not_there_is_reported_with_those_that_are() {
        let case = Case::new(json!({ "values": [] }), json!({})).named("mode/1");
        assert!(answer(&case).unwrap_err().contains("step_ratio"));
        let case = Case::new(json!({ "values": 1 }), json!({})).named("norm/1");
        assert!(answer(&case).unwrap_err().contains("array"));
    }
}
