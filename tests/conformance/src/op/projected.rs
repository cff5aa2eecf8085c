//! What both comparisons of Pragmastat share: the thresholds asked for and the shape of the answer.

use crate::case::{Case, json_number, number};
use crate::stats::{Estimator, PracticalThreshold, ProjectionError, ThresholdComparison};
use serde_json::{Value, json};

/// The thresholds of a case.
pub(super) fn thresholds(case: &Case) -> Result<Vec<PracticalThreshold>, String> {
    let thresholds = case.param("thresholds").as_array();
    let thresholds = thresholds.ok_or("the parameter thresholds has to be an array of objects")?;
    thresholds.iter().map(threshold).collect()
}

fn threshold(threshold: &Value) -> Result<PracticalThreshold, String> {
    let metric = threshold["metric"].as_str().and_then(Estimator::from_name);
    let estimator =
        metric.ok_or("the metric of a threshold is center, spread, shift, ratio or disparity")?;
    let number = |key: &str| {
        number(&threshold[key])
            .ok_or_else(|| format!("the {key} of a threshold has to be a number"))
    };
    Ok(PracticalThreshold { estimator, value: number("value")?, misrate: number("misrate")? })
}

/// The answer: projections, or the assumption that does not hold.
pub(super) fn answer(
    projected: Result<Vec<ThresholdComparison>, ProjectionError>,
) -> Result<Value, String> {
    match projected {
        Ok(projected) => {
            let projections: Vec<Value> = projected.iter().map(projection).collect();
            Ok(json!({ "output": { "projections": projections } }))
        }
        Err(ProjectionError::Assumption { id, subject }) => {
            Ok(json!({ "error": { "id": id, "subject": subject } }))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn projection(projected: &ThresholdComparison) -> Value {
    let interval = projected.interval;
    json!({
        "estimate": json_number(interval.estimate),
        "lower": json_number(interval.lower),
        "upper": json_number(interval.upper),
        "verdict": projected.standing.name(),
    })
}
