//! What the operations of Pragmastat share: estimates, bounds and violated assumptions.
//!
//! Rank bounds take the published step unless the parameter `step` asks for the conservative one,
//! which never misses more often than the misrate.

use crate::case::{Case, json_number};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{RankStep, pairwise_margin};
use pragmastat::EstimatorError;
use pragmastat::estimators::raw::RawBounds;
use serde_json::{Value, json};

/// An estimate, or which assumption failed.
pub(super) fn estimate(result: Result<f64, EstimatorError>) -> Result<Value, String> {
    match result {
        Ok(output) => Ok(json!({ "output": json_number(output) })),
        Err(error) => violated(error),
    }
}

/// Published bounds, or which assumption failed.
pub(super) fn published(result: Result<RawBounds, EstimatorError>) -> Result<Value, String> {
    match result {
        Ok(RawBounds { lower, upper }) => Ok(output(lower, upper)),
        Err(error) => violated(error),
    }
}

/// Our bounds.
pub(super) fn bounds(interval: Interval) -> Value {
    output(interval.lower, interval.upper)
}

fn output(lower: f64, upper: f64) -> Value {
    json!({ "output": { "lower": json_number(lower), "upper": json_number(upper) } })
}

/// An assumption that failed, and of what.
pub(super) fn violation(assumption: &str, subject: &str) -> Value {
    json!({ "error": { "id": assumption, "subject": subject } })
}

fn violated(error: EstimatorError) -> Result<Value, String> {
    match error {
        EstimatorError::Assumption(error) => {
            let violated = error.violation();
            Ok(violation(violated.id.as_str(), violated.subject.as_str()))
        }
        EstimatorError::Other(error) => Err(error),
    }
}

/// Whether a misrate is a probability.
pub(super) fn is_misrate(misrate: f64) -> bool {
    (0.0..=1.0).contains(&misrate)
}

/// The seed of bounds that are drawn by lot.
pub(super) fn seed(case: &Case) -> &str {
    case.param("seed").as_str().unwrap_or("perftest")
}

/// The two samples of a case; the violation where one is none.
pub(super) fn two_samples(case: &Case) -> Result<Result<(Sample, Sample), Value>, String> {
    let (x, y) = (Sample::new(case.numbers("x")?), Sample::new(case.numbers("y")?));
    Ok(match (x, y) {
        (Ok(x), Ok(y)) => Ok((x, y)),
        (Err(_), _) => Err(violation("validity", "x")),
        (_, Err(_)) => Err(violation("validity", "y")),
    })
}

/// Bounds of two samples by their pairs; where there are none although the misrate allows them, a
/// value is not above 0.
pub(super) fn pairwise(
    case: &Case,
    bounds_of: fn(&Sample, &Sample, f64, RankStep) -> Option<Interval>,
) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let (x, y) = match two_samples(case)? {
        Ok(samples) => samples,
        Err(violation) => return Ok(violation),
    };
    let is_possible = || pairwise_margin(x.size(), y.size(), misrate / 2.0, step).is_some();
    if !is_misrate(misrate) || !is_possible() {
        return Ok(violation("domain", "misrate"));
    }
    Ok(match bounds_of(&x, &y, misrate / 2.0, step) {
        Some(interval) => bounds(interval),
        None if x.sorted()[0] <= 0.0 => violation("positivity", "x"),
        None => violation("positivity", "y"),
    })
}
